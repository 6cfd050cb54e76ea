package main

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// openShelf opens the shelf in $TOOLSMITH_DATA, as a program of its own would.
func openShelf(ts *testscript.TestScript) *tiers.Shelf {
	shelf, err := tiers.Open(context.Background(), ts.Getenv("TOOLSMITH_DATA"), tiers.StoreOptions{}, tiers.Options{TendEvery: -1})
	ts.Check(err)
	return shelf
}

// shelve NAME CODE [TIER [PERSONA/SESSION]] puts a tool on the shelf in $TOOLSMITH_DATA, approved, and its id into $ID. Its
// session is that of the command line unless named. A name that is there gets a next version.
func shelve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 4 {
		ts.Fatalf("usage: shelve NAME CODE [TIER [PERSONA/SESSION]]")
	}
	tier, who := tool.SessionTier, "local/cli"
	if len(args) > 2 {
		tier = tool.Tier(args[2])
	}
	if len(args) > 3 {
		who = args[3]
	}
	persona, session, _ := strings.Cut(who, "/")
	by := tool.Actor{Caller: tool.Caller{Tenant: "local", Persona: persona, Session: session}}
	shelf := openShelf(ts)
	defer func() { ts.Check(shelf.Close()) }()
	ctx := context.Background()
	r, err := shelf.Put(ctx, by, tool.Draft{
		Name: args[0], Description: "Says what\x1b[2J it says.", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"string"}`),
		Implementation: tool.Implementation{Mode: tool.SandboxMode, Code: args[1], Allowlist: []string{"crypto"}, TimeoutMs: 200},
		TestCases:      []tool.TestCase{{Input: []byte(`{"n": 1}`), ExpectedOutput: []byte(`"one"`)}},
		Verdict: tool.CreationVerdict{
			Approved: true, Confidence: 0.9, Safety: 1, Correctness: 1, Determinism: 1, Bounded: 1, Reasoning: "harmless",
			JudgeModel: "human:grace", At: tool.At(time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)),
		},
	})
	ts.Check(err)
	verdict := tool.PromotionVerdict{Approved: true, Confidence: 0.9}
	for _, to := range []tool.Tier{tool.AgentTier, tool.SharedTier} {
		if to.Rank() <= tier.Rank() {
			r, err = shelf.Promote(ctx, by, r.ID, tool.Promotion{To: to, ApprovedBy: "grace", Verdict: &verdict})
			ts.Check(err)
		}
	}
	ts.Setenv("ID", r.ID)
}

// used NAME ok|failed counts a use of the command line's tool.
func used(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: used NAME ok|failed")
	}
	shelf := openShelf(ts)
	defer func() { ts.Check(shelf.Close()) }()
	r, err := shelf.Find(context.Background(), tool.Caller{Tenant: "local", Persona: "local", Session: "cli"}, args[0])
	ts.Check(err)
	ts.Check(shelf.RecordUse(context.Background(), "local", r.ID, tool.Use{Success: args[1] == "ok", Duration: time.Millisecond, At: time.Now()}))
}

// tamper FROM TO changes text in all that the store in $TOOLSMITH_DATA keeps of the audit log, behind the back of the shelf.
func tamper(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tamper FROM TO")
	}
	shelf := openShelf(ts)
	defer func() { ts.Check(shelf.Close()) }()
	changed := 0
	ts.Check(shelf.Store().Update(context.Background(), func(txn tiers.Txn) error {
		found := map[string][]byte{}
		err := txn.Scan(tiers.Range{Prefix: []byte("agentos_emergent_audit_log")}, func(key, value []byte) (bool, error) {
			if bytes.Contains(value, []byte(args[0])) {
				found[string(key)] = bytes.ReplaceAll(value, []byte(args[0]), []byte(args[1]))
			}
			return true, nil
		})
		for key, value := range found {
			changed++
			if err := txn.Set([]byte(key), value); err != nil {
				return err
			}
		}
		return err
	}))
	if changed == 0 {
		ts.Fatalf("no entry holds %q", args[0])
	}
}
