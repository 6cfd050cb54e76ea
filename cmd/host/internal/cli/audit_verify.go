package cli

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

func (f *face) auditVerifyCommand(place *dataFlags) *cobra.Command {
	var head string
	cmd := &cobra.Command{
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
	}
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
	err := f.readLog(ctx, place, func(shelf *tiers.Shelf) error {
		tenants, err := shelf.Audited(ctx)
		if err != nil {
			return err
		}
		for _, tenant := range tenants {
			chain, broken := shelf.Verify(ctx, tenant)
			report.Chains = append(report.Chains, chainReport{tenant, broken == nil, chain, tool.AsError(broken)})
			err = errors.Join(err, broken)
		}
		if err == nil && head != "" {
			err = expect(ctx, shelf, tenants, head)
		}
		return err
	})
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

// expect returns nil when some tenant's log holds an entry that has a hash.
func expect(ctx context.Context, shelf *tiers.Shelf, tenants []string, head string) error {
	for _, tenant := range tenants {
		query := tiers.AuditQuery{Limit: maxTail}
		for {
			page, err := shelf.Audit(ctx, tenant, query)
			if err != nil {
				return err
			}
			for _, e := range page {
				if e.Hash == head {
					return nil
				}
			}
			if len(page) < maxTail {
				break
			}
			query.After = page[len(page)-1].Sequence
		}
	}
	return &tool.Error{
		Code: tool.Internal, Message: "no log holds the expected entry " + head + ": it was cut off, or written anew",
		Hint: "compare with a backup or an export from before",
	}
}
