package mcp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"example.com/toolsmith/cmd/host/internal/mcp"
	"example.com/toolsmith/runtime/tool"
)

// offered is an answer that says what there is.
type offered struct {
	Instructions string
	TTLMs        int
	CacheScope   string
	Capabilities struct {
		Completions *struct{}
		Tools       struct{ ListChanged bool }
	}
	Tools []struct {
		Name, Title, Description string
		Annotations              struct {
			ReadOnlyHint, DestructiveHint, OpenWorldHint *bool
		}
	}
	Prompts, Resources, ResourceTemplates []struct{ Name, Title, Description string }
}

func offers(t *testing.T, m message) (o offered) {
	t.Helper()
	if err := json.Unmarshal(m.Result, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// Clients are told what a tool may do: what only looks, and what may reach out by what it calls.
func TestToolsSayWhatTheyMayDo(t *testing.T) {
	t.Parallel()
	s := &siege{world: open(t, setting{face: func(o *mcp.Options) { o.Publish = tool.AgentTier }}), peers: map[string]*web{}}
	s.url = s.serve()
	p := s.overHTTP(s.url, current, "acme/ann", nil)
	s.keep(p, nil)
	fetch, _ := stepArguments("fetch", "").(map[string]any)
	s.keep(p, fetch)
	s.waitFor(t, p, "fetch_title")
	looks := []string{"search_tools", "describe_tool", "list_my_tools", "audit_log", "add_numbers"}
	reaches := []string{"call_tool", "fetch_title"}
	o := offers(t, p.call("tools/list", map[string]any{}))
	if len(o.Tools) != 9 {
		t.Errorf("%d tools", len(o.Tools))
	}
	for _, c := range o.Tools {
		a := c.Annotations
		open := slices.Contains(reaches, c.Name)
		if c.Title == "" || c.Description == "" || a.ReadOnlyHint == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil {
			t.Errorf("%+v", c)
		} else if *a.ReadOnlyHint != slices.Contains(looks, c.Name) || *a.DestructiveHint != open || *a.OpenWorldHint != open {
			t.Errorf("%s: read-only %t, destructive %t, open %t", c.Name, *a.ReadOnlyHint, *a.DestructiveHint, *a.OpenWorldHint)
		}
	}
	if o.TTLMs != 0 || o.CacheScope != "private" {
		t.Errorf("a list that follows promotion may be kept for %d ms, %s", o.TTLMs, o.CacheScope)
	}
}

// What is the same for as long as the host runs may be kept for a while, by its reader alone; everything has a title.
func TestListsMayBeKept(t *testing.T) {
	t.Parallel()
	w := open(t, setting{})
	p := w.overHTTP(w.serve(), current, "acme/ann", nil)
	for _, method := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list", "server/discover"} {
		o := offers(t, p.call(method, map[string]any{}))
		if o.TTLMs != 300_000 || o.CacheScope != "private" {
			t.Errorf("%s may be kept for %d ms, %s", method, o.TTLMs, o.CacheScope)
		}
		for _, c := range slices.Concat(o.Prompts, o.Resources, o.ResourceTemplates) {
			if c.Title == "" || c.Description == "" {
				t.Errorf("%s: %+v", method, c)
			}
		}
		if method == "server/discover" && (!strings.Contains(o.Instructions, "search_tools") || o.Capabilities.Completions == nil || o.Capabilities.Tools.ListChanged) {
			t.Errorf("%+v", o)
		}
	}
	if o := offers(t, p.call("resources/read", map[string]any{"uri": "toolsmith://audit"})); o.TTLMs != 0 || o.CacheScope != "private" {
		t.Errorf("the log may be kept for %d ms, %s", o.TTLMs, o.CacheScope)
	}
}

// Addresses of sources and verdicts are completed: with the tools that the caller sees, by handle or name.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, version := range []string{current, "2025-11-25", "2024-11-05"} {
		w := open(t, setting{})
		url := w.serve()
		p, other := w.overHTTP(url, version, "acme/ann", nil), w.overHTTP(url, version, "globex/bob", nil)
		add, sub := forgeOK(t, p, nil), forgeOK(t, p, map[string]any{"name": "sub_numbers", "description": "Adds numbers, too."})
		for _, c := range []struct {
			who            peer
			of, name, so   string
			want, wantElse string
		}{
			{p, "toolsmith://tools/{+handle}/source", "handle", "add", add, ""},
			{p, "toolsmith://tools/{+handle}/verdicts", "handle", sub[:len(sub)-1], sub, ""},
			{p, "toolsmith://tools/{+handle}/verdicts", "handle", "", add, sub},
			{p, "toolsmith://tools/{+handle}/verdicts", "handle", "nothing", "", ""},
			{p, "toolsmith://audit{?after}", "after", "", "", ""},
			{p, "toolsmith://results/{id}/{part}", "id", "", "", ""},
			{p, "write_forge_request", "task", "", "", ""},
			{other, "toolsmith://tools/{+handle}/source", "handle", "", "", ""},
		} {
			ref := map[string]any{"type": "ref/resource", "uri": c.of}
			if !strings.Contains(c.of, "://") {
				ref = map[string]any{"type": "ref/prompt", "name": c.of}
			}
			m := c.who.call("completion/complete", map[string]any{"ref": ref, "argument": map[string]any{"name": c.name, "value": c.so}})
			var r struct {
				Completion struct {
					Values []string
					Total  int
				}
			}
			if err := json.Unmarshal(m.Result, &r); err != nil || r.Completion.Values == nil {
				t.Fatalf("%s: %+v, %v", version, m, err)
			}
			var want []string
			for _, w := range []string{c.want, c.wantElse} {
				if w != "" {
					want = append(want, w)
				}
			}
			slices.Sort(want)
			if got := slices.Sorted(slices.Values(r.Completion.Values)); !slices.Equal(got, want) || r.Completion.Total != len(want) {
				t.Errorf("%s: %q of %s, %s: %v, want %v", version, c.so, c.of, c.name, got, want)
			}
		}
	}
}
