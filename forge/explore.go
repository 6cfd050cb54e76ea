package forge

import (
	"context"
	"encoding/json"
	"slices"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/source"
	"example.com/toolsmith/runtime/tool"
)

// explore runs inputs that the author did not choose, to measure instead of to believe. Nothing here refuses a candidate: it
// all goes into the report. What would reach out of the machine is not explored.
func (j *job) explore(ctx context.Context) {
	report := &j.candidate.Report
	if j.candidate.Implementation.Mode != tool.SandboxMode {
		return
	}
	if slices.Contains(j.candidate.Implementation.Allowlist, source.Fetch) {
		report.Notes = append(report.Notes, "growth was not measured: the tool may reach the network")
		return
	}
	input, err := schema.Compile(j.request.InputSchema)
	if err != nil {
		return
	}
	if j.hardCoded(ctx, input) {
		report.Flags = append(report.Flags, tool.FlagHardCoded)
	}
	report.Growth = j.growth(ctx, input)
	if !report.Growth.Bounded {
		report.Flags = append(report.Flags, tool.FlagUnbounded)
	}
}

// maxNeighbours is how many inputs beside the test cases are run.
const maxNeighbours = 12

// hardCoded reports whether a tool gives its test cases their different answers and everything beside them one and the same.
func (j *job) hardCoded(ctx context.Context, input *schema.Schema) bool {
	answers := map[string]bool{}
	for _, t := range j.candidate.TestResults {
		answers[string(t.Output)] = true
	}
	if len(answers) < 2 {
		return false
	}
	beside, n := "", 0
	for _, c := range j.request.TestCases {
		for _, near := range neighbours(c.Input) {
			if n == maxNeighbours || ctx.Err() != nil {
				break
			}
			if input.Validate(near) != nil || j.isTestCase(near) {
				continue
			}
			t := j.trial(near, 0)
			t.Fuel = exploreFuel
			result := j.try(ctx, t)
			if result.Err != nil || n > 0 && string(result.Output) != beside {
				return false
			}
			beside, n = string(result.Output), n+1
		}
	}
	const enough = 3
	return n >= enough
}

func (j *job) isTestCase(input json.RawMessage) bool {
	return slices.ContainsFunc(j.request.TestCases, func(c tool.TestCase) bool {
		_, same := equal(c.Input, input, false)
		return same
	})
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
