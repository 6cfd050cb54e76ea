package forge

import (
	"context"
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
	output, err := schema.Compile(j.request.OutputSchema)
	if err != nil {
		return
	}
	j.probe(ctx, input, output)
	report.Growth = j.growth(ctx, input)
	if !report.Growth.Bounded {
		report.Flags = append(report.Flags, tool.FlagUnbounded)
	}
}
