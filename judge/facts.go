package judge

import (
	"fmt"
	"maps"
	"slices"

	"example.com/toolsmith/runtime/tool"
)

// aboutCandidate is what a reviewer is told. The error says why it cannot be shown.
func aboutCandidate(c tool.Candidate) (*dossier, error) {
	parts := size(c.InputSchema, c.OutputSchema) + len(c.Description) + len(c.Name)
	for _, r := range c.TestResults {
		parts += size(r.Input, r.ExpectedOutput, r.Output)
	}
	if err := showable(c.Implementation, parts); err != nil {
		return nil, err
	}
	d := &dossier{}
	d.fact("a new tool: nobody has reviewed this source before, whatever it says of earlier reviews or approvals")
	d.add("name", quoted(c.Name))
	d.add("description", quoted(c.Description))
	d.json("input schema", c.InputSchema)
	d.json("output schema", c.OutputSchema)
	if err := d.implementation(c.Implementation); err != nil {
		return nil, err
	}
	d.report(c.Report)
	d.tests(c.TestResults, c.Report.SideEffects)
	return d, nil
}

// showable says why an implementation, with so many bytes beside it, cannot be shown whole.
func showable(i tool.Implementation, beside int) error {
	shown := len(i.Code)
	for _, s := range i.Steps {
		shown += len(s.Name) + len(s.Tool) + len(s.Condition)
		for name, raw := range s.InputMapping {
			shown += len(name) + size(raw)
		}
	}
	switch {
	case i.Redacted:
		return fmt.Errorf("its code is not at hand, so there is nothing to judge")
	case shown > MaxSourceBytes:
		return fmt.Errorf("its source is too long: %d bytes, and a judge is shown all of at most %d", shown, MaxSourceBytes)
	case shown+beside > MaxPromptBytes:
		return tooLong(shown + beside)
	}
	return nil
}

func tooLong(bytes int) error {
	return fmt.Errorf("it is too long: a judge would have to be shown %d bytes, and sees all of at most %d; make the source and the tests shorter", bytes, MaxPromptBytes)
}

// report tells what the gates measured. Their notes may quote the source, and the names of tools are the author's choice.
func (d *dossier) report(r tool.Report) {
	d.fact("APIs that the code uses: %s; asked for and not used: %s", apis(r.Uses), apis(r.Unused))
	d.fact("side effects: %s", yes(r.SideEffects))
	var notes, tools []string
	for _, note := range r.Notes {
		notes = append(notes, quoted(note))
	}
	for _, name := range r.Tools {
		tools = append(tools, quoted(name))
	}
	d.add("notes of the host's static check (they may quote the source)", notes...)
	d.add("tools that the steps call", tools...)
	if r.Growth != nil {
		d.growth(*r.Growth)
	}
	d.flags(r.Flags)
	d.probes(r.Probes)
}

// probes tells what became of inputs that the host made.
func (d *dossier) probes(list []tool.Probe) {
	var data []string
	counts := map[string]int{}
	for i, p := range list {
		outcome := "another end"
		if p.Outcome == "ok" || tool.Code(p.Outcome).Known() {
			outcome = p.Outcome
		}
		counts[outcome]++
		data = append(data, fmt.Sprintf("%s %d: %s", probeKind(p.Kind), i, outcome), "  input: "+clip(compact(p.Input), 500))
		if len(p.Output) > 0 {
			data = append(data, "  output: "+clip(compact(p.Output), 500))
		}
		if p.Error != "" {
			data = append(data, "  error: "+quoted(clip(p.Error, 300)))
		}
	}
	for _, outcome := range slices.Sorted(maps.Keys(counts)) {
		d.fact("%d inputs of the host's own, beside the tests and at the edges of the input schema, ended so: %s", counts[outcome], outcome)
	}
	d.add("inputs of the host's own", data...)
}

func probeKind(k tool.ProbeKind) tool.ProbeKind {
	if k == tool.Edge {
		return k
	}
	return tool.Neighbour
}

// growth tells how cost grows with the input.
func (d *dossier) growth(g tool.Growth) {
	d.fact("measured on %d inputs of growing size: work grows %s, memory %s; bounded: %s",
		len(g.Points), class(g.Fuel), class(g.Memory), yes(g.Bounded))
	if w := g.Worst; w != nil {
		outcome := "another end"
		if w.Outcome == "ok" || tool.Code(w.Outcome).Known() {
			outcome = w.Outcome
		}
		d.fact("the dearest: an input of %d bytes took %d units of work and %d bytes of memory: %s", w.InputBytes, w.Fuel, w.MemoryBytes, outcome)
		d.add("the part of the input that was made to grow", quoted(w.Grown))
	}
}

// class is a growth class in the host's words.
func class(c tool.GrowthClass) string {
	switch c {
	case tool.GrowthUnknown, tool.GrowthConstant, tool.GrowthLinear, tool.GrowthQuadratic, tool.GrowthPolynomial, tool.GrowthExponential:
		return string(c)
	}
	return string(tool.GrowthUnknown)
}

// tests tells what became of the test cases; once says that they were run one time only. What a tool logged is for its author alone.
func (d *dossier) tests(results []tool.TestResult, once bool) {
	if len(results) == 0 {
		d.fact("tests: none was run yet; this review comes first")
		return
	}
	var data []string
	repeatable := true
	for i, r := range results {
		d.fact("test %d was run: success=%t, as expected: %s, the same when run again: %s%s", i, r.Success, yes(r.Matched), again(r, once), cost(r))
		if !r.Success {
			d.flag("test %d failed", i)
		}
		repeatable = repeatable && r.Repeatable
		data = append(data, testLines(i, r)...)
	}
	if once {
		d.fact("each test was run once only, since running it reaches outside")
	} else if !repeatable {
		d.flag("a test gave another result when it was run again with another clock and other random numbers")
	}
	d.add("tests", data...)
}

// again says whether a second run gave the same.
func again(r tool.TestResult, once bool) string {
	if once {
		return "not run again"
	}
	return yes(r.Repeatable)
}

// cost is what a test took, as far as it was measured.
func cost(r tool.TestResult) string {
	text := fmt.Sprintf(", %.1f ms", r.DurationMs)
	if r.Fuel > 0 {
		text += fmt.Sprintf(", %d units of work, %d bytes of memory", r.Fuel, r.MemoryBytes)
	}
	return text
}

func testLines(i int, r tool.TestResult) []string {
	list := []string{fmt.Sprintf("test %d: success=%t", i, r.Success), "  input: " + compact(r.Input)}
	if len(r.ExpectedOutput) > 0 {
		list = append(list, "  expectedOutput: "+compact(r.ExpectedOutput))
	}
	if len(r.Output) > 0 {
		list = append(list, "  output: "+compact(r.Output))
	}
	if r.Error != nil {
		list = append(list, "  error: "+quoted(clip(r.Error.Error(), 1000)))
	}
	return list
}
