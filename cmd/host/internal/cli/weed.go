package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
)

func (f *face) toolStaleCommand(place *dataFlags) *cobra.Command {
	tenant := localTenant
	cmd := &cobra.Command{
		Use:   "stale",
		Short: "List the tools of the agent tier that nobody uses",
		Long: "Lists the tools of the agent tier, of every persona, that nobody has used for emergentConfig.staleAfterDays. They are demoted by\n" +
			"themselves only if emergentConfig.demoteStale is true.",
		Example: f.examples("host tool stale", "host tool stale --output json"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.atOffice(cmd.Context(), *place, operatorOf(tenant), noJudge, func(d *office) error {
				list, err := d.shelf.Stale(cmd.Context(), d.by.Tenant)
				if err == nil {
					f.showList(list, true)
				}
				return err
			})
		},
	}
	registerTenant(cmd.Flags(), &tenant)
	return cmd
}

func (f *face) toolDuplicatesCommand(place *dataFlags) *cobra.Command {
	least, tenant := 0.0, localTenant
	cmd := &cobra.Command{
		Use:   "duplicates",
		Short: "List the forged tools that do the same",
		Long: "Lists pairs of forged tools, of every persona and session, that are much alike in what they do or in what they say that they do,\n" +
			"the most alike first, and says why.",
		Example: f.examples("host tool duplicates", "host tool duplicates --least 0.8 --output json"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.listDuplicates(cmd.Context(), *place, tenant, least)
		},
	}
	registerTenant(cmd.Flags(), &tenant)
	cmd.Flags().Float64Var(&least, "least", 0.9, "how much alike two tools must be, 0.5 to 1; 1 is the same implementation")
	return cmd
}

func (f *face) listDuplicates(ctx context.Context, place dataFlags, tenant string, least float64) error {
	const half = 0.5
	if !(least >= half && least <= 1) { // NaN is neither
		return fmt.Errorf("--least is %v: it is within %v to 1", least, half)
	}
	return f.atOffice(ctx, place, operatorOf(tenant), noJudge, func(d *office) error {
		pairs, err := d.host.Duplicates(ctx, d.by.Tenant, least)
		if err == nil {
			f.showPairs(pairs)
		}
		return err
	})
}

func (f *face) showPairs(pairs []runtime.Pair) {
	if f.format == asJSON {
		f.printJSON(append([]runtime.Pair{}, pairs...))
		return
	}
	if len(pairs) == 0 {
		f.sayf("no duplicates")
		return
	}
	rows := make([][]string, 0, len(pairs))
	for _, p := range pairs {
		rows = append(rows, []string{ownedName(p.Tool), ownedName(p.Like), strconv.FormatFloat(p.Score, 'f', 2, 64), strings.Join(p.Reasons, "; ")})
	}
	f.printTable([]string{"TOOL", "LIKE", "SCORE", "WHY"}, rows)
}

// ownedName tells a tool from those of the same name: by its owner and its tier.
func ownedName(r *tool.Record) string {
	return fmt.Sprintf("%s (%s, %s)", r.Name, r.CreatedBy, r.Tier)
}
