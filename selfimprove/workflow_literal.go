package selfimprove

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/compose"
	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

// inputs finds arguments that the tools of the steps would refuse, as far as that is known before a run: what is missing, what
// there is too much, and literals that do not fit.
func (f *findings) inputs(ctx context.Context, w *Workflows, c tool.Caller, steps []WorkflowStep) {
	for i, s := range steps {
		text := w.opt.InputSchema(ctx, c, s.Tool)
		if text == nil {
			continue
		}
		takes, err := schema.Compile(text)
		if err != nil {
			continue // what it takes is not known; the call will tell
		}
		for _, m := range misfits(takes, text, s.Args) {
			*f = append(*f, compose.Problem{ // of one place there may be several, such as members that are missing
				Path: fmt.Sprintf("/steps/%d/args%s", i, m.Path), Message: fmt.Sprintf("step %d: the input of %s: %s", i, tool.Quote(s.Tool), m.Message),
				Hint: "give what the tool takes: a search for it shows its input schema",
			})
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
