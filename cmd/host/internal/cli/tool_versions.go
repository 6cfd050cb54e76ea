package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

func (f *face) toolVersionsCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	cmd := &cobra.Command{
		Use:     "versions NAME|ID",
		Short:   "List a tool and the versions before it",
		Long:    "Lists a version of a tool and those before it, newest first. As JSON it is a list of their records, without code.",
		Example: f.examples("host tool versions initials"),
		Args:    oneTool,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.atDesk(cmd.Context(), *place, who, noJudge, func(d *desk) error {
				list, err := d.versions(cmd.Context(), args[0])
				if err == nil {
					f.showVersions(list)
				}
				return err
			})
		},
	}
	who.register(cmd.Flags())
	return cmd
}

// versions returns a tool and the versions before it, newest first.
func (d *desk) versions(ctx context.Context, which string) ([]*tool.Record, error) {
	r, err := d.find(ctx, which)
	if err != nil {
		return nil, err
	}
	return d.shelf.History(ctx, d.by.Tenant, r.ID)
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

// pick returns the version that has a number or an id.
func pick(list []*tool.Record, which string) (*tool.Record, error) {
	for _, r := range list {
		if r.ID == which || strconv.Itoa(r.Version) == which {
			return r, nil
		}
	}
	return nil, &tool.Error{
		Code: tool.NotFound, Message: fmt.Sprintf("%s has no version %s", list[0].Name, tool.Quote(which)),
		Hint: "tool versions lists those that there are; give a number or an id",
	}
}

func (f *face) toolDiffCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	cmd := &cobra.Command{
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
			return f.atDesk(cmd.Context(), *place, who, noJudge, func(d *desk) error {
				report, err := d.diff(cmd.Context(), args[0], args[1:])
				if err == nil {
					f.showDiff(report)
				}
				return err
			})
		},
	}
	who.register(cmd.Flags())
	return cmd
}

// diffReport is in what two versions differ.
type diffReport struct {
	From        versionName        `json:"from"`
	To          versionName        `json:"to"`
	Differences []tiers.Difference `json:"differences"`
}

type versionName struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
}

func (d *desk) diff(ctx context.Context, which string, between []string) (report diffReport, err error) {
	list, err := d.versions(ctx, which)
	if err != nil {
		return report, err
	}
	from, to := list[min(1, len(list)-1)], list[0]
	if len(between) > 0 {
		if from, err = pick(list, between[0]); err != nil {
			return report, err
		}
	}
	if len(between) > 1 {
		if to, err = pick(list, between[1]); err != nil {
			return report, err
		}
	}
	found, err := d.shelf.Diff(ctx, d.by.Tenant, from.ID, to.ID)
	return diffReport{versionName{from.ID, from.Version}, versionName{to.ID, to.Version}, append([]tiers.Difference{}, found...)}, err
}

func (f *face) showDiff(r diffReport) {
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
	cmd := &cobra.Command{
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
			return f.atDesk(cmd.Context(), *place, who, noJudge, func(d *desk) error {
				list, err := d.versions(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				older, err := pick(list, to)
				if err != nil {
					return err
				}
				made, err := d.shelf.Revert(cmd.Context(), d.by, list[0].ID, older.ID)
				if err == nil {
					f.showChanged(made, fmt.Sprintf("does what version %d did", older.Version))
				}
				return err
			})
		},
	}
	who.register(cmd.Flags())
	cmd.Flags().StringVar(&to, "to", "", "`VERSION` to take up again")
	return cmd
}
