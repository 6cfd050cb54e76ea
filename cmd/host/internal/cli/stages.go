package cli

import (
	"fmt"
	"strings"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime/tool"
)

// showStages prints what each stage found out about a request, a line for each thing that it has to say.
func (f *face) showStages(r *forge.Result) {
	for _, note := range r.Notes {
		f.stage("read", note)
	}
	if read := r.Stage != forge.StagePackage && r.Stage != forge.StageShape; r.Attempt > 0 && read && len(r.Notes) == 0 {
		f.stage("read", "as it was written")
	}
	if r.Report != nil {
		f.stage("checked", checked(r.Report))
		for _, note := range r.Report.Notes {
			f.stage("checked", note)
		}
	}
	for i, t := range r.TestResults {
		f.stage(fmt.Sprintf("test %d", i), tested(t))
		for line := range strings.Lines(t.Logs) {
			f.asidef("test %d: %s\n", i, escape(strings.TrimSuffix(line, "\n")))
		}
	}
	if r.Report != nil && r.Report.Growth != nil {
		f.stage("growth", grown(r.Report.Growth))
	}
	if r.Verdict != nil {
		f.stage("judge", judged(r.Verdict))
	}
	if t := r.Tool; t != nil {
		f.stage("registered", fmt.Sprintf("%s, version %d, %s tier, %s", t.Name, t.Version, t.Tier, t.ID))
	}
}

func (f *face) stage(name, found string) { f.printf("%s: %s\n", name, escape(found)) }

// checked is what is known of an implementation before it runs.
func checked(r *tool.Report) string {
	var parts []string
	for _, part := range []struct {
		before string
		names  []string
	}{{"uses ", r.Uses}, {"never uses ", r.Unused}, {"calls ", r.Tools}} {
		if len(part.names) > 0 {
			parts = append(parts, part.before+strings.Join(part.names, ", "))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "uses nothing of the host")
	}
	if r.SideEffects {
		parts = append(parts, "has side effects")
	}
	for _, flag := range r.Flags {
		parts = append(parts, "flag "+string(flag))
	}
	return strings.Join(parts, "; ")
}

// tested is what became of a test case.
func tested(t tool.TestResult) string {
	cost := fmt.Sprintf("%.3f ms", t.DurationMs)
	if t.Fuel > 0 {
		cost += fmt.Sprintf(", fuel %d", t.Fuel)
	}
	if t.Success {
		return "ok, " + cost
	}
	return fmt.Sprintf("failed, %s: %s: %s", cost, t.Error.Code, what(t.Error))
}

// grown is how the cost grows with the input.
func grown(g *tool.Growth) string {
	text := fmt.Sprintf("fuel %s, memory %s", g.Fuel, g.Memory)
	if !g.Bounded {
		text += ", without bound"
	}
	return text
}

// judged is the verdict, and whose it is.
func judged(v *tool.CreationVerdict) string {
	text := "rejected"
	if v.Approved {
		text = "approved"
	}
	if v.JudgeModel != "" {
		text += " by " + v.JudgeModel
	}
	text += fmt.Sprintf(", confidence %g: %s", v.Confidence, v.Reasoning)
	if len(v.Concerns) > 0 {
		text += "; concerns: " + strings.Join(v.Concerns, "; ")
	}
	return text
}

// explainRefusal says on standard error why a request was refused: all that was wrong at that stage, and how to mend it.
func (f *face) explainRefusal(r *forge.Result, e *tool.Error) {
	if len(r.Problems) < 2 {
		f.explainPart(fmt.Sprintf("%s: %s: ", f.name, e.Code), e)
		return
	}
	f.sayf("%s: %d problems:", e.Code, len(r.Problems))
	for _, p := range r.Problems {
		f.explainPart("- ", p)
	}
}

// explainPart says what is wrong with a part of a request. Lines and columns are those of its code.
func (f *face) explainPart(lead string, e *tool.Error) {
	if e.Line > 0 {
		lead += fmt.Sprintf("line %d, column %d of the code: ", e.Line, e.Column)
	}
	f.asidef("%s%s\n", lead, what(e))
	if e.Snippet != "" {
		f.asidef("  | %s\n", escape(e.Snippet))
	}
	if e.Hint != "" {
		f.asidef("  hint: %s\n", escape(e.Hint))
	}
}
