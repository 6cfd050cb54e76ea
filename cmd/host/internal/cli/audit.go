package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/cmd/host/internal/remote"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

func (f *face) auditCommand(place *dataFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Read the audit log, and check that it is whole",
		Long: "Reads what was decided about tools, and by whom. Entries form a chain in each tenant: none can be changed or removed without\n" +
			"breaking it. These verbs change nothing.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(f.auditTailCommand(place), f.auditShowCommand(place), f.auditVerifyCommand(place), f.auditExportCommand(place))
	return cmd
}

// readLog opens the log of a data directory to read it, and closes it.
func (f *face) readLog(ctx context.Context, place dataFlags, read func(*tiers.Shelf) error) error {
	dir, err := f.dataDir(ctx, place)
	if err != nil {
		return err
	}
	return readLogIn(ctx, dir, read)
}

func readLogIn(ctx context.Context, dir string, read func(*tiers.Shelf) error) (err error) {
	shelf, err := openShelf(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shelf.Close()) }() //nolint:contextcheck,nolintlint // nothing is left to write
	return read(shelf)
}

// auditLog is a log that can be read: that of a desk, or one that lies in a store.
type auditLog interface {
	// Audit is that of desk.Desk.
	Audit(ctx context.Context, q tiers.AuditQuery) (events []tool.AuditEvent, last uint64, err error)
}

// storedLog is the log of a tenant in a store, which reading it does not change.
type storedLog struct {
	shelf  *tiers.Shelf
	tenant string
}

// Audit implements auditLog.
func (l storedLog) Audit(ctx context.Context, q tiers.AuditQuery) (events []tool.AuditEvent, last uint64, err error) {
	events, err = l.shelf.Audit(ctx, l.tenant, q)
	if err != nil || len(events) == 0 {
		return nil, 0, err
	}
	if q.Newest {
		return events, events[0].Sequence, nil
	}
	return events, events[len(events)-1].Sequence, nil
}

// readAudit reads the log of a tenant, or that of a host elsewhere.
func (f *face) readAudit(ctx context.Context, place dataFlags, tenant string, read func(auditLog) error) error {
	if place.server != "" {
		return f.atServer(ctx, place, cliSession, func(d desk.Desk) error { return read(d) })
	}
	return f.readLog(ctx, place, func(shelf *tiers.Shelf) error { return read(storedLog{shelf, tenant}) })
}

