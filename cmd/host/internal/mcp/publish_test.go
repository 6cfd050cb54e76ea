package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/cmd/host/internal/mcp"
	"example.com/toolsmith/runtime/tool"
)

func TestPublishing(t *testing.T) {
	t.Parallel()
	s := &siege{world: open(t, setting{face: func(o *mcp.Options) { o.Publish = tool.AgentTier }}), peers: map[string]*web{}}
	s.url = s.serve()
	listens := s.overStdio("2025-06-18", mcp.Local{Principal: principal("acme", "ann")}, nil)
	fixed := string(names(t, listens.call("tools/list", map[string]any{})).Result)
	ann, ben, bob := s.overHTTP(s.url, current, "acme/ann", nil), s.overHTTP(s.url, "2025-11-25", "acme/ben", nil), s.overHTTP(s.url, current, "globex/bob", nil)
	list := func(p peer) string { return string(names(t, p.call("tools/list", map[string]any{})).Result) }
	list(ann)
	handle := forgeOK(t, ann, nil)
	if got := list(ann); got != fixed {
		t.Errorf("forging changes the list: %s", got)
	}
	if r := use(t, ann, "promote_tool", map[string]any{"tool": handle, "to": "agent"}); r.IsError {
		t.Fatalf("%+v", r)
	}
	s.waitFor(t, ann, "add_numbers")
	s.waitFor(t, listens, "add_numbers")
	until(t, "the notice of the change", func() bool { list(listens); return told(listens, "notifications/tools/list_changed") })
	for who, p := range map[string]peer{"another persona": ben, "another tenant": bob} {
		if got := list(p); got != fixed {
			t.Errorf("%s sees %s", who, got)
		}
		if m := p.call("tools/call", map[string]any{"name": "add_numbers", "arguments": map[string]int{"a": 1, "b": 2}}); m.Error == nil {
			t.Errorf("%s calls it: %s", who, m.Result)
		}
	}
	if r := use(t, ann, "add_numbers", map[string]int{"a": 1, "b": 2}); string(r.Structured) != `{"sum":3}` {
		t.Errorf("%+v", r)
	}
	if r := use(t, ann, "add_numbers", map[string]any{"a": "1"}); r.Error.Code != "invalid_input" {
		t.Errorf("%+v", r)
	}
	d, err := s.desk(t.Context(), principal("acme", "ann"), "s")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Demote(t.Context(), handle, "for a test"); err != nil {
		t.Fatal(err)
	}
	until(t, "the end of what is published", func() bool {
		got := list(ann)
		if strings.Count(got, "add_numbers") > 1 {
			t.Fatal(got)
		}
		return got == fixed
	})
}

// What was missed while the store changed hands is looked at anew, and what could not be told is told to whoever asks next.
func TestPublishingCatchesUp(t *testing.T) {
	t.Parallel()
	deaf := func(o *toolsmith.Options) { o.OnAudit = nil }
	var down atomic.Bool
	refused := make(chan struct{}, 1)
	s := &siege{world: open(t, setting{host: deaf, face: func(o *mcp.Options) {
		up := o.Desk
		o.Publish = tool.AgentTier
		o.Desk = func(ctx context.Context, p tool.Principal, session string) (desk.Desk, error) {
			if down.Load() {
				refused <- struct{}{}
				return nil, tool.Errorf(tool.Unavailable, "the store was lost again and again")
			}
			return up(ctx, p, session)
		}
	}}), peers: map[string]*web{}}
	s.url = s.serve()
	p := s.overHTTP(s.url, current, "acme/ann", nil)
	fixed := string(names(t, p.call("tools/list", map[string]any{})).Result)
	handle := forgeOK(t, p, nil)
	if r := use(t, p, "promote_tool", map[string]any{"tool": handle, "to": "agent"}); r.IsError {
		t.Fatalf("%+v", r)
	}
	if got := string(names(t, p.call("tools/list", map[string]any{})).Result); got != fixed {
		t.Fatalf("nobody told of the change: %s", got)
	}
	s.face.Lost()
	s.waitFor(t, p, "add_numbers")

	d, err := s.desk(t.Context(), principal("acme", "ann"), "s")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Demote(t.Context(), handle, "for a test"); err != nil {
		t.Fatal(err)
	}
	down.Store(true)
	if got := string(names(t, p.call("tools/list", map[string]any{})).Result); !strings.Contains(got, "add_numbers") {
		t.Fatalf("nobody told of the change: %s", got)
	}
	s.face.Lost()
	receive(t, refused, "the look for what is published")
	down.Store(false)
	if got := string(names(t, p.call("tools/list", map[string]any{})).Result); got != fixed {
		t.Errorf("what could not be looked at is not looked at again: %s", got)
	}
}

