package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/selfimprove"
)

func (f *face) sessionShowCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Show how a session's agent has adjusted itself, and what its evaluations gave",
		Long: "Shows the parameters of a session, and what self_evaluate has scored and adjusted in it. An adjustment is flagged when three\n" +
			"evaluations since are no better than those before.",
		Example: f.examples("host session show cli", "host session show cli --output json"),
		Args:    exactly("the name of one session"),
		RunE: func(cmd *cobra.Command, args []string) error {
			who.session = args[0]
			return f.showSession(cmd.Context(), who, *place)
		},
	}
	who.registerOwner(cmd.Flags())
	return cmd
}

// sessionReport is how a session's agent has adjusted itself.
type sessionReport struct {
	Parameters  map[string]json.RawMessage `json:"parameters"`
	Evaluations *selfimprove.Report        `json:"evaluations"`
}

func (f *face) showSession(ctx context.Context, who callerFlags, place dataFlags) error {
	return f.atOffice(ctx, place, who, noJudge, func(d *office) error {
		if err := desk.HasSession(ctx, d.shelf, d.by.Caller); err != nil {
			return err
		}
		var report sessionReport
		var err error
		if report.Parameters, err = d.host.Parameters().All(ctx, d.by.Caller); err != nil {
			return err
		}
		if report.Evaluations, err = d.host.Evaluation().Report(ctx, d.by.Caller); err != nil {
			return err
		}
		if f.format == asJSON {
			f.printJSON(report)
			return nil
		}
		f.showSessionReport(report)
		return nil
	})
}

// showSessionReport prints a report for people.
func (f *face) showSessionReport(r sessionReport) {
	for _, name := range slices.Sorted(maps.Keys(r.Parameters)) {
		f.printf("%s %s\n", escape(name), escape(compact(r.Parameters[name])))
	}
	e := r.Evaluations
	evaluations := "evaluations"
	if e.Total == 1 {
		evaluations = "evaluation"
	}
	f.printf("%d %s, %d left, trend %s\n", e.Total, evaluations, e.Remaining, e.Trend.Direction)
	if e.Total > 0 {
		a := e.Average
		f.printf("on average: relevance %.2f, clarity %.2f, accuracy %.2f, helpfulness %.2f\n", a.Relevance, a.Clarity, a.Accuracy, a.Helpfulness)
	}
	all := slices.Clone(e.Adjustments)
	for _, trait := range slices.Sorted(maps.Keys(e.Drift)) {
		all = append(all, e.Drift[trait].Adjustments...)
	}
	if len(all) == 0 {
		return
	}
	slices.SortFunc(all, func(a, b selfimprove.Outcome) int { // by their numbers: a2 before a10
		return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	rows := make([][]string, 0, len(all))
	for _, one := range all {
		rows = append(rows, []string{
			one.ID, one.Param, orUnset(one.Previous), orUnset(one.New), string(one.Applied), score(one.ScoreBefore), score(one.ScoreAfter), verdictOf(one),
		})
	}
	f.printTable([]string{"ID", "PARAM", "FROM", "TO", "APPLIED", "SCORE BEFORE", "SCORE AFTER", "STATE"}, rows)
}

// orUnset is the value of a parameter, of which there may be none.
func orUnset(value json.RawMessage) string {
	if text := compact(value); text != "" && text != "null" {
		return text
	}
	return "-"
}

func score(mean *float64) string {
	if mean == nil {
		return "-"
	}
	return strconv.FormatFloat(*mean, 'f', 2, 64)
}

// verdictOf is what there is to say of an adjustment.
func verdictOf(o selfimprove.Outcome) string {
	switch {
	case o.Reverted:
		return "reverted"
	case o.Reverts != "":
		return "reverts " + o.Reverts
	case o.Applied == selfimprove.NotApplied:
		return "proposed"
	case o.Flagged:
		return "does not help"
	}
	return "holds"
}
