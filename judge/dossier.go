package judge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// dossier is all that is told of a tool. Facts are the host's own words: they hold numbers and words from lists of the
// host's, never text that an author, a tool or a model wrote. That stands in blocks.
type dossier struct {
	facts  []string
	blocks []block
}

// block is data. Each of its lines begins with a sign of the host's.
type block struct {
	name  string
	lines []string
}

func (d *dossier) fact(format string, args ...any) {
	d.facts = append(d.facts, fmt.Sprintf(format, args...))
}

// flag is a fact that asks for a second look.
func (d *dossier) flag(format string, args ...any) { d.fact("flag: "+format, args...) }

// add puts texts that print, one to a line, into a block. There is no block without a line.
func (d *dossier) add(name string, texts ...string) {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = "| " + text
	}
	d.block(name, list)
}

func (d *dossier) block(name string, lines []string) {
	if len(lines) > 0 {
		d.blocks = append(d.blocks, block{name, lines})
	}
}

func (d *dossier) json(name string, raw json.RawMessage) {
	if len(raw) > 0 {
		d.add(name, compact(raw))
	}
}

// code shows code line by line, as it is; with bare, only the lines that hold something.
func (d *dossier) code(name, code string, bare bool) {
	var list []string
	for i, text := range lines(code) {
		if bare && strings.TrimSpace(text) == "" {
			continue
		}
		var out strings.Builder
		for j, part := range strings.Split(text, "\t") {
			if j > 0 {
				out.WriteByte('\t')
			}
			out.WriteString(printable(part))
		}
		list = append(list, fmt.Sprintf("%4d| %s", i+1, out.String()))
	}
	d.block(name, list)
}

// implementation shows all of what a tool does.
func (d *dossier) implementation(i tool.Implementation) error {
	if i.Mode == tool.ComposeMode {
		var steps strings.Builder
		enc := json.NewEncoder(&steps)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		if err := enc.Encode(i.Steps); err != nil {
			return err
		}
		d.fact("mode: compose, a pipeline of %d steps that call other tools; it runs no code of its own", len(i.Steps))
		d.code("source (the steps)", strings.TrimSpace(steps.String()), false)
		return nil
	}
	language := "JavaScript"
	if i.Language == "ts" {
		language = "TypeScript"
	}
	d.fact("mode: sandbox, %s, %d bytes in %d lines; the sandbox limits time, work and memory", language, len(i.Code), len(lines(i.Code)))
	d.fact("APIs that it asks for: %s", apis(i.Allowlist))
	d.json("requested APIs", encoded(append([]string{}, i.Allowlist...)))
	d.code("source", i.Code, false)
	d.stripped(i)
	return nil
}

// stripped shows the code a second time, without what its author says in it.
func (d *dossier) stripped(i tool.Implementation) {
	text, from := strip(i.Code, i.Language == "ts")
	if from >= 0 {
		d.fact("the second view of the source is as written from line %d on: from there the host cannot tell code from text", len(lines(i.Code[:from])))
	}
	d.code("source without comments and without the text of strings", text, true)
}

// granted are the APIs that there are.
var granted = []string{"crypto", "fetch", "fs.readFile"}

// apis names those of a list that there are, in the host's words.
func apis(list []string) string {
	var known []string
	for _, name := range granted {
		if slices.Contains(list, name) {
			known = append(known, name)
		}
	}
	if len(known) == 0 {
		return "none"
	}
	return strings.Join(known, ", ")
}

// flagTexts say in the host's words what a flag of the gates means.
var flagTexts = map[tool.Flag]string{
	tool.FlagUnusedCapability:   "it asks for an API that it never uses",
	tool.FlagCapabilityMismatch: "the code uses an API, and the description does not seem to say so",
	tool.FlagHardCoded:          "it gives its test cases their different answers, and all inputs beside them one and the same",
	tool.FlagNondeterministic:   "it draws random numbers, or gave something else when it was run again with another clock",
	tool.FlagReadsClock:         "it reads the time, and the description does not seem to say so",
	tool.FlagConstantOutput:     "it gives one and the same answer to everything",
	tool.FlagNoAssertions:       "no test case says what is expected",
	tool.FlagUnbounded:          "it is not bounded, as measured",
	tool.FlagEdgeFailure:        "an input that its own schema admits made it break its output schema or a limit",
}

// flags tells what the gates found suspicious.
func (d *dossier) flags(list []tool.Flag) {
	for _, f := range list {
		if text := flagTexts[f]; text != "" {
			d.flag("%s", text)
		}
	}
}

// size is about how many bytes there are to show, before anything is written.
func size(parts ...json.RawMessage) int {
	n := 0
	for _, p := range parts {
		n += len(p) + 64
	}
	return n
}

// encoded is a value of ours as JSON.
func encoded(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil { // a RawMessage in it that is no JSON
		return nil
	}
	return text
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
