package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime/tool"
)

// listFlags say which tools are listed.
type listFlags struct {
	tier         tier
	all, history bool
}

func (f *face) toolListCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	var flags listFlags
	cmd := canBeElsewhere(&cobra.Command{
		Use:   "list",
		Short: "List the tools that the caller sees, or all",
		Long: "Lists forged tools: those that the caller sees, which are its session's, its persona's and the shared ones, or with --all those\n" +
			"of every persona and session. As JSON it is a list of their records, without code.",
		Example: f.examples("host tool list", "host tool list --all --history --output json", "host tool list --persona ann --tier agent"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.atDesk(cmd.Context(), *place, who, noJudge, func(d desk.Desk) error {
				list, err := d.List(cmd.Context(), desk.ListQuery{Tier: tool.Tier(flags.tier), All: flags.all, History: flags.history})
				if err == nil {
					f.showList(list, flags.all || flags.history)
				}
				return err
			})
		},
	})
	who.register(cmd.Flags())
	cmd.Flags().Var(&flags.tier, "tier", "only tools of this tier: session, agent or shared")
	cmd.Flags().BoolVar(&flags.all, "all", false, "also what the caller does not see")
	cmd.Flags().BoolVar(&flags.history, "history", false, "also versions whose place another has taken")
	return cmd
}

// showList prints a table of records, with ids where names do not tell them apart.
func (f *face) showList(list []*tool.Record, withIDs bool) {
	if f.format == asJSON {
		f.printJSON(redactedAll(list))
		return
	}
	if len(list) == 0 {
		f.sayf("no tools")
		return
	}
	head := []string{"NAME", "VERSION", "TIER", "STATE", "OWNER", "USES", "SUCCESS", "JUDGE", "LAST USED"}
	if withIDs {
		head = append(head, "ID")
	}
	rows := make([][]string, 0, len(list))
	for _, r := range list {
		row := []string{
			r.Name, strconv.Itoa(r.Version), string(r.Tier), state(r), r.CreatedBy, strconv.Itoa(r.UsageStats.TotalUses), success(r.UsageStats),
			fmt.Sprintf("%.2f", r.JudgeConfidence), moment(r.UsageStats.LastUsedAt),
		}
		if withIDs {
			row = append(row, r.ID)
		}
		rows = append(rows, row)
	}
	f.printTable(head, rows)
}

// success words the part of the uses that succeeded.
func success(u tool.UsageStats) string {
	if u.TotalUses == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*u.SuccessRate())
}

// tier is a flag that takes the name of a tier.
type tier tool.Tier

// String is empty while the flag is not given.
func (t *tier) String() string { return string(*t) }

// Set takes session, agent or shared.
func (t *tier) Set(text string) error {
	return choose(t, text, tier(tool.SessionTier), tier(tool.AgentTier), tier(tool.SharedTier))
}

// Type is what help calls the value.
func (t *tier) Type() string { return "TIER" }

// higherTier is a flag that takes the name of a tier that tools rise to.
type higherTier tool.Tier

// String is empty while the flag is not given.
func (t *higherTier) String() string { return string(*t) }

// Set takes agent or shared.
func (t *higherTier) Set(text string) error {
	return choose(t, text, higherTier(tool.AgentTier), higherTier(tool.SharedTier))
}

// Type is what help calls the value.
func (t *higherTier) Type() string { return "TIER" }
