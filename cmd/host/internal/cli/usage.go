package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime/tool"
)

func (f *face) usageCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	cmd := canBeElsewhere(&cobra.Command{
		Use:   "usage",
		Short: "Show what is used of each limit",
		Long: "Shows what is used of the limits of a tenant, of a persona and of a session: tools that are stored, attempts and judges of the day\n" +
			"in UTC and of the session. Calls that run, and those of the last minute, are counted by the process that runs them: they are shown\n" +
			"with --server alone. There, limits of the tenant are shown to keys that have the scope admin.",
		Example: f.examples("host usage", "host usage --persona ann --session work --output json"),
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.usage(cmd.Context(), who, *place) },
	})
	who.register(cmd.Flags())
	return cmd
}

func (f *face) usage(ctx context.Context, who callerFlags, place dataFlags) error {
	show := func(u tool.Usage, err error) error {
		if err == nil {
			f.showUsage(u)
		}
		return err
	}
	if place.server == "" { // where nothing runs
		return f.atOffice(ctx, place, who, noJudge, func(o *office) error { return show(o.shelf.Usage(ctx, o.by.Caller)) })
	}
	return f.atDesk(ctx, place, who, noJudge, func(d desk.Desk) error { return show(d.Usage(ctx)) })
}

func (f *face) showUsage(u tool.Usage) {
	if f.format == asJSON {
		f.printJSON(u)
		return
	}
	var rows [][]string
	for _, of := range []struct {
		name   string
		limits []tool.Gauge
	}{{"tenant", u.Tenant}, {"persona", u.Persona}, {"session", u.Session}} {
		for _, l := range of.limits {
			rows = append(rows, []string{of.name, l.Limit, amount(l.Used), amount(l.Most), fmt.Sprintf("%.1f%%", 100*l.Used/l.Most)})
		}
	}
	f.printTable([]string{"OF", "LIMIT", "USED", "MOST", "SHARE"}, rows)
}

// usedOf words what is used of a limit; "-" when it is not known here.
func usedOf(limits []tool.Gauge, name string) string {
	i := slices.IndexFunc(limits, func(l tool.Gauge) bool { return l.Limit == name })
	if i < 0 {
		return "-"
	}
	return amount(limits[i].Used) + " of " + amount(limits[i].Most)
}

// amount writes a number with as many of six decimals as it needs.
func amount(n float64) string {
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(n, 'f', 6, 64), "0"), ".")
}
