package forge

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

// Bounds of what is probed.
const (
	maxProbes = 12         // inputs of a kind
	probeFuel = 50_000_000 // of one run: about half a second, so that a machine under load meets it before the limit of time
	runLength = 40         // characters: twice as much work with each is far beyond any fuel
)

// probe runs inputs of the host's own, and says in the report what became of them.
func (j *job) probe(ctx context.Context, input, output *schema.Schema) {
	var near, edge []json.RawMessage
	for _, c := range j.request.TestCases {
		near = append(near, neighbours(c.Input)...)
	}
	edge = edges(j.request.TestCases[0].Input, j.request.InputSchema)
	report := &j.candidate.Report
	beside := j.probeAll(ctx, tool.Neighbour, near, input, output)
	report.Probes = append(report.Probes, beside...)
	report.Probes = append(report.Probes, j.probeAll(ctx, tool.Edge, edge, input, output)...)
	if j.hardCoded(beside) {
		report.Flags = append(report.Flags, tool.FlagHardCoded)
	}
	if j.constant(report.Probes) {
		report.Flags = append(report.Flags, tool.FlagConstantOutput)
	}
	if slices.ContainsFunc(report.Probes, brokePromise) {
		report.Flags = append(report.Flags, tool.FlagEdgeFailure)
	}
}

// constant reports whether a tool gives the same answer to every test case and to enough other inputs.
func (j *job) constant(probes []tool.Probe) bool {
	const enough = 6
	answer := string(j.candidate.TestResults[0].Output)
	for _, t := range j.candidate.TestResults {
		if string(t.Output) != answer {
			return false
		}
	}
	return len(probes) >= enough && !slices.ContainsFunc(probes, func(p tool.Probe) bool { return p.Outcome != "ok" || string(p.Output) != answer })
}

// probeAll runs inputs that the schema admits and that are no test cases.
func (j *job) probeAll(ctx context.Context, kind tool.ProbeKind, inputs []json.RawMessage, input, output *schema.Schema) (list []tool.Probe) {
	seen := map[string]bool{}
	for _, text := range inputs {
		if len(list) == maxProbes || ctx.Err() != nil {
			break
		}
		if seen[string(text)] || input.Validate(text) != nil || j.isTestCase(text) {
			continue
		}
		seen[string(text)] = true
		t := j.trial(text, 0)
		t.Fuel = probeFuel
		result := j.try(ctx, t)
		err := result.Err
		if err == nil {
			err = unexpected(tool.TestCase{}, result.Output, output)
		}
		p := tool.Probe{Kind: kind, Input: text, Outcome: "ok", Output: result.Output}
		if err != nil {
			p.Outcome, p.Error = string(err.Code), excerpt(json.RawMessage(err.Message))
		}
		list = append(list, p)
	}
	return list
}

// brokePromise reports whether a probe ended in what no input that the schema admits may lead to. A tool that throws has said
// that it does not take the input.
func brokePromise(p tool.Probe) bool {
	return p.Outcome != "ok" && p.Outcome != string(tool.GuestError) && p.Outcome != string(tool.Denied)
}

// hardCoded reports whether a tool gives its test cases their different answers, and everything beside them one and the same
// that is none of these: most words are no palindromes, and that is an answer too.
func (j *job) hardCoded(beside []tool.Probe) bool {
	answers := map[string]bool{}
	for _, t := range j.candidate.TestResults {
		answers[string(t.Output)] = true
	}
	const enough = 3
	if len(answers) < 2 || len(beside) < enough || answers[string(beside[0].Output)] {
		return false
	}
	return !slices.ContainsFunc(beside, func(p tool.Probe) bool {
		return p.Outcome != "ok" || string(p.Output) != string(beside[0].Output)
	})
}

func (j *job) isTestCase(input json.RawMessage) bool {
	return slices.ContainsFunc(j.request.TestCases, func(c tool.TestCase) bool {
		_, same := equal(c.Input, input, false)
		return same
	})
}

