package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime/tool"
)

// Whatever a tool of the face does, there is an answer that is JSON.
func TestHandlersAlwaysAnswer(t *testing.T) {
	t.Parallel()
	f := New(Options{Desk: func(context.Context, tool.Principal, string) (desk.Desk, error) { return nil, nil }}) //nolint:nilnil // it is not used
	t.Cleanup(f.Close)
	s := f.newSeat(tool.Principal{Tenant: "acme", Persona: "ann", KeyID: "k"})
	for name, c := range map[string]struct {
		run  func(context.Context, *call) (any, error)
		want string
	}{
		"a result":         {func(context.Context, *call) (any, error) { return map[string]int{"a": 1}, nil }, `{"a":1}`},
		"a panic":          {func(context.Context, *call) (any, error) { panic("secret") }, `"internal"`},
		"JSON that is not": {func(context.Context, *call) (any, error) { return json.RawMessage(`{"a":`), nil }, `"internal"`},
		"what is no JSON":  {func(context.Context, *call) (any, error) { return func() {}, nil }, `"internal"`},
		"an error":         {func(context.Context, *call) (any, error) { return nil, tool.Denied }, `"denied"`},
		"an error of Go":   {func(context.Context, *call) (any, error) { return nil, context.Canceled }, `"canceled"`},
		"an error of much": {func(context.Context, *call) (any, error) {
			return failedCall{Error: tool.Errorf(tool.GuestError, "x"), Tool: strings.Repeat("y", maxResult)}, tool.GuestError
		}, `"guest_error"`},
		"more than is allowed": {func(context.Context, *call) (any, error) { return strings.Repeat("y", maxLength), nil }, `"output_too_large"`},
	} {
		m := (&metaTool{name: "t", schema: `{"type":"object"}`, run: c.run}).compiled()
		result, err := s.handler(m)(t.Context(), &sdk.CallToolRequest{Session: &sdk.ServerSession{}, Params: &sdk.CallToolParamsRaw{Name: "t"}})
		if err != nil || result == nil {
			t.Errorf("%s: %v, %v", name, result, err)
			continue
		}
		text, _ := result.Content[0].(*sdk.TextContent)
		if !strings.Contains(text.Text, c.want) || strings.Contains(text.Text, "secret") || len(text.Text) > maxResult || !json.Valid([]byte(text.Text)) {
			t.Errorf("%s: %.200s", name, text.Text)
		}
	}
}

// What the host cannot do now is no fault of the params.
func TestErrorsOfTheProtocolTellWhoseFaultItIs(t *testing.T) {
	t.Parallel()
	for code, want := range map[tool.Code]int64{tool.Unavailable: -32603, tool.Internal: -32603, tool.InvalidRequest: -32602, tool.OutputTooLarge: -32602} {
		if e, ok := errors.AsType[*jsonrpc.Error](toProtocol(tool.Errorf(code, "x"))); !ok || e.Code != want || !strings.Contains(string(e.Data), string(code)) {
			t.Errorf("%s: %+v", code, e)
		}
	}
}

// Whatever data an error has, it is told how to mend it.
func TestAdviceIsAdded(t *testing.T) {
	t.Parallel()
	const hinted = `"code":"limit","hint":"wait","retryAfterMs":10000`
	for data, want := range map[string]string{
		``:                      `{` + hinted + `}`,
		`null`:                  `{` + hinted + `}`,
		`{}`:                    `{` + hinted + `}`,
		`{"uri":"\x01"}`:        `{` + hinted + `}`, // no JSON
		`{"supported":["a"]}`:   `{` + hinted + `,"supported":["a"]}`,
		`{"code":"denied"}`:     `{"code":"denied"}`,
		`["what there may be"]`: `["what there may be"]`,
	} {
		if got := string(advice{tool.Limit, "wait"}.within(json.RawMessage(data))); got != want {
			t.Errorf("%s becomes %s, want %s", data, got, want)
		}
	}
	if got := string(advice{tool.NotFound, "look"}.data()); got != `{"code":"not_found","hint":"look"}` {
		t.Error(got)
	}
}

// Why nobody answered is told as it was.
func TestWhyAQuestionHasNoAnswer(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"within 10m0s":      fmt.Errorf("asking: %w", context.DeadlineExceeded),
		"could not be read": fmt.Errorf("asking: %w", errUnread.wire()),
		"could not ask":     &jsonrpc.Error{Code: errUnread.code, Message: "x"},
	} {
		if got := unanswered(err); !strings.Contains(got, want) {
			t.Errorf("%v: %s; want %s", err, got, want)
		}
	}
}

func TestSeatsAreBounded(t *testing.T) {
	t.Parallel()
	f := New(Options{})
	t.Cleanup(f.Close)
	first := f.seat(tool.Principal{Tenant: "acme", KeyID: "first"})
	for i := range maxSeats + 10 {
		if f.seat(tool.Principal{Tenant: "acme", KeyID: string(rune('a' + i))}) == nil {
			t.Fatal("no seat, though all are idle")
		}
	}
	if len(f.seats) != maxSeats || f.seat(tool.Principal{Tenant: "acme", KeyID: "first"}) == first {
		t.Errorf("%d seats", len(f.seats))
	}
	a := f.seat(tool.Principal{Tenant: "acme", KeyID: "k", Scopes: tool.Scopes{tool.ScopeCall}})
	if a == f.seat(tool.Principal{Tenant: "acme", KeyID: "k", Scopes: tool.AllScopes()}) {
		t.Error("a key with other scopes is the same credential")
	}
}
