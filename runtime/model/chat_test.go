package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/model/modeltest"
	"example.com/toolsmith/runtime/tool"
)

// rig is a model on a test server, and what it did.
type rig struct {
	model.Model
	server *modeltest.Server
	slept  []time.Duration
}

func newRig(t *testing.T, provider string, steps ...modeltest.Step) *rig {
	t.Helper()
	r := &rig{server: modeltest.Start(steps...)}
	t.Cleanup(r.server.Close)
	env := r.server.Env(provider)
	getenv := func(name string) string { return env[name] }
	spec, err := model.FromEnv(getenv)
	if err != nil {
		t.Fatal(err)
	}
	r.Model, err = model.Open(spec, model.Options{Getenv: getenv, Sleep: func(ctx context.Context, d time.Duration) error {
		r.slept = append(r.slept, d)
		return ctx.Err()
	}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var (
	all   = []string{model.OpenAI, model.Anthropic, model.Ollama}
	hello = model.Request{Messages: []model.Message{model.Ask("hello")}}
)

func TestReplies(t *testing.T) {
	t.Parallel()
	usage := model.Usage{InputTokens: 10, OutputTokens: 5}
	call := model.ToolCall{ID: "call_1", Name: "add", Arguments: json.RawMessage(`{"a":1}`)}
	for name, c := range map[string]struct {
		step modeltest.Step
		want model.Reply
		only string // the one protocol that can say it
	}{
		"text":    {modeltest.Text("hi"), model.Reply{Text: "hi", StopReason: model.StopEnd}, ""},
		"nothing": {modeltest.Text(""), model.Reply{StopReason: model.StopEnd}, ""},
		"json":    {modeltest.JSON(map[string]int{"a": 1}), model.Reply{Text: `{"a":1}`, StopReason: model.StopEnd}, ""},
		"a call":  {modeltest.Calls("add", `{"a":1}`), model.Reply{ToolCalls: []model.ToolCall{call}, StopReason: model.StopToolUse}, ""},
		"a call without arguments": {modeltest.Calls("now", ""), model.Reply{
			ToolCalls: []model.ToolCall{{ID: "call_1", Name: "now", Arguments: json.RawMessage(`{}`)}}, StopReason: model.StopToolUse,
		}, model.OpenAI},
		"broken arguments": {modeltest.Calls("add", `{"a":1`), model.Reply{
			ToolCalls: []model.ToolCall{{ID: "call_1", Name: "add", Arguments: json.RawMessage(`"{\"a\":1"`), Malformed: true}}, StopReason: model.StopToolUse,
		}, model.OpenAI},
		"arguments that are no object": {modeltest.Calls("add", `[1]`), model.Reply{
			ToolCalls: []model.ToolCall{{ID: "call_1", Name: "add", Arguments: json.RawMessage(`"[1]"`), Malformed: true}}, StopReason: model.StopToolUse,
		}, ""},
		"text and two calls": {
			modeltest.Step{Text: "so", Calls: []modeltest.Call{{Name: "a", Arguments: `{}`}, {ID: "z", Name: "b", Arguments: `{}`}}},
			model.Reply{Text: "so", StopReason: model.StopToolUse, ToolCalls: []model.ToolCall{
				{ID: "call_1", Name: "a", Arguments: json.RawMessage(`{}`)}, {ID: "z", Name: "b", Arguments: json.RawMessage(`{}`)},
			}},
			"",
		},
		"cut by tokens":  {modeltest.Step{Text: "so", Stop: "length"}, model.Reply{Text: "so", StopReason: model.StopLength}, model.OpenAI},
		"cut by tokens ": {modeltest.Step{Text: "so", Stop: "max_tokens"}, model.Reply{Text: "so", StopReason: model.StopLength}, model.Anthropic},
		"filtered":       {modeltest.Step{Stop: "content_filter"}, model.Reply{StopReason: model.StopRefusal}, model.OpenAI},
		"refused":        {modeltest.Step{Text: "no", Stop: "refusal"}, model.Reply{Text: "no", StopReason: model.StopRefusal}, model.Anthropic},
		"new reason":     {modeltest.Step{Text: "so", Stop: "tired"}, model.Reply{Text: "so", StopReason: model.StopOther}, ""},
	} {
		for _, provider := range all {
			if c.only != "" && c.only != provider {
				continue
			}
			t.Run(provider+" "+name, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, provider, c.step)
				want := c.want
				want.Usage, want.Provider, want.Model = usage, provider, "test-model"
				got, err := r.Chat(t.Context(), hello)
				if diff := cmp.Diff(want, got); err != nil || diff != "" {
					t.Errorf("Chat: error %v (-want +got):\n%s", err, diff)
				}
			})
		}
	}
}

// TestLoop has a conversation with tools, as a manager has it: the servers refuse loose ends.
func TestLoop(t *testing.T) {
	t.Parallel()
	for _, provider := range all {
		r := newRig(
			t, provider,
			modeltest.Step{Calls: []modeltest.Call{{Name: "add", Arguments: `{}`}, {Name: "add it!", ID: "call_1", Arguments: `7`}}},
			modeltest.Text("three"),
		)
		req := model.Request{Messages: []model.Message{model.Ask("1 + 2?")}, Tools: []model.ToolSpec{{Name: "add"}}}
		reply, err := r.Chat(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		req.Messages = append(req.Messages, reply.Message(), reply.ToolCalls[0].Result(""), reply.ToolCalls[1].Failure("not an object"))
		reply, err = r.Chat(t.Context(), req)
		if err != nil || reply.Text != "three" {
			t.Errorf("%s: %+v, %v; want three", provider, reply, err)
		}
	}
}

const page = "<!DOCTYPE html><html><body>nginx " + modeltest.Key + "</body></html>"

func TestFaults(t *testing.T) {
	t.Parallel()
	many := make([]modeltest.Call, model.MaxToolCalls+1)
	for i := range many {
		many[i] = modeltest.Call{Name: "f", Arguments: "{}"}
	}
	busy := modeltest.Fault(429, "slow down")
	down := modeltest.Fault(503, "")
	for name, c := range map[string]struct {
		steps []modeltest.Step
		want  tool.Code // "" means success at last
		says  string    // within the message
		slept string    // the pauses between the tries
	}{
		"busy once":              {[]modeltest.Step{busy, modeltest.Text("hi")}, "", "", "[500ms]"},
		"busy, says when":        {[]modeltest.Step{{Status: 429, RetryAfter: "7"}, modeltest.Text("hi")}, "", "", "[7s]"},
		"busy, says when in ms":  {[]modeltest.Step{{Status: 429, Header: map[string]string{"Retry-After-Ms": "20"}}, modeltest.Text("hi")}, "", "", "[20ms]"},
		"busy, says when oddly":  {[]modeltest.Step{{Status: 429, RetryAfter: "soon"}, modeltest.Text("hi")}, "", "", "[500ms]"},
		"busy, a date":           {[]modeltest.Step{{Status: 429, RetryAfter: "Mon, 02 Jan 2006 15:04:15 GMT", Header: map[string]string{"Date": "Mon, 02 Jan 2006 15:04:05 GMT"}}, modeltest.Text("hi")}, "", "", "[10s]"},
		"busy for long":          {[]modeltest.Step{{Status: 429, RetryAfter: "3600", Message: "come back"}}, tool.OverQuota, "come back", "[]"},
		"busy always":            {[]modeltest.Step{busy, busy, busy, busy}, tool.OverQuota, "slow down", "[500ms 1s 2s]"},
		"quota used up":          {[]modeltest.Step{{Status: 429, Type: "insufficient_quota", Message: "pay"}}, tool.OverQuota, "pay", "[]"},
		"no credit":              {[]modeltest.Step{modeltest.Fault(402, "pay")}, tool.OverQuota, "pay", "[]"},
		"down twice":             {[]modeltest.Step{down, modeltest.Fault(529, ""), modeltest.Text("hi")}, "", "", "[500ms 1s]"},
		"down always":            {[]modeltest.Step{down, down, down, down}, tool.Unavailable, "status 503", "[500ms 1s 2s]"},
		"a page":                 {[]modeltest.Step{{Status: 400, Body: page}}, tool.InvalidRequest, "status 400", "[]"},
		"a page for a message":   {[]modeltest.Step{modeltest.Fault(400, page)}, tool.InvalidRequest, "status 400", "[]"},
		"a page, and all well":   {[]modeltest.Step{{Body: page}}, tool.Unavailable, "not JSON", "[]"},
		"key repeated":           {[]modeltest.Step{modeltest.Fault(400, "what is "+modeltest.Key+"?")}, tool.InvalidRequest, "what is", "[]"},
		"key refused":            {[]modeltest.Step{modeltest.Fault(401, "Incorrect API key "+modeltest.Key)}, tool.Unavailable, "does not accept the key", "[]"},
		"forbidden":              {[]modeltest.Step{modeltest.Fault(403, "no")}, tool.Unavailable, "does not accept the key", "[]"},
		"no such model":          {[]modeltest.Step{modeltest.Fault(404, "model not found")}, tool.InvalidRequest, "model not found", "[]"},
		"long message":           {[]modeltest.Step{modeltest.Fault(400, strings.Repeat("é\n\x00", 5000))}, tool.InvalidRequest, "é é", "[]"},
		"long message of faces":  {[]modeltest.Step{modeltest.Fault(400, strings.Repeat("🙂", 5000))}, tool.InvalidRequest, "🙂…", "[]"},
		"long error":             {[]modeltest.Step{{Status: 400, Body: `{"error":"` + strings.Repeat("x", 1<<20)}}, tool.InvalidRequest, "status 400", "[]"},
		"error as text":          {[]modeltest.Step{{Status: 400, Body: `{"error":"pull it first"}`}}, tool.InvalidRequest, "pull it first", "[]"},
		"error of a good status": {[]modeltest.Step{{Body: `{"error":{"message":"upstream","code":502}}`}}, tool.Unavailable, "upstream", "[]"},
		"redirect":               {[]modeltest.Step{{Status: 307, Header: map[string]string{"Location": "/v1/messages"}}}, tool.Unavailable, "redirects are not followed", "[]"},
		"cut":                    {[]modeltest.Step{{Text: "a long story", Cut: true}}, tool.Unavailable, "broke off", "[]"},
		"cut JSON":               {[]modeltest.Step{{Body: `{"choices":[{"message":{"content":"a`}}, tool.Unavailable, "cut off", "[]"},
		"empty":                  {[]modeltest.Step{{Body: " "}}, tool.Unavailable, "not JSON", "[]"},
		"null":                   {[]modeltest.Step{{Body: "null"}}, tool.Unavailable, "gave an answer", "[]"},
		"another shape":          {[]modeltest.Step{{Body: `{"choices":"none","content":7}`}}, tool.Unavailable, "gave an answer", "[]"},
		"too long":               {[]modeltest.Step{modeltest.Text(strings.Repeat("x", model.MaxReplyBytes))}, tool.Unavailable, "more than", "[]"},
		"too deep":               {[]modeltest.Step{{Body: strings.Repeat("[", 1<<20)}}, tool.Unavailable, "not JSON", "[]"},
		"too many calls":         {[]modeltest.Step{{Calls: many}}, tool.Unavailable, "65 tool calls", "[]"},
	} {
		for _, provider := range all[:2] {
			t.Run(provider+" "+name, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, provider, c.steps...)
				_, err := r.Chat(t.Context(), hello)
				checkError(t, err, c.want, c.says)
				if got := cmp.Diff(c.slept, durations(r.slept)); got != "" || r.server.Left() != 0 {
					t.Errorf("%d steps left; pauses (-want +got):\n%s", r.server.Left(), got)
				}
			})
		}
	}
}

