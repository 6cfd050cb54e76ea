package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

func (f *face) toolDemoteCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	var reason string
	cmd := canBeElsewhere(&cobra.Command{
		Use:   "demote NAME|ID --reason TEXT",
		Short: "End the life of a version",
		Long: "Ends the life of a version for good: it keeps its tier and its name, but cannot be called any more. A next version, or revert,\n" +
			"takes its place. To switch a tool off for a while, suspend it.",
		Example: f.examples("host tool demote initials --reason 'wrong for names with a hyphen'"),
		Args:    oneTool,
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(reason) == "" {
				return errors.New("say why: --reason TEXT")
			}
			if err := desk.Reason(reason); err != nil {
				return errors.New(plain(err))
			}
			return f.change(cmd.Context(), *place, who, "is demoted", func(d desk.Desk) (*tool.Record, error) {
				return d.Demote(cmd.Context(), args[0], reason)
			})
		},
	})
	who.register(cmd.Flags())
	cmd.Flags().StringVar(&reason, "reason", "", "`TEXT` that says why; it stands in the audit log")
	return cmd
}

// change does something with a tool, and shows what became of it; "" is the state that it has then.
func (f *face) change(ctx context.Context, place dataFlags, who callerFlags, what string, do func(desk.Desk) (*tool.Record, error)) error {
	return f.atDesk(ctx, place, who, noJudge, func(d desk.Desk) error {
		changed, err := do(d)
		if err == nil {
			f.showChanged(changed, cmp.Or(what, "is "+state(changed)))
		}
		return err
	})
}

func (f *face) toolSuspendCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	var reason string
	cmd := canBeElsewhere(&cobra.Command{
		Use:     "suspend NAME|ID [--reason TEXT]",
		Short:   "Switch a tool off until it is resumed",
		Long:    "Switches a tool off until it is resumed. The reason of the suspension is admin, with the text behind it if there is one.",
		Example: f.examples("host tool suspend initials --reason 'under review'"),
		Args:    oneTool,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := desk.Reason(reason); err != nil {
				return errors.New(plain(err))
			}
			return f.change(cmd.Context(), *place, who, "is suspended", func(d desk.Desk) (*tool.Record, error) {
				return d.Suspend(cmd.Context(), args[0], reason)
			})
		},
	})
	who.register(cmd.Flags())
	cmd.Flags().StringVar(&reason, "reason", "", "`TEXT` that says why")
	return cmd
}

func (f *face) toolResumeCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	var owner, file string
	cmd := canBeElsewhere(&cobra.Command{
		Use:   "resume NAME|ID [--owner PERSONA] [--source FILE]",
		Short: "Switch a suspended tool on",
		Long: "Switches a suspended tool on. One whose owner is the id of a session that is long over needs a new owner; one whose source is\n" +
			"missing needs the very source that was approved, or the key that it was sealed under. FILE may be - for standard input.",
		Example: f.examples("host tool resume initials"),
		Args:    oneTool,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.change(cmd.Context(), *place, who, "", func(d desk.Desk) (*tool.Record, error) {
				return f.resume(cmd.Context(), d, args[0], owner, file)
			})
		},
	})
	who.register(cmd.Flags())
	cmd.Flags().StringVar(&owner, "owner", "", "`PERSONA` that owns the tool from now on")
	cmd.Flags().StringVar(&file, "source", "", "`FILE` with the source that was approved")
	return cmd
}

// resume switches a tool on, with the source in a file if there is one.
func (f *face) resume(ctx context.Context, d desk.Desk, which, owner, file string) (*tool.Record, error) {
	with := tiers.Resumption{Owner: owner}
	if file != "" {
		code, err := f.read(ctx, file, tool.MaxLimits.SourceBytes, tool.InvalidSource)
		if err != nil {
			return nil, err
		}
		with.Code = string(code)
	}
	return d.Resume(ctx, which, with)
}

// confirmRemoval asks whether a tool is to go.
func (f *face) confirmRemoval(ctx context.Context, d desk.Desk, which string) error {
	list, err := d.Versions(ctx, which)
	if err != nil {
		return err
	}
	return f.confirm(ctx, fmt.Sprintf("Remove %s (%s) of %s, with its older versions?", list[0].Name, list[0].ID, list[0].CreatedBy))
}

func (f *face) toolRemoveCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	var yes bool
	cmd := canBeElsewhere(&cobra.Command{
		Use:   "remove NAME|ID --yes",
		Short: "Delete a tool with its older versions",
		Long: "Deletes a tool with the versions whose place it took, and their code. The audit log keeps what was decided about it. On a terminal\n" +
			"it asks first; elsewhere it needs --yes.",
		Example: f.examples("host tool remove initials --yes"),
		Args:    oneTool,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !yes && !f.askable() {
				return errUnasked
			}
			return f.change(cmd.Context(), *place, who, "is removed", func(d desk.Desk) (*tool.Record, error) {
				if !yes {
					if err := f.confirmRemoval(cmd.Context(), d, args[0]); err != nil {
						return nil, err
					}
				}
				return d.Remove(cmd.Context(), args[0])
			})
		},
	})
	who.register(cmd.Flags())
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}