// A look that the end of the client or of the face cuts short is waited for, and complains to nobody.
func TestPublishingEnds(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var slow atomic.Bool
	looks := make(chan struct{}, 1)
	var left atomic.Int32
	s := &siege{world: open(t, setting{face: func(o *mcp.Options) {
		up := o.Desk
		o.Publish, o.Logger = tool.AgentTier, slog.New(slog.NewTextHandler(&log, nil))
		o.Desk = func(ctx context.Context, p tool.Principal, session string) (desk.Desk, error) {
			if !slow.Load() {
				return up(ctx, p, session)
			}
			looks <- struct{}{}
			<-ctx.Done()
			left.Add(1)
			return nil, tool.Errorf(tool.Unavailable, "the host is closed")
		}
	}}), peers: map[string]*web{}}
	s.url = s.serve()
	local := s.overStdio("2025-06-18", mcp.Local{Principal: principal("acme", "ann"), Session: "own"}, nil)
	local.call("tools/list", map[string]any{})
	remote := s.overHTTP(s.url, current, "globex/bob", nil)
	remote.call("tools/list", map[string]any{})
	slow.Store(true)
	s.face.Changed("acme")
	receive(t, looks, "the look for the client over standard input")
	_ = local.in.Close()
	until(t, "the end of that look", func() bool { return left.Load() == 1 })
	s.face.Changed("globex")
	receive(t, looks, "the look for the client over HTTP")
	s.face.Close()
	if left.Load() != 2 || log.Len() > 0 {
		t.Errorf("%d looks have ended, and %q was said", left.Load(), log.String())
	}
	s.face.Changed("globex") // nothing looks any more
}

// Nobody complains when a client leaves while it is looked what is to be published, and who lists tools next looks again; nobody
// waits for a look that follows a change.
func TestWhoWaitsForALook(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var slow atomic.Bool
	looks := make(chan struct{}, 1)
	s := &siege{world: open(t, setting{face: func(o *mcp.Options) {
		up := o.Desk
		o.Publish, o.Logger = tool.AgentTier, slog.New(slog.NewTextHandler(&log, nil))
		o.Desk = func(ctx context.Context, p tool.Principal, session string) (desk.Desk, error) {
			if slow.Load() && session == "mcp-ann-key" {
				looks <- struct{}{}
				<-ctx.Done()
				return nil, tool.AsError(ctx.Err())
			}
			return up(ctx, p, session)
		}
	}}), peers: map[string]*web{}}
	s.url = s.serve()
	p := s.overHTTP(s.url, current, "acme/ann", nil)
	slow.Store(true)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() { defer close(left); p.ask(ctx, "tools/list", map[string]any{}) }()
	receive(t, looks, "the first look")
	leave()
	receive(t, left, "the end of the client's request")
	slow.Store(false)
	old := s.overHTTP(s.url, "2025-06-18", "acme/ann", nil)
	names(t, old.call("tools/list", map[string]any{}))
	slow.Store(true)
	s.face.Changed("acme")
	receive(t, looks, "the look after the change")
	use(t, old, "list_my_tools", map[string]any{})
	s.face.Close()
	if log.Len() > 0 {
		t.Errorf("%s", log.String())
	}
}

func told(p peer, method string) bool {
	for _, m := range p.seen() {
		if m.Method == method {
			return true
		}
	}
	return false
}

// What some clients choke on does not reach the list.
func TestWhatIsPublishedIsDigestible(t *testing.T) {
	t.Parallel()
	s := &siege{world: open(t, setting{face: func(o *mcp.Options) { o.Publish = tool.AgentTier }}), peers: map[string]*web{}}
	s.url = s.serve()
	p := s.overHTTP(s.url, current, "acme/ann", nil)
	echo := sandbox("function execute(input) { return { v: input.v }; }")
	forge := func(name, input, output string) {
		t.Helper()
		s.keep(p, map[string]any{
			"name": name, "description": "Gives back v, for " + name + ".", "implementation": echo, "inputSchema": json.RawMessage(input), "outputSchema": json.RawMessage(output),
			"testCases": cases(`{"v":"a"}`, `{"v":"a"}`, `{"v":"b"}`, `{"v":"b"}`),
		})
	}
	const plain = `{"type":"object","properties":{"v":{"type":"string"}},"required":["v"]}`
	forge("plain_echo", plain, plain)
	forge("by_reference", `{"type":"object","properties":{"v":{"$ref":"#/$defs/text"}},"$defs":{"text":{"type":"string","maxLength":9}}}`, plain)
	forge("any_output", plain, `{"type":["object","null"],"properties":{"v":true}}`)
	forge("boolean_property", `{"type":"object","properties":{"v":{"type":"string"},"w":true}}`, plain)
	forge("a_name_that_is_longer_than_the_sixty_four_characters_which_clients_take", plain, plain)
	s.waitFor(t, p, "boolean_property")
	var r struct {
		Tools []struct {
			Name         string
			InputSchema  json.RawMessage
			OutputSchema json.RawMessage
		}
	}
	if err := json.Unmarshal(p.call("tools/list", map[string]any{}).Result, &r); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, tool := range r.Tools {
		got[tool.Name] = string(tool.InputSchema) + string(tool.OutputSchema)
	}
	for _, name := range []string{"a_name_that_is_longer_than_the_sixty_four_characters_which_clients_take"} {
		if got[name] != "" {
			t.Errorf("%s is published", name)
		}
	}
	for name, without := range map[string]string{"by_reference": "$ref", "any_output": "null", "boolean_property": "true"} {
		if got[name] == "" || strings.Contains(got[name], without) {
			t.Errorf("%s: %s", name, got[name])
		}
	}
}