// edges are inputs that differ from one in a member that stands at an edge of what its schema admits. Only what the schema
// says of the members of the input itself is looked at.
func edges(from, inputSchema json.RawMessage) (list []json.RawMessage) {
	var object struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	if json.Unmarshal(inputSchema, &object) != nil {
		return nil
	}
	names := make([]string, 0, len(object.Properties))
	for name := range object.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range append(run(from, name), edgeValues(object.Properties[name])...) {
			if text, ok := withMember(from, name, value); ok {
				list = append(list, text)
			}
		}
		if !slices.Contains(object.Required, name) {
			if text, ok := withoutMember(from, name); ok {
				list = append(list, text)
			}
		}
	}
	return list
}

// edgeValues are JSON texts at the edges of what a schema admits. Those that it does not admit are found out later.
func edgeValues(property json.RawMessage) []string {
	var s struct {
		Enum                 []json.RawMessage
		Minimum, Maximum     json.Number
		MinLength, MaxLength *int
	}
	if json.Unmarshal(property, &s) != nil {
		return nil
	}
	var values []string
	for _, one := range s.Enum {
		values = append(values, string(one))
	}
	for _, n := range []json.Number{s.Minimum, s.Maximum} {
		if n != "" {
			values = append(values, string(n))
		}
	}
	values = append(values, "0", "-1", `""`, "[]", "true", "false", "1e9", "0.1", `"\u00e9\u4e2d\ud83d\ude00"`)
	const longText = 2000
	for _, n := range []*int{s.MinLength, s.MaxLength} {
		if n != nil && *n >= 0 {
			values = append(values, `"`+strings.Repeat("x", min(*n, longText))+`"`)
		}
	}
	return values
}

// run is a text that begins like that of a member, goes on in the same way, and ends otherwise; there is none for a member that
// is no text. A pattern that can match a run in many ways tries all of them before it fails at the end, unless it is written
// with care.
func run(from json.RawMessage, name string) []string {
	object, _ := members(from)
	var text string
	if json.Unmarshal(object[name], &text) != nil || text == "" {
		return nil
	}
	value, err := json.Marshal(strings.Repeat(string([]rune(text)[:1]), runLength) + "!")
	if err != nil {
		return nil
	}
	return []string{string(value)}
}

func withMember(from json.RawMessage, name, value string) (json.RawMessage, bool) {
	object, ok := members(from)
	if !ok {
		return nil, false
	}
	object[name] = json.RawMessage(value)
	text, err := json.Marshal(object)
	return text, err == nil
}

func withoutMember(from json.RawMessage, name string) (json.RawMessage, bool) {
	object, ok := members(from)
	if _, there := object[name]; !ok || !there {
		return nil, false
	}
	delete(object, name)
	text, err := json.Marshal(object)
	return text, err == nil
}

func members(text json.RawMessage) (object map[string]json.RawMessage, ok bool) {
	err := json.Unmarshal(text, &object)
	return object, err == nil && object != nil
}

// neighbours are inputs that differ a little from one: every number by one, every text by a letter, every boolean turned.
func neighbours(input json.RawMessage) (list []json.RawMessage) {
	for _, change := range []func(any) any{
		func(v any) any { return nudged(v, 1) },
		func(v any) any { return nudged(v, -1) },
	} {
		value, ok := decoded(input)
		if !ok {
			continue
		}
		if text, err := json.Marshal(changed(value, change)); err == nil {
			list = append(list, text)
		}
	}
	return list
}

// nudged is a scalar, a little off.
func nudged(v any, by int64) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil && n > -1<<53 && n < 1<<53 {
			return n + by
		}
		if f, err := v.Float64(); err == nil {
			return f + float64(by)/4
		}
	case string:
		if by > 0 {
			return v + "q"
		}
		if r := []rune(v); len(r) > 1 {
			return string(r[:len(r)-1])
		}
	case bool:
		return !v
	}
	return v
}

// changed applies a change to all scalars within a value.
func changed(v any, change func(any) any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = changed(member, change)
		}
		return v
	case []any:
		for i, item := range v {
			v[i] = changed(item, change)
		}
		return v
	}
	return change(v)
}
