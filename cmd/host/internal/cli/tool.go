package cli

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

func (f *face) toolCommand(place *dataFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tool",
		Short: "List tools, look at them, and decide on their life",
		Long: "Lists forged tools, shows them and their versions, and promotes, demotes, suspends, resumes, reverts and removes them. A tool\n" +
			"is named as the caller sees it, or by its id, which reaches every tool of the tenant.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		f.toolListCommand(place), f.toolShowCommand(place), f.toolVersionsCommand(place), f.toolDiffCommand(place),
		f.toolSearchCommand(place), f.toolStaleCommand(place), f.toolDuplicatesCommand(place),
		f.toolPromoteCommand(place), f.toolDemoteCommand(place), f.toolSuspendCommand(place), f.toolResumeCommand(place),
		f.toolRemoveCommand(place), f.toolRevertCommand(place),
		f.toolExportCommand(place), f.toolImportCommand(place), f.toolVerifyCommand(), f.toolKeygenCommand(),
	)
	return cmd
}

// oneTool checks that a verb is given one tool.
var oneTool = exactly("one tool, by name or id")

// desk is where tools are decided on: an open host, and who decides.
type desk struct {
	host  *openedHost
	shelf *tiers.Shelf
	by    tool.Actor // the operating-system user, in the caller's place
}

// atDesk opens the host that the flags name, does something on the caller's behalf, and closes it.
func (f *face) atDesk(ctx context.Context, place dataFlags, who callerFlags, judges judgeFlags, do func(*desk) error) (err error) {
	defer func() { err = f.failed(err) }()
	by := tool.Actor{Caller: who.caller(), Name: osUser()}
	if err := by.Validate(); err != nil {
		return err
	}
	host, err := f.openHost(ctx, place, judges, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, host.Close()) }() //nolint:contextcheck,nolintlint // what was done is written, whatever becomes of the context
	shelf, err := host.Shelf(ctx)
	if err != nil {
		return err
	}
	return do(&desk{host, shelf, by})
}

// noJudge is for verbs that have nothing judged.
var noJudge = judgeFlags{judge: "none"}

// idPrefix begins the ids of tools; no name can have it.
const idPrefix = "emergent:"

// find returns the tool that an argument means: by id any of the tenant, by name the one that the caller sees.
func find(ctx context.Context, shelf *tiers.Shelf, c tool.Caller, which string) (*tool.Record, error) {
	if strings.HasPrefix(which, idPrefix) {
		return shelf.Get(ctx, c.Tenant, which)
	}
	return shelf.Find(ctx, c, which)
}

func (d *desk) find(ctx context.Context, which string) (*tool.Record, error) {
	return find(ctx, d.shelf, d.by.Caller, which)
}

// redacted is a record without code, however its code is kept.
func redacted(r *tool.Record) *tool.Record {
	without := *r
	without.Implementation = r.Implementation.Redact()
	return &without
}

func redactedAll(list []*tool.Record) []*tool.Record {
	all := make([]*tool.Record, 0, len(list))
	for _, r := range list {
		all = append(all, redacted(r))
	}
	return all
}

// showChanged says what became of a tool; as JSON it is the record.
func (f *face) showChanged(r *tool.Record, what string) {
	if f.format == asJSON {
		f.printJSON(redacted(r))
		return
	}
	f.printf("%s version %d (%s) %s\n", escape(r.Name), r.Version, escape(r.ID), escape(what))
}

// state says in a few words whether a tool can be called.
func state(r *tool.Record) string {
	switch {
	case r.SupersededBy != "":
		return "superseded"
	case !r.IsActive:
		return "demoted"
	case r.Suspended != nil:
		return "suspended: " + string(r.Suspended.Reason)
	}
	return "active"
}

// moment words a time to the second; nil is one that never came.
func moment(t *tool.Time) string {
	if t == nil {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// compact is JSON on one line; what is not JSON stays as it is.
func compact(raw json.RawMessage) string {
	text, err := tool.Canonical(raw)
	if err != nil {
		return string(raw)
	}
	return string(text)
}
