package mcp

import (
	"context"
	"encoding/json"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime/tool"
)

// searchTool finds tools by words.
func searchTool() *metaTool {
	return &metaTool{
		name: "search_tools", title: "Search tools", readOnly: true,
		description: `Find tools that you can call, by what they do: forged ones and those of the host. Do this before you forge. ` +
			`Take the handle of a result to describe_tool, which has its schemas, and to call_tool. No result fits: forge_tool makes one.`,
		schema: `{"type":"object","additionalProperties":false,"required":["query"],"properties":{` +
			`"query":{"type":"string","minLength":1,"maxLength":1000,"description":"What the tool should do, in a few words."},` +
			`"limit":{"type":"integer","minimum":1,"maximum":50,"description":"At most so many; 10 unless given."}}}`,
		run: runSearch,
	}
}

// found is a tool that a search found.
type found struct {
	Handle      string    `json:"handle"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Tier        tool.Tier `json:"tier,omitempty"`
	Score       float64   `json:"score"`
}

func runSearch(ctx context.Context, c *call) (any, error) {
	var ask struct {
		Query string `json:"query"`
		Limit int    `json:"limit"`
	}
	if err := c.arguments(&ask); err != nil {
		return nil, err
	}
	hits, err := c.desk.Search(ctx, ask.Query, ask.Limit)
	if err != nil {
		return nil, err
	}
	list := make([]found, 0, len(hits))
	for _, h := range hits {
		list = append(list, found{handle(h.Face), h.Name, h.Description, h.Tier, h.Score})
	}
	next := "describe_tool tells what a tool takes, call_tool calls it"
	if len(list) == 0 {
		next = "nothing fits; forge_tool makes a new tool"
	}
	return map[string]any{"tools": list, "next": next}, nil
}

// describeTool tells all of one tool.
func describeTool() *metaTool {
	return &metaTool{
		name: "describe_tool", title: "Describe a tool", readOnly: true,
		description: `What a tool does, takes and returns: its description, JSON Schemas, tier and version. Read it before the first call of a tool.`,
		schema:      `{"type":"object","additionalProperties":false,"required":["tool"],"properties":{"tool":` + toolArgument + `}}`,
		run:         runDescribe,
	}
}

// described is what a caller is told of a tool.
type described struct {
	Handle       string          `json:"handle"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Tier         tool.Tier       `json:"tier,omitempty"`
	Version      int             `json:"version,omitempty"`
	Mode         tool.Mode       `json:"mode,omitempty"`
	SideEffects  bool            `json:"sideEffects"`
	Source       string          `json:"source,omitempty"`
	Verdicts     string          `json:"verdicts,omitempty"`
}

func runDescribe(ctx context.Context, c *call) (any, error) {
	var ask struct {
		Tool string `json:"tool"`
	}
	if err := c.arguments(&ask); err != nil {
		return nil, err
	}
	f, err := c.resolve(ctx, ask.Tool)
	if err != nil {
		return nil, err
	}
	d := described{
		Handle: handle(f), Name: f.Name, Description: f.Description, InputSchema: f.InputSchema, OutputSchema: f.OutputSchema,
		Tier: f.Tier, Version: f.Version, Mode: f.Mode, SideEffects: f.SideEffects,
	}
	if f.ID != "" {
		d.Source, d.Verdicts = sourceURI(f.ID), verdictsURI(f.ID)
	}
	return d, nil
}

// listTool lists what was forged.
func listTool() *metaTool {
	return &metaTool{
		name: "list_my_tools", title: "List my tools", readOnly: true,
		description: `The forged tools that you can see, with handles, tiers and how they have fared: those of this session, those of yours that were ` +
			`promoted (tier agent), and those shared with everybody (tier shared). The tools of the host are found with search_tools.`,
		schema: `{"type":"object","additionalProperties":false,"properties":{"tier":{"enum":["session","agent","shared"],"description":"Only those of a tier."},` +
			`"after":{"type":"integer","minimum":0,"maximum":1000000,"description":"How many to leave out, to read on."}}}`,
		run: runList,
	}
}

// listed is a forged tool in a list.
type listed struct {
	Handle      string    `json:"handle"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Version     int       `json:"version"`
	Tier        tool.Tier `json:"tier"`
	By          string    `json:"by"`
	Callable    bool      `json:"callable"`
	Why         string    `json:"why,omitempty"` // it cannot be called
	Uses        int       `json:"uses"`
	Confidence  float64   `json:"confidence"`
}

// maxListed bounds a page of tools.
const maxListed = 100

func runList(ctx context.Context, c *call) (any, error) {
	var ask struct {
		Tier  string `json:"tier"`
		After int    `json:"after"`
	}
	if err := c.arguments(&ask); err != nil {
		return nil, err
	}
	records, err := c.desk.List(ctx, desk.ListQuery{Tier: tool.Tier(ask.Tier)})
	if err != nil {
		return nil, err
	}
	from := min(ask.After, len(records))
	to := min(from+maxListed, len(records))
	list := make([]listed, 0, to-from)
	for _, r := range records[from:to] {
		row := listed{r.ID, r.Name, r.Description, r.Version, r.Tier, r.CreatedBy, true, "", r.UsageStats.TotalUses, r.UsageStats.ConfidenceScore}
		if err := r.Callable(); err != nil {
			row.Callable, row.Why = false, tool.AsError(err).Message
		}
		list = append(list, row)
	}
	out := map[string]any{"tools": list, "total": len(records)}
	if to < len(records) {
		out["next"] = map[string]any{"after": to}
	}
	return out, nil
}
