package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/toolsmith"
	"example.com/toolsmith/hierarchy"
	"example.com/toolsmith/runtime/tool"
)

func (f *face) agencyShowCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Show what happened in a run of an agency, in order",
		Long: "Prints the timeline of a run: when, who, what was said and called, and the tokens it took. Texts are cut; --output json has them as\n" +
			"they are kept.",
		Example: f.examples("host agency show 7f0c2b1e-3f3e-4b57-9a54-0f4d3c1d2a90"),
		Args:    exactly("the id of one run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.atOffice(cmd.Context(), *place, who, noJudge, func(d *office) error {
				run, err := d.host.AgencyRun(cmd.Context(), d.by.Tenant, d.by.Persona, args[0])
				if err == nil {
					f.showRun(run)
				}
				return err
			})
		},
	}
	who.register(cmd.Flags())
	return cmd
}

func (f *face) showRun(run *toolsmith.AgencyRun) {
	if f.format == asJSON {
		f.printJSON(run)
		return
	}
	f.printf("%s of %s, session %s, manager %s\n", run.ID, escape(run.Agency), escape(run.Caller.Session), escape(run.Caller.Persona))
	if run.Result == nil {
		f.printf("%s  user: %s\n", clock(run.BegunAt), escape(cutLine(run.Prompt, lineWidth)))
		f.printf("it has not ended: it runs now, or its host was killed; audit tail has what was decided\n")
		return
	}
	for _, line := range timeline(run.Result) {
		f.printf("%s  %s\n", clock(line.at), escape(line.text))
	}
	r := run.Result
	f.printf("ended: %s after %v, %d tasks, %s\n", r.Reason, time.Duration(r.DurationMs)*time.Millisecond, len(r.AgentCalls), used(r.Usage))
	if r.Error != nil {
		f.printf("error: %s: %s\n", r.Error.Code, escape(cutLine(r.Error.Message, lineWidth)))
	}
}

// moment of a timeline, and what happened.
type timed struct {
	at   tool.Time
	text string
}

// timeline is what happened, in order.
func timeline(r *hierarchy.Result) (lines []timed) {
	for _, t := range r.Transcript {
		indent := strings.Repeat("  ", t.Depth)
		who := t.Agent
		if t.Turn > 0 {
			who += fmt.Sprintf(", turn %d, %s", t.Turn, used(t.Usage))
		}
		lines = append(lines, timed{t.At, strings.TrimRight(indent+who+": "+cutLine(t.Text, lineWidth), " :")})
		for _, c := range t.Calls {
			what := fmt.Sprintf("%s  calls %s %s", indent, c.Tool, cutLine(compact(c.Arguments), lineWidth))
			lines = append(lines, timed{t.At, what}, timed{t.At, indent + "    " + result(c)})
		}
	}
	for _, s := range r.Spawns {
		lines = append(lines, timed{tool.At(time.UnixMilli(s.Timestamp)), spawned(s)})
	}
	slices.SortStableFunc(lines, func(a, b timed) int { return cmp.Compare(a.at.UnixMilli(), b.at.UnixMilli()) })
	return lines
}

// result is what a call came to.
func result(c hierarchy.Call) string {
	if c.Failed {
		return "failed: " + cutLine(c.Result, lineWidth)
	}
	return "gives " + cutLine(c.Result, lineWidth)
}

// used tells tokens, and what they cost where that is known.
func used(u hierarchy.Usage) string {
	text := fmt.Sprintf("%d tokens", u.TotalTokens)
	if u.CostUSD > 0 {
		text += fmt.Sprintf(", %.4f USD", u.CostUSD)
	}
	return text
}

func clock(t tool.Time) string { return t.UTC().Format("15:04:05.000") }
