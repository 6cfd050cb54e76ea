package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// tailFlags say which entries are shown.
type tailFlags struct {
	who    callerFlags
	lines  quantity
	follow bool
	tool   string
	kind   string
}

const (
	tailLines = 20
	maxTail   = 10_000
)

func (f *face) auditTailCommand(place *dataFlags) *cobra.Command {
	flags := tailFlags{lines: tailLines}
	cmd := canBeElsewhere(&cobra.Command{
		Use:   "tail",
		Short: "Print the last entries",
		Long: "Prints the last entries of the log, oldest first: their number, time, type, who decided, on whose behalf, about which tool, and\n" +
			"the beginning of their data. As JSON each entry is a line, all of it. With --follow it goes on with what is added, each time the\n" +
			"process that holds the store has ended.",
		Example: f.examples("host audit tail", "host audit tail -n 5 --type promote --output json", "host audit tail --tool initials"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.lines > maxTail {
				return fmt.Errorf("-n is at most %d; export gives all", maxTail)
			}
			return f.failed(f.tail(cmd.Context(), *place, flags))
		},
	})
	flags.who.register(cmd.Flags())
	cmd.Flags().VarP(&flags.lines, "lines", "n", "how many entries")
	cmd.Flags().BoolVarP(&flags.follow, "follow", "f", false, "go on with what is added")
	cmd.Flags().StringVar(&flags.tool, "tool", "", "only entries about this tool, in all its versions, by `NAME` or id")
	cmd.Flags().StringVar(&flags.kind, "type", "", "only entries of this `TYPE`, such as register, promote or suspend")
	return cmd
}

func (f *face) tail(ctx context.Context, place dataFlags, flags tailFlags) error {
	if place.server != "" {
		return f.tailServer(ctx, place, flags)
	}
	dir, err := f.dataDir(ctx, place)
	if err != nil {
		return err
	}
	var wanted filter
	var last uint64
	err = readLogIn(ctx, dir, func(shelf *tiers.Shelf) error {
		if wanted, err = flags.filter(ctx, storedVersions(shelf, flags.who.caller())); err != nil {
			return err
		}
		events, end, err := wanted.newest(ctx, storedLog{shelf, flags.who.tenant}, int(flags.lines)) //nolint:gosec // G115: at most maxTail
		f.showEvents(events)
		last = end
		return err
	})
	if err != nil || !flags.follow {
		return err
	}
	return f.follow(ctx, dir, flags.who.tenant, wanted, last)
}

// tailServer is tail for the log of a host elsewhere, which can be looked at at any time.
func (f *face) tailServer(ctx context.Context, place dataFlags, flags tailFlags) error {
	return f.atServer(ctx, place, flags.who.session, func(d desk.Desk) error {
		wanted, err := flags.filter(ctx, d.Versions)
		if err != nil {
			return err
		}
		events, last, err := wanted.newest(ctx, d, int(flags.lines)) //nolint:gosec // G115: at most maxTail
		f.showEvents(events)
		tick := time.NewTicker(serverEvery)
		defer tick.Stop()
		for err == nil && flags.follow && f.out.err == nil {
			select {
			case <-ctx.Done():
				return done(tool.Canceled.ExitStatus())
			case <-tick.C:
				last, err = f.showAfter(ctx, d, wanted, last)
			}
		}
		return err
	})
}

// serverEvery is how often the log of a host elsewhere is looked at when it is followed.
const serverEvery = time.Second

// filter picks entries of a log.
type filter struct {
	kind  string
	tools []string // ids; nil is all
}

// storedVersions finds a tool in a store, and the versions before it.
func storedVersions(shelf *tiers.Shelf, c tool.Caller) func(context.Context, string) ([]*tool.Record, error) {
	return func(ctx context.Context, which string) ([]*tool.Record, error) {
		r, err := find(ctx, shelf, c, which)
		if err != nil {
			return nil, err
		}
		return shelf.History(ctx, c.Tenant, r.ID)
	}
}

