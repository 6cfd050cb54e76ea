package server_test

import (
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
)

// The keys of a suspended tenant are refused whatever they ask for, in sessions of the protocol that are open too, and its streams end
// with the reason. Others go on, and so does the tenant once it is resumed.
func TestSuspendedTenantIsRefused(t *testing.T) {
	t.Parallel()
	h := openHouse(t, "", nil)
	key, other := h.administrator(victim).key, h.administrator(attacker).key
	stream := h.listen(t, key, "")
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	accept := []string{"Accept", "application/json, text/event-stream"}
	session := h.ok(nil, key, "POST", "/mcp", hello, accept...).header.Get("Mcp-Session-Id")
	if session == "" {
		t.Fatal("there is no session")
	}
	within := append(accept, "Mcp-Session-Id", session, "Mcp-Protocol-Version", "2025-06-18")
	h.ok(nil, key, "POST", "/mcp", ping, within...)

	if _, err := h.shelf().SuspendTenant(t.Context(), operator, victim, "it floods others"); err != nil {
		t.Fatal(err)
	}
	const why = "the tenant " + victim + " is suspended: it floods others"
	for _, ask := range []struct {
		method, path, body string
		headers            []string
	}{
		{"GET", "/v1/caller", "", nil},
		{"GET", "/v1/events", "", nil},
		{"POST", "/v1/tools/json_query/call", "{}", nil},
		{"POST", "/mcp", hello, accept},
		{"POST", "/mcp", ping, within},
		{"DELETE", "/mcp", "", within},
	} {
		if p, got := h.refused(403, tool.Suspended, key, ask.method, ask.path, ask.body, ask.headers...); p.Detail != why || p.Hint == "" || got.header.Get("WWW-Authenticate") != "" {
			t.Errorf("%s %s: %s", ask.method, ask.path, got.body)
		}
	}
	if e := stream.read(); e.name != "audit" || !strings.Contains(e.data, `"tenant_suspended"`) {
		t.Errorf("the stream tells %+v", e)
	}
	if e := stream.read(); e.name != "end" || e.data != `{"reason":"`+why+`"}` {
		t.Errorf("the stream ends with %+v", e)
	}
	h.ok(nil, other, "GET", "/v1/caller", "")

	if _, err := h.shelf().ResumeTenant(t.Context(), operator, victim); err != nil {
		t.Fatal(err)
	}
	h.ok(nil, key, "POST", "/mcp", ping, within...)
}