// Only faults that were not met with another try already say that another one may help.
func TestFaultsSayWhetherToTryAgain(t *testing.T) {
	t.Parallel()
	down := modeltest.Fault(503, "")
	for name, c := range map[string]struct {
		steps []modeltest.Step
		again bool
	}{
		"down always": {[]modeltest.Step{down, down, down, down}, false},
		"cut":         {[]modeltest.Step{{Text: "a long story", Cut: true}}, true},
		"not JSON":    {[]modeltest.Step{{Body: page}}, true},
		"a conflict":  {[]modeltest.Step{modeltest.Fault(409, "busy")}, true},
		"bad request": {[]modeltest.Step{modeltest.Fault(400, "no")}, false},
	} {
		_, err := newRig(t, model.OpenAI, c.steps...).Chat(t.Context(), hello)
		if e := tool.AsError(err); e == nil || (e.RetryAfter > 0) != c.again {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func durations(list []time.Duration) string {
	texts := make([]string, len(list))
	for i, d := range list {
		texts[i] = d.String()
	}
	return "[" + strings.Join(texts, " ") + "]"
}

// checkError wants a code, words in the message, and none of what must not be there.
func checkError(t *testing.T, err error, want tool.Code, says string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Errorf("error %v, want none", err)
		}
		return
	}
	e, ok := errors.AsType[*tool.Error](err)
	if !ok || e.Code != want || !strings.Contains(e.Message, says) {
		t.Fatalf("error %v, want %s that says %q", err, want, says)
	}
	text, err := json.Marshal(e)
	if err != nil || len(text) > 1500 || strings.Contains(string(text), modeltest.Key) || strings.Contains(string(text), "<") {
		t.Errorf("the error is too long, holds the key or a page: %.2000s", text)
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]modeltest.Step{
		"hangs":               {Hang: true},
		"hangs in the middle": {Text: "a long story", Hang: true, Cut: true},
		"is slow":             {DelayMs: 60_000},
	} {
		for _, provider := range all[:2] {
			t.Run(provider+" "+name, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				defer cancel()
				_, err := newRig(t, provider, step).Chat(ctx, hello)
				checkError(t, err, tool.Timeout, "in time")

				ctx, cancel = context.WithCancel(t.Context())
				time.AfterFunc(50*time.Millisecond, cancel)
				_, err = newRig(t, provider, step).Chat(ctx, hello)
				checkError(t, err, tool.Canceled, "canceled")
			})
		}
	}
}

