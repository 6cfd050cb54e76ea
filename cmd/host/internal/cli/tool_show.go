package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime/tool"
)

func (f *face) toolShowCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	cmd := canBeElsewhere(&cobra.Command{
		Use:   "show NAME|ID",
		Short: "Show all there is to know of a tool",
		Long: "Shows a version of a tool: what it promises, what it does, its tests, who approved it and what became of its calls. The source is\n" +
			"there when it is stored. What an author or a model wrote is escaped.",
		Example: f.examples("host tool show initials", "host tool show initials --output json"),
		Args:    oneTool,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.atDesk(cmd.Context(), *place, who, noJudge, func(d desk.Desk) error {
				whole, err := d.Show(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if f.format == asJSON {
					f.printJSON(whole.Record)
					return nil
				}
				f.showRecord(whole)
				return nil
			})
		},
	})
	who.register(cmd.Flags())
	return cmd
}

// showRecord prints a record for people.
func (f *face) showRecord(whole *desk.Whole) {
	r := whole.Record
	f.printf("%s, version %d, %s tier, %s\n", escape(r.Name), r.Version, r.Tier, escape(state(r)))
	for _, fact := range facts(r) {
		f.printf("  %-12s %s\n", fact[0], escape(fact[1]))
	}
	f.showBlock("description", r.Description)
	f.showBlock("input schema", indentedJSON(r.InputSchema))
	f.showBlock("output schema", indentedJSON(r.OutputSchema))
	f.showImplementation(r.Implementation, whole.Missing)
	for i, c := range r.TestCases {
		f.showBlock(fmt.Sprintf("test %d", i), describeCase(c))
	}
	for _, v := range r.JudgeVerdicts {
		f.showVerdict(v)
	}
	for _, a := range r.Approvals {
		f.showBlock("approval", fmt.Sprintf("for the %s tier, by %s, %s, of the source %s", a.To, orPanel(a.By), moment(&a.At), a.SourceHash))
	}
}

// facts are what a record says in a few words: pairs of what and which.
func facts(r *tool.Record) [][2]string {
	u := r.UsageStats
	all := [][2]string{
		{"id", r.ID},
		{"owner", r.CreatedBy + ", session " + r.SessionID},
		{"created", moment(&r.CreatedAt)},
		{"came from", r.Source},
		{"source hash", r.SourceHash},
		{"judge", fmt.Sprintf("confidence %.2f", r.JudgeConfidence)},
		{"uses", fmt.Sprintf("%d, %d succeeded, %d failed, %.1f ms on average, last %s",
			u.TotalUses, u.SuccessCount, u.FailureCount, u.AvgExecutionTimeMs, moment(u.LastUsedAt))},
	}
	if r.Supersedes != "" {
		all = append(all, [2]string{"follows", r.Supersedes})
	}
	if r.SupersededBy != "" {
		all = append(all, [2]string{"followed by", r.SupersededBy})
	}
	if r.PromotedAt != nil {
		all = append(all, [2]string{"promoted", moment(r.PromotedAt) + " by " + orPanel(r.PromotedBy)})
	}
	if s := r.Suspended; s != nil {
		all = append(all, [2]string{"suspended", fmt.Sprintf("%s, since %s", s.Reason, moment(&s.Since))})
	}
	return all
}

// orPanel names who approved: a person, else it was the panel alone.
func orPanel(person string) string {
	if person == "" {
		return "the panel"
	}
	return person
}

// showBlock prints lines that somebody else wrote, under a title.
func (f *face) showBlock(title, text string) {
	f.printf("\n%s\n", title)
	for line := range strings.Lines(escapeLines(text)) {
		f.printf("    %s\n", strings.TrimSuffix(line, "\n"))
	}
}

func (f *face) showImplementation(i tool.Implementation, missing *tool.Error) {
	if i.Mode == tool.ComposeMode {
		steps, err := tool.Canonical(i.Steps)
		if err != nil {
			steps = []byte(err.Error())
		}
		f.showBlock("implementation: compose", indentedJSON(steps))
		return
	}
	parts := []string{"implementation: sandbox", orJavaScript(i.Language)}
	for _, asked := range []struct {
		text  string
		given bool
	}{
		{"asks for " + strings.Join(i.Allowlist, ", "), len(i.Allowlist) > 0},
		{fmt.Sprintf("at most %d ms", i.TimeoutMs), i.TimeoutMs > 0},
		{fmt.Sprintf("at most %d MiB", i.MemoryMB), i.MemoryMB > 0},
	} {
		if asked.given {
			parts = append(parts, asked.text)
		}
	}
	title := escape(strings.Join(parts, ", "))
	if missing != nil {
		f.showBlock(title, plain(missing))
		return
	}
	f.showBlock(title, i.Code)
}

func orJavaScript(language string) string {
	if language == "" {
		return "js"
	}
	return language
}

// describeCase words a test case.
func describeCase(c tool.TestCase) string {
	text := "input " + compact(c.Input)
	switch {
	case c.ExpectedOutput == nil:
		return text + "\noutput as the schema says"
	case c.Partial:
		return text + "\noutput with " + compact(c.ExpectedOutput)
	}
	return text + "\noutput " + compact(c.ExpectedOutput)
}

// showVerdict prints what a judge or the panel said.
func (f *face) showVerdict(v tool.Verdict) {
	if p := v.Promotion; p != nil {
		f.showBlock("promotion: "+approved(p.Approved), fmt.Sprintf("%sconfidence %.2f\nsafety auditor: %s\ncorrectness reviewer: %s",
			from(p.JudgeModel, p.At), p.Confidence, said(p.SafetyAuditor), said(p.CorrectnessReviewer)))
		return
	}
	c := v.Creation
	if c == nil {
		return
	}
	lines := []string{
		fmt.Sprintf("%sconfidence %.2f, safety %.2f, correctness %.2f, determinism %.2f, bounded %.2f",
			from(c.JudgeModel, c.At), c.Confidence, c.Safety, c.Correctness, c.Determinism, c.Bounded),
		c.Reasoning,
	}
	for _, concern := range c.Concerns {
		lines = append(lines, "concern: "+concern)
	}
	f.showBlock("verdict: "+approved(c.Approved), strings.Join(lines, "\n"))
}

// said words what a member of the panel said.
func said(r tool.Review) string {
	return strings.TrimSuffix(fmt.Sprintf("%s, confidence %.2f: %s", approved(r.Approved), r.Confidence, r.Reasoning), ": ")
}

func approved(yes bool) string {
	if yes {
		return "approved"
	}
	return "not approved"
}

// from names who judged, and when; what is not known is left out.
func from(model string, at tool.Time) string {
	text := ""
	if model != "" {
		text = model + ", "
	}
	if !at.IsZero() {
		text += moment(&at) + ", "
	}
	return text
}

// indentedJSON is JSON for people; what is not JSON stays as it is.
func indentedJSON(raw json.RawMessage) string {
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return string(raw)
	}
	return out.String()
}
