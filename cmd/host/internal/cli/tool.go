package cli

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime/config"
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

// office is where an operator works on a host of this machine: an open host, and who works there.
type office struct {
	host  *openedHost
	shelf *tiers.Shelf
	by    tool.Actor // the operating-system user, in the caller's place
}

// desk is the desk of whoever works there.
func (o *office) desk() desk.Desk { return desk.NewLocal(o.host.Host, o.by) }

// atOffice opens the host that the flags name, does something on the caller's behalf, and closes it. A data directory that is
// named must be there, and where there is none yet, nothing is found: no verb makes one that keeps nothing.
func (f *face) atOffice(ctx context.Context, place dataFlags, who callerFlags, judges judgeFlags, do func(*office) error) error {
	if place.data != "" && place.data != config.Memory {
		if err := holdsStore(place.data); err != nil {
			return f.failed(err)
		}
	}
	return f.openOffice(ctx, place, who, judges, keptOnly, do)
}

// keptOnly has a host that would be the first in its data directory keep nothing.
func keptOnly(c *config.Config) {
	if c.Data != "" && holdsStore(c.Data) != nil {
		c.Data = config.Memory
	}
}

// atStore is atOffice for verbs that change what a store has: without one there is nothing to change.
func (f *face) atStore(ctx context.Context, place dataFlags, who callerFlags, judges judgeFlags, do func(*office) error) error {
	var missing error
	change := func(c *config.Config) { missing = storedOnly(c) }
	return f.openOffice(ctx, place, who, judges, change, func(d *office) error {
		if missing != nil {
			return missing
		}
		return do(d)
	})
}

// storedOnly returns why there is nothing in the data directory of a host, which then keeps nothing.
func storedOnly(c *config.Config) (missing error) {
	if c.Data != "" && c.Data != config.Memory {
		missing = holdsStore(c.Data)
	}
	keptOnly(c)
	return missing
}

// atNewOffice is atOffice for verbs that may be the first to keep something.
func (f *face) atNewOffice(ctx context.Context, place dataFlags, who callerFlags, judges judgeFlags, do func(*office) error) error {
	return f.openOffice(ctx, place, who, judges, nil, do)
}

func (f *face) openOffice(
	ctx context.Context, place dataFlags, who callerFlags, judges judgeFlags, change func(*config.Config), do func(*office) error,
) (err error) {
	defer func() { err = f.failed(asConfigured(err)) }()
	by := tool.Actor{Caller: who.caller(), Name: osUser()}
	if err := by.Validate(); err != nil {
		return err
	}
	host, err := f.openHost(ctx, place, judges, change)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, host.Close()) }() //nolint:contextcheck,nolintlint // what was done is written, whatever becomes of the context
	shelf, err := host.Shelf(ctx)
	if err != nil {
		return err
	}
	return do(&office{host, shelf, by})
}

// noJudge is for verbs that have nothing judged.
var noJudge = judgeFlags{judge: "none"}

// idPrefix begins the ids of tools; no name can have it.
const idPrefix = "emergent:"

// find returns the tool that an argument means: by id any of the tenant, by name the one that the caller sees.
func find(ctx context.Context, shelf *tiers.Shelf, c tool.Caller, which string) (*tool.Record, error) {
	if strings.HasPrefix(which, idPrefix) {
		r, err := shelf.Get(ctx, c.Tenant, which)
		return r, findable(err)
	}
	r, err := shelf.Find(ctx, c, which)
	return r, findable(err)
}

// findable adds to an error that there is no such tool how to see those that there are.
func findable(err error) error {
	if e := tool.AsError(err); e != nil && e.Code == tool.NotFound {
		e.Hint = "tool list lists the forged tools that the caller sees, tool search finds those of the host, too; tools of a session are seen in it alone (--session)"
	}
	return err
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
