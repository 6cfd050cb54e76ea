package tiers_test

import (
	"context"
	"fmt"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

func Example() {
	ctx := context.Background()
	shelf, err := tiers.Open(ctx, "", tiers.StoreOptions{}, tiers.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer shelf.Close()

	ann := tool.Actor{Caller: tool.Caller{Tenant: "local", Persona: "ann", Session: "cli"}}
	made, err := shelf.Put(ctx, ann, tool.Draft{
		Name:           "double",
		Implementation: tool.Implementation{Mode: tool.SandboxMode, Code: "function execute(i) { return 2 * i.n }"},
		InputSchema:    []byte(`{"type":"object"}`),
		Verdict:        tool.CreationVerdict{Approved: true, Confidence: 0.9},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(made.Name, made.Version, made.Tier)

	risen, err := shelf.Promote(ctx, ann, made.ID, tool.Promotion{To: tool.AgentTier, ApprovedBy: "eve"})
	if err != nil {
		fmt.Println(err)
		return
	}
	chain, err := shelf.Verify(ctx, "local")
	fmt.Println(risen.Tier, chain.Entries, err)
	// Output:
	// double 1 session
	// agent 2 <nil>
}
