package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime/tool"
)

func (f *face) toolVersionsCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	cmd := canBeElsewhere(&cobra.Command{
		Use:     "versions NAME|ID",
		Short:   "List a tool and the versions before it",
		Long:    "Lists a version of a tool and those before it, newest first. As JSON it is a list of their records, without code.",
		Example: f.examples("host tool versions initials"),
		Args:    oneTool,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.atDesk(cmd.Context(), *place, who, noJudge, func(d desk.Desk) error {
				list, err := d.Versions(cmd.Context(), args[0])
				if err == nil {
					f.showVersions(list)
				}
				return err
			})
		},
	})
	who.register(cmd.Flags())
	return cmd
}

func (f *face) showVersions(list []*tool.Record) {
	if f.format == asJSON {
		f.printJSON(redactedAll(list))
		return
	}
	rows := make([][]string, 0, len(list))
	for _, r := range list {
		const shown = 12 // characters of a hash tell two sources apart
		rows = append(rows, []string{
			strconv.Itoa(r.Version), string(r.Tier), state(r), moment(&r.CreatedAt), strconv.Itoa(r.UsageStats.TotalUses), success(r.UsageStats),
			r.SourceHash[:min(shown, len(r.SourceHash))], r.ID,
		})
	}
	f.printTable([]string{"VERSION", "TIER", "STATE", "CREATED", "USES", "SUCCESS", "SOURCE", "ID"}, rows)
}

func (f *face) toolDiffCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	cmd := canBeElsewhere(&cobra.Command{
		Use:   "diff NAME|ID [FROM [TO]]",
		Short: "Show in what two versions of a tool differ",
		Long: "Shows in what two versions of a tool differ: what they promise, what they do, and their tests. A version is its number or its id.\n" +
			"TO is the newest unless given, FROM the one before it.",
		Example: f.examples("host tool diff initials", "host tool diff initials 1 2 --output json"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 3 {
				return fmt.Errorf("give a tool, and at most two of its versions")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			between := append(args[1:], "", "")
			return f.atDesk(cmd.Context(), *place, who, noJudge, func(d desk.Desk) error {
				report, err := d.Diff(cmd.Context(), args[0], between[0], between[1])
				if err == nil {
					f.showDiff(report)
				}
				return err
			})
		},
	})
	who.register(cmd.Flags())
	return cmd
}

func (f *face) showDiff(r *desk.Diff) {
	if f.format == asJSON {
		f.printJSON(r)
		return
	}
	if len(r.Differences) == 0 {
		f.printf("versions %d and %d promise and do the same\n", r.From.Version, r.To.Version)
	}
	for _, d := range r.Differences {
		f.printf("--- version %d: %s\n+++ version %d: %s\n", r.From.Version, escape(d.Part), r.To.Version, escape(d.Part))
		for _, line := range diffLines(d.From, d.To) {
			f.printf("%s\n", escapeLines(line))
		}
	}
}

func (f *face) toolRevertCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	var to string
	cmd := canBeElsewhere(&cobra.Command{
		Use:   "revert NAME|ID --to VERSION",
		Short: "Take up an older version of a tool again",
		Long: "Makes a new version of a tool that does what an older one did, with the older one's verdicts and approvals. The older one must\n" +
			"have been approved for the tier that the tool has now. VERSION is a number or an id.",
		Example: f.examples("host tool revert initials --to 1"),
		Args:    oneTool,
		RunE: func(cmd *cobra.Command, args []string) error {
			if to == "" {
				return fmt.Errorf("say which version: --to VERSION")
			}
			return f.change(cmd.Context(), *place, who, "does what version "+to+" did", func(d desk.Desk) (*tool.Record, error) {
				return d.Revert(cmd.Context(), args[0], to)
			})
		},
	})
	who.register(cmd.Flags())
	cmd.Flags().StringVar(&to, "to", "", "`VERSION` to take up again")
	return cmd
}
