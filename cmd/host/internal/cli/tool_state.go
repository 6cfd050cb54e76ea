package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// maxReason bounds, in bytes, the reason that somebody gives for a decision.
const maxReason = 1000

func checkReason(text string) error {
	if len(text) > maxReason {
		return fmt.Errorf("the reason is longer than %d bytes", maxReason)
	}
	return nil
}

func (f *face) toolDemoteCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	var reason string
	cmd := &cobra.Command{
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
			if err := checkReason(reason); err != nil {
				return err
			}
			return f.change(cmd.Context(), *place, who, args[0], "is demoted", func(d *desk, r *tool.Record) (*tool.Record, error) {
				return d.shelf.Demote(cmd.Context(), d.by, r.ID, reason)
			})
		},
	}
	who.register(cmd.Flags())
	cmd.Flags().StringVar(&reason, "reason", "", "`TEXT` that says why; it stands in the audit log")
	return cmd
}

// change finds a tool, does something with it, and shows what became of it; "" is the state that it has then.
func (f *face) change(ctx context.Context, place dataFlags, who callerFlags, which, what string, do func(*desk, *tool.Record) (*tool.Record, error)) error {
	return f.atDesk(ctx, place, who, noJudge, func(d *desk) error {
		r, err := d.find(ctx, which)
		if err != nil {
			return err
		}
		changed, err := do(d, r)
		if err == nil {
			f.showChanged(changed, cmp.Or(what, "is "+state(changed)))
		}
		return err
	})
}

func (f *face) toolSuspendCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	var reason string
	cmd := &cobra.Command{
		Use:     "suspend NAME|ID [--reason TEXT]",
		Short:   "Switch a tool off until it is resumed",
		Long:    "Switches a tool off until it is resumed. The reason of the suspension is admin, with the text behind it if there is one.",
		Example: f.examples("host tool suspend initials --reason 'under review'"),
		Args:    oneTool,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkReason(reason); err != nil {
				return err
			}
			why := tool.ByAdmin
			if reason != "" {
				why += tool.SuspendReason(": " + reason) // so that no text can be taken for a reason of the host's own
			}
			return f.change(cmd.Context(), *place, who, args[0], "is suspended", func(d *desk, r *tool.Record) (*tool.Record, error) {
				return d.shelf.Suspend(cmd.Context(), d.by, r.ID, why)
			})
		},
	}
	who.register(cmd.Flags())
	cmd.Flags().StringVar(&reason, "reason", "", "`TEXT` that says why")
	return cmd
}

func (f *face) toolResumeCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	var owner, file string
	cmd := &cobra.Command{
		Use:   "resume NAME|ID [--owner PERSONA] [--source FILE]",
		Short: "Switch a suspended tool on",
		Long: "Switches a suspended tool on. One whose owner is the id of a session that is long over needs a new owner; one whose source is\n" +
			"missing needs the very source that was approved, or the key that it was sealed under. FILE may be - for standard input.",
		Example: f.examples("host tool resume initials"),
		Args:    oneTool,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.change(cmd.Context(), *place, who, args[0], "", func(d *desk, r *tool.Record) (*tool.Record, error) {
				return f.resume(cmd.Context(), d, r, owner, file)
			})
		},
	}
	who.register(cmd.Flags())
	cmd.Flags().StringVar(&owner, "owner", "", "`PERSONA` that owns the tool from now on")
	cmd.Flags().StringVar(&file, "source", "", "`FILE` with the source that was approved")
	return cmd
}

// resume switches a tool on. Editors end a file with a line break that the source may not have had: both are tried.
func (f *face) resume(ctx context.Context, d *desk, r *tool.Record, owner, file string) (*tool.Record, error) {
	with := tiers.Resumption{Owner: owner}
	if file != "" {
		code, err := f.read(ctx, file, tool.MaxLimits.SourceBytes, tool.InvalidSource)
		if err != nil {
			return nil, err
		}
		with.Code = string(code)
	}
	resumed, err := d.shelf.Resume(ctx, d.by, r.ID, with)
	if without, ended := strings.CutSuffix(with.Code, "\n"); ended && errors.Is(err, tool.Rejected) {
		with.Code = without
		return d.shelf.Resume(ctx, d.by, r.ID, with)
	}
	return resumed, err
}

func (f *face) toolRemoveCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	var yes bool
	cmd := &cobra.Command{
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
			return f.change(cmd.Context(), *place, who, args[0], "is removed", func(d *desk, r *tool.Record) (*tool.Record, error) {
				if !yes {
					if err := f.confirm(cmd.Context(), fmt.Sprintf("Remove %s (%s) of %s, with its older versions?", r.Name, r.ID, r.CreatedBy)); err != nil {
						return nil, err
					}
				}
				return r, d.shelf.Remove(cmd.Context(), d.by, r.ID)
			})
		},
	}
	who.register(cmd.Flags())
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}