func eventTime(e tool.AuditEvent) string {
	at := tool.At(time.UnixMilli(e.Timestamp))
	return moment(&at)
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func (f *face) auditShowCommand(place *dataFlags) *cobra.Command {
	tenant := localTenant
	cmd := canBeElsewhere(&cobra.Command{
		Use:     "show ID|NUMBER",
		Short:   "Show one entry, all of it",
		Long:    "Shows one entry of the log by its id or its number.",
		Example: f.examples("host audit show 1", "host audit show 1 --output json"),
		Args:    exactly("one entry, by id or number"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.failed(f.readAudit(cmd.Context(), *place, tenant, func(log auditLog) error {
				e, err := entry(cmd.Context(), log, args[0])
				if err == nil {
					f.showEvent(e)
				}
				return err
			}))
		},
	})
	registerTenant(cmd.Flags(), &tenant)
	return cmd
}

// entry returns the entry that has a number or an id.
func entry(ctx context.Context, log auditLog, which string) (found tool.AuditEvent, err error) {
	query := tiers.AuditQuery{Limit: maxTail}
	if n, err := strconv.ParseUint(which, 10, 64); err == nil && n > 0 {
		query.After, query.Limit = n-1, 1
	}
	missing := &tool.Error{Code: tool.NotFound, Message: "there is no audit entry " + tool.Quote(which), Hint: "audit tail lists the last ones"}
	for {
		page, last, err := log.Audit(ctx, query)
		if err != nil {
			return found, err
		}
		for _, e := range page {
			if e.ID == which || strconv.FormatUint(e.Sequence, 10) == which {
				return e, nil
			}
		}
		if last == 0 || query.Limit == 1 {
			return found, missing
		}
		query.After = last
	}
}

func (f *face) showEvent(e tool.AuditEvent) {
	if f.format == asJSON {
		f.printJSON(e)
		return
	}
	for _, fact := range [][2]string{
		{"entry", strconv.FormatUint(e.Sequence, 10)},
		{"id", e.ID},
		{"time", eventTime(e)},
		{"type", string(e.EventType)},
		{"tool", orDash(e.ToolID)},
		{"actor", e.Actor},
		{"caller", e.Tenant + "/" + e.PersonaID + "/" + e.SessionID},
		{"previous", orDash(e.Previous)},
		{"hash", e.Hash},
	} {
		f.printf("%-9s %s\n", fact[0], escape(fact[1]))
	}
	if e.Data != nil {
		f.showBlock("data", indentedJSON(e.Data))
	}
}

func (f *face) auditExportCommand(place *dataFlags) *cobra.Command {
	var out string
	var force bool
	cmd := canBeElsewhere(&cobra.Command{
		Use:   "export",
		Short: "Write the whole log as JSON lines",
		Long: "Writes the log of every tenant from its first entry, one JSON object in each line, to standard output or a file. The file is\n" +
			"written whole or not at all, readable by the user alone. With --server it is the log of the key's tenant, and an administrator's.",
		Example: f.examples("host audit export", "host audit export | wc -l"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.failed(f.exportWhere(cmd.Context(), *place, func(write func(io.Writer) error) error { return f.export(out, force, write) }))
		},
	})
	cmd.Flags().StringVar(&out, "out", stdin, "`FILE` to write; - is standard output")
	cmd.Flags().BoolVar(&force, "force", false, "replace a file that is there")
	return cmd
}

// exportReport is the JSON form of an export to a file.
type exportReport struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
}

// exportWhere exports the logs of a data directory, or that of the key's tenant at a host elsewhere.
func (f *face) exportWhere(ctx context.Context, place dataFlags, export func(write func(io.Writer) error) error) error {
	if place.server != "" {
		return f.atClient(ctx, place, cliSession, func(c *remote.Client) error {
			who, err := c.Caller(ctx)
			if err == nil {
				err = who.Scopes.Require(tool.ScopeAdmin) // others do not see the whole log
			}
			if err != nil {
				return err
			}
			return export(func(to io.Writer) error { return exportPages(ctx, c, to) })
		})
	}
	return f.readLog(ctx, place, func(shelf *tiers.Shelf) error {
		tenants, err := shelf.Tenants(ctx)
		if err != nil {
			return err
		}
		return export(func(to io.Writer) error {
			for _, tenant := range tenants {
				if err := shelf.Export(ctx, tenant, to); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// exportPages writes what tiers.Shelf.Export does of a log that is read in parts.
func exportPages(ctx context.Context, log auditLog, to io.Writer) error {
	query := tiers.AuditQuery{Limit: maxTail}
	for {
		page, last, err := log.Audit(ctx, query)
		if err != nil || last == 0 {
			return err
		}
		for _, e := range page {
			line, err := tool.Canonical(e)
			if err != nil {
				return err
			}
			if _, err := to.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		query.After = last
	}
}

// export writes an export to standard output or a file.
func (f *face) export(out string, force bool, write func(io.Writer) error) error {
	if out == stdin {
		if err := write(&escapingWriter{f.out}); f.out.err == nil {
			return err
		}
		return nil // nobody reads on, which Main tells
	}
	n, err := writeWhole(out, force, write)
	if err != nil {
		return err
	}
	if f.format == asJSON {
		f.printJSON(exportReport{out, n})
		return nil
	}
	f.printf("%s\n", escape(fmt.Sprintf("%s holds the whole log, %s", out, size(n))))
	return nil
}

// escapingWriter spells what a terminal would act on in lines of JSON as JSON may.
type escapingWriter struct{ to io.Writer }

// Write takes whole lines.
func (w *escapingWriter) Write(line []byte) (int, error) {
	if _, err := w.to.Write(escapeJSON(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}
