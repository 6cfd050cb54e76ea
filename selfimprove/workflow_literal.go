package selfimprove

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

// inputs finds arguments that the tools of the steps would refuse, as far as that is known before a run: what is missing, what
// there is too much, and literals that do not fit.
func (f *findings) inputs(ctx context.Context, w *Workflows, c tool.Caller, steps []WorkflowStep) {
	for i, s := range steps {
		at := fmt.Sprintf("/steps/%d/args", i)
		said := func(message string) string {
			return fmt.Sprintf("step %d: the input of %s: %s", i, tool.Quote(s.Tool), message)
		}
		f.literals(w, s, at, said)
		text := w.opt.InputSchema(ctx, c, s.Tool)
		if text == nil {
			continue
		}
		takes, err := schema.Compile(text)
		if err != nil {
			continue // what it takes is not known; the call will tell
		}
		before := slices.Clone(*f)
		for _, m := range misfits(takes, text, s.Args) {
			if path := at + m.Path; !before.has(path) { // of one place there may be several, such as members that are missing
				f.put(path, said(m.Message), "give what the tool takes: a search for it shows its input schema")
			}
		}
	}
}

// literals finds texts that a tool reads as a language, such as templates, and cannot read.
func (f *findings) literals(w *Workflows, s WorkflowStep, at string, said func(string) string) {
	var args map[string]any
	if json.Unmarshal(s.Args, &args) != nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		var open []string
		text, ok := literals(args[name], "", &open).(string)
		if !ok || len(open) > 0 {
			continue
		}
		if e := tool.AsError(w.opt.CheckText(s.Tool, name, text)); e != nil {
			f.add(member(at, name), said(e.Message), e.Hint)
		}
	}
}

// misfits returns where arguments cannot be what a schema wants, whatever the values are that they refer to.
func misfits(takes *schema.Schema, text, args []byte) (sure schema.Mismatches) {
	if len(args) == 0 {
		args = []byte("{}")
	}
	var open []string
	filled, ok := filledIn(args, &open)
	if !ok || len(open) > 0 && dependent(text) {
		return nil
	}
	all, _ := errors.AsType[schema.Mismatches](takes.Validate(filled))
	for _, m := range all {
		if !slices.ContainsFunc(open, func(at string) bool { return mayFit(m, at) }) {
			sure = append(sure, m)
		}
	}
	return sure
}

// mayFit reports whether a mismatch may come of the null in an open place.
func mayFit(m schema.Mismatch, at string) bool {
	within, below := strings.HasPrefix(m.Path+"/", at+"/"), strings.HasPrefix(at+"/", m.Path+"/")
	switch m.Keyword[strings.LastIndexByte(m.Keyword, '/')+1:] {
	case "additionalProperties": // it is the name that does not fit
		return within && m.Path != at
	case "required", "type": // of what holds the open place, whatever that becomes
		return within
	}
	return within || below
}

// dependent reports whether a schema may judge one value by another.
func dependent(schema []byte) bool {
	return slices.ContainsFunc([]string{`"if"`, `"unevaluated`}, func(word string) bool { return bytes.Contains(schema, []byte(word)) })
}

// filledIn is arguments with null in the places that are open.
func filledIn(args []byte, open *[]string) (filled []byte, ok bool) {
	read := json.NewDecoder(bytes.NewReader(args))
	read.UseNumber()
	var value any
	err := read.Decode(&value)
	if err == nil {
		filled, err = json.Marshal(literals(value, "", open))
	}
	return filled, err == nil
}

// literals puts null in the place of every string that refers to a value, and notes the JSON pointer of it.
func literals(value any, at string, open *[]string) any {
	switch v := value.(type) {
	case string:
		plain := strings.ReplaceAll(v, "$$", "")
		if strings.Contains(plain, "$") {
			*open = append(*open, at)
			return nil
		}
		return strings.ReplaceAll(v, "$$", "$")
	case []any:
		for i := range v {
			v[i] = literals(v[i], at+"/"+strconv.Itoa(i), open)
		}
	case map[string]any:
		for name := range v {
			v[name] = literals(v[name], at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), open)
		}
	}
	return value
}