// filter makes a filter of the flags.
func (flags tailFlags) filter(ctx context.Context, versions func(context.Context, string) ([]*tool.Record, error)) (filter, error) {
	wanted := filter{kind: flags.kind}
	if flags.tool == "" {
		return wanted, nil
	}
	list, err := versions(ctx, flags.tool)
	if errors.Is(err, tool.NotFound) && strings.HasPrefix(flags.tool, idPrefix) {
		wanted.tools = []string{flags.tool} // it was removed; the log still tells of it
		return wanted, nil
	}
	for _, v := range list {
		wanted.tools = append(wanted.tools, v.ID)
	}
	return wanted, err
}

func (w filter) picks(e tool.AuditEvent) bool {
	return (w.kind == "" || w.kind == string(e.EventType)) && (w.tools == nil || slices.Contains(w.tools, e.ToolID))
}

// newest returns the last entries that are wanted, oldest first, and the number of the log's last entry.
func (w filter) newest(ctx context.Context, log auditLog, most int) (events []tool.AuditEvent, end uint64, err error) {
	query := tiers.AuditQuery{Newest: true, Limit: maxTail}
	for {
		page, last, err := log.Audit(ctx, query)
		if err != nil || last == 0 {
			slices.Reverse(events)
			return events, end, err
		}
		if end == 0 && len(page) > 0 {
			end = page[len(page)-1].Sequence
		}
		for _, e := range slices.Backward(page) {
			if w.picks(e) {
				events = append(events, e)
			}
			if len(events) == most || e.Sequence == 1 {
				slices.Reverse(events)
				return events, end, nil
			}
		}
		query.Before = last
	}
}

// A log that is followed is looked at so often, and read at every eighth look even if its folder has not changed: a change may
// have come while we closed it ourselves.
const (
	followEvery = 500 * time.Millisecond
	readAnyway  = 8
)

// follow prints entries as they are added, until ctx ends. It opens the store only while somebody shares it, or after somebody
// else has closed it, and never for long, so that it stands in nobody's way.
func (f *face) follow(ctx context.Context, dir, tenant string, wanted filter, last uint64) error {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	changed := storeChange{dir: dir}
	changed.seen()
	for looks := 1; ; looks++ {
		select {
		case <-ctx.Done():
			return done(tool.Canceled.ExitStatus())
		case <-tick.C:
		}
		if f.out.err != nil {
			return nil // nobody reads on, which Main tells
		}
		if !changed.is() && looks%readAnyway != 0 {
			continue
		}
		err := readLogIn(ctx, dir, func(shelf *tiers.Shelf) (err error) {
			last, err = f.showAfter(ctx, storedLog{shelf, tenant}, wanted, last)
			return err
		})
		switch {
		case errors.Is(err, tool.Unavailable): // it is held
			continue
		case err != nil && ctx.Err() == nil:
			return err
		}
		changed.seen()
	}
}

// showAfter prints the wanted entries after one, and returns the number of the last that there is.
func (f *face) showAfter(ctx context.Context, log auditLog, wanted filter, last uint64) (uint64, error) {
	for {
		page, end, err := log.Audit(ctx, tiers.AuditQuery{After: last})
		if err != nil || end == 0 {
			return last, err
		}
		last = end
		f.showEvents(slices.DeleteFunc(page, func(e tool.AuditEvent) bool { return !wanted.picks(e) }))
	}
}

func (f *face) showEvents(events []tool.AuditEvent) {
	for _, e := range events {
		if f.format == asJSON {
			f.printJSON(e)
			continue
		}
		line := fmt.Sprintf("%d  %s  %s  %s for %s/%s  %s  %s", e.Sequence, eventTime(e), e.EventType, e.Actor, e.PersonaID, e.SessionID,
			orDash(e.ToolID), clip(string(e.Data)))
		f.printf("%s\n", escape(strings.TrimRight(line, " ")))
	}
}

// clip cuts text to what fits into a line.
func clip(text string) string {
	const most = 120
	if len(text) <= most {
		return text
	}
	at := most
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at] + "…"
}
