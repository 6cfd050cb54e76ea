package measures

import (
	"context"
	"errors"
	"os"

	"example.com/toolsmith/bench/report"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// auditAppend measures one entry of the audit log, which is on disk before Log returns.
func auditAppend(ctx context.Context, s *Session) (results []report.Result, err error) {
	dir, err := os.MkdirTemp("", "toolsmith-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	shelf, err := tiers.Open(ctx, dir, tiers.StoreOptions{}, tiers.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, shelf.Close()) }()
	by := tool.Actor{Caller: tool.Caller{Tenant: "acme", Persona: "ann", Session: "1"}}
	samples, err := s.sample(ctx, s.budget(), func() error {
		return shelf.Log(ctx, by, "", tool.ForgeRejected, map[string]any{"stage": "tests", "reason": "a test case failed"})
	})
	if err != nil {
		return nil, err
	}
	return []report.Result{{Measure: s.now.Name, Unit: report.Nanoseconds, Ours: report.Describe(samples)}}, nil
}