// TestPause lets a retry wait for real, until its context ends.
func TestPause(t *testing.T) {
	t.Parallel()
	server := modeltest.Start(modeltest.Fault(503, ""), modeltest.Fault(503, ""), modeltest.Text("hi"))
	defer server.Close()
	m, err := model.Open(model.Spec{Provider: model.Anthropic, BaseURL: server.URL}, model.Options{Getenv: server.Getenv})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err = m.Chat(ctx, hello)
	checkError(t, err, tool.Canceled, "canceled")
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + listener.Addr().String()
	_ = listener.Close()
	impostor := httptest.NewUnstartedServer(http.NotFoundHandler())
	impostor.Config.ErrorLog = log.New(io.Discard, "", 0)
	impostor.StartTLS()
	defer impostor.Close()
	tests := map[string]struct {
		base      string
		transport http.RoundTripper
		says      string
	}{
		"wrong certificate": {impostor.URL, nil, "certificate is not valid"},
		"nobody there":      {nobody, nil, "nothing listens"},
		"no such name":      {"http://a.example", transport(func(*http.Request) (*http.Response, error) { return nil, &net.DNSError{Name: "a.example"} }), "does not resolve"},
		"something strange": {"http://a.example", transport(func(*http.Request) (*http.Response, error) { return nil, errors.New("10.1.2.3 <odd>") }), "broke off"},
	}
	for name, c := range tests {
		for _, provider := range all[:2] {
			m, err := model.Open(model.Spec{Provider: provider, BaseURL: c.base}, model.Options{Transport: c.transport, Getenv: func(string) string { return modeltest.Key }})
			if err != nil {
				t.Fatal(err)
			}
			_, err = m.Chat(t.Context(), hello)
			t.Log(name, provider)
			checkError(t, err, tool.Unavailable, c.says)
		}
	}
}

func TestKeyless(t *testing.T) {
	t.Parallel()
	r := newRig(t, model.Ollama, modeltest.Fault(401, "who are you?"))
	_, err := r.Chat(t.Context(), hello)
	checkError(t, err, tool.Unavailable, "does not accept the key")
	if hint := tool.AsError(err).Hint; !strings.Contains(hint, "apiKeyEnv") {
		t.Errorf("hint %q does not say how to give a key", hint)
	}
	if got := r.server.Seen()[0].Header.Get("Authorization"); got != "" {
		t.Errorf("Authorization %q was sent without a key", got)
	}
}
