package cli

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/cmd/host/internal/remote"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

func (f *face) auditVerifyCommand(place *dataFlags) *cobra.Command {
	var head string
	cmd := canBeElsewhere(&cobra.Command{
		Use:   "verify",
		Short: "Check that no entry was changed or removed",
		Long: "Computes the chain of every tenant anew, and prints how many entries it has and the hash of the last one, its head. The first\n" +
			"entry that is broken is named, and the exit status is then 1. A head that was kept elsewhere shows more: with --expect the log\n" +
			"must still hold that very entry, so that nothing before it was written anew. How far the logs had come when the data directory was\n" +
			"last closed is remembered beside the store, so that a log that was cut off shows.",
		Example: f.examples(
			"host audit verify",
			`host audit verify --expect "$(host audit verify | head -n 1 | cut -d ' ' -f 5)"`,
		),
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if raw, err := hex.DecodeString(head); head != "" && (err != nil || len(raw) != headBytes) {
				return fmt.Errorf("a head is %d hexadecimal digits, as verify prints it", 2*headBytes)
			}
			return f.verify(cmd.Context(), *place, strings.ToLower(head))
		},
	})
	cmd.Flags().StringVar(&head, "expect", "", "`HEAD` that was kept elsewhere, and that the log must still hold")
	return cmd
}

const headBytes = 32 // of a SHA-256

// chainReport is what became of checking a tenant's chain.
type chainReport struct {
	Tenant string `json:"tenant"`
	OK     bool   `json:"ok"`
	tiers.Chain
	Error *tool.Error `json:"error,omitempty"`
}

// verifyReport is the JSON form of checking all chains.
type verifyReport struct {
	OK     bool          `json:"ok"`
	Chains []chainReport `json:"chains"`
	Error  *tool.Error   `json:"error,omitempty"`
}

func (f *face) verify(ctx context.Context, place dataFlags, head string) error {
	report := verifyReport{Chains: []chainReport{}}
	err := f.verifyWhere(ctx, place, &report, head)
	report.OK, report.Error = err == nil, tool.AsError(err)
	if f.format == asJSON {
		f.printJSON(report)
		if err != nil {
			return done(report.Error.Code.ExitStatus())
		}
		return nil
	}
	if err == nil && len(report.Chains) == 0 {
		f.sayf("no entries")
	}
	for _, c := range report.Chains {
		if c.OK {
			f.printf("%s %d entries, head %s\n", escape(c.Tenant), c.Entries, c.Head)
		} else {
			f.printf("%s BROKEN: %s\n", escape(c.Tenant), escape(c.Error.Message))
		}
	}
	return err
}

// verifyWhere checks the chains of a data directory, or that of the key's tenant at a host elsewhere.
func (f *face) verifyWhere(ctx context.Context, place dataFlags, report *verifyReport, head string) error {
	if place.server != "" {
		return f.atClient(ctx, place, cliSession, func(c *remote.Client) error {
			who, err := c.Caller(ctx)
			if err == nil {
				err = report.add(who.Tenant, func() (tiers.Chain, error) { return c.VerifyAudit(ctx) })
			}
			if err == nil && head != "" {
				err = expect(ctx, []auditLog{c}, head)
			}
			return err
		})
	}
	return f.readLog(ctx, place, func(shelf *tiers.Shelf) error {
		tenants, err := shelf.Audited(ctx)
		if err != nil {
			return err
		}
		var logs []auditLog
		for _, tenant := range tenants {
			err = errors.Join(err, report.add(tenant, func() (tiers.Chain, error) { return shelf.Verify(ctx, tenant) }))
			logs = append(logs, storedLog{shelf, tenant})
		}
		if err == nil && head != "" {
			err = expect(ctx, logs, head)
		}
		return err
	})
}

// add checks the chain of a tenant. The error is what is broken.
func (r *verifyReport) add(tenant string, verify func() (tiers.Chain, error)) error {
	chain, broken := verify()
	if broken != nil && !errors.Is(broken, tool.Internal) {
		return broken // it could not be checked
	}
	r.Chains = append(r.Chains, chainReport{tenant, broken == nil, chain, tool.AsError(broken)})
	return broken
}

// expect returns nil when some log holds an entry that has a hash.
func expect(ctx context.Context, logs []auditLog, head string) error {
	for _, log := range logs {
		query := tiers.AuditQuery{Limit: maxTail}
		for {
			page, last, err := log.Audit(ctx, query)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(page, func(e tool.AuditEvent) bool { return e.Hash == head }) {
				return nil
			}
			if last == 0 {
				break
			}
			query.After = last
		}
	}
	return &tool.Error{
		Code: tool.Internal, Message: "no log holds the expected entry " + head + ": it was cut off, or written anew",
		Hint: "compare with a backup or an export from before",
	}
}
