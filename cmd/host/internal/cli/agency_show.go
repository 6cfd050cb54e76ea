package cli

import (
	"cmp"
	"context"
	"errors"
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
			"they are kept. The beginning of an id does where it fits one run alone.",
		Example: f.examples("host agency show 7f0c2b1e-3f3e-4b57-9a54-0f4d3c1d2a90", "host agency show 7f0c2b1e --output json"),
		Args:    exactly("the id of one run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.atOffice(cmd.Context(), *place, who, noJudge, func(d *office) error {
				run, err := findRun(cmd.Context(), d, args[0])
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

// findRun returns the run of an id, or of the beginning of one.
func findRun(ctx context.Context, d *office, id string) (*toolsmith.AgencyRun, error) {
	run, err := d.host.AgencyRun(ctx, d.by.Tenant, d.by.Persona, id)
	if !errors.Is(err, tool.NotFound) {
		return run, err
	}
	list, failed := d.host.AgencyRuns(ctx, d.by.Tenant, d.by.Persona)
	if failed != nil {
		return nil, failed
	}
	list = slices.DeleteFunc(list, func(r toolsmith.AgencyRun) bool { return !strings.HasPrefix(r.ID, id) })
	switch len(list) {
	case 0:
		return nil, err
	case 1:
		return d.host.AgencyRun(ctx, d.by.Tenant, d.by.Persona, list[0].ID)
	}
	return nil, &tool.Error{Code: tool.Collision, Message: fmt.Sprintf("%d runs begin with %s", len(list), tool.Quote(id)), Hint: "write more of the id"}
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
	for _, c := range r.AgentCalls {
		if c.ApprovedBy != "" {
			f.printf("approved: a task for %s, by %s\n", escape(c.Agent), escape(c.ApprovedBy))
		}
	}
	for _, note := range r.Notes {
		f.printf("note: %s\n", escape(note))
	}
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
			took := time.Duration(c.DurationMs * float64(time.Millisecond))
			lines = append(lines, timed{t.At, what}, timed{tool.At(t.At.Add(took)), indent + "  " + c.Tool + " " + result(c)})
		}
	}
	for _, s := range r.Spawns {
		at := tool.At(time.UnixMilli(s.Timestamp))
		lines = append(lines, timed{at, spawned(s)})
		if s.ApprovedBy != "" {
			lines = append(lines, timed{at, "  asked to approve it: " + s.ApprovedBy})
		}
		if s.JudgedBy != "" {
			lines = append(lines, timed{at, "  judged by " + s.JudgedBy + ": " + cutLine(s.Reasoning, lineWidth)})
		}
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
