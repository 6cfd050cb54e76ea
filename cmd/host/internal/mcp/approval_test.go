package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/mcp"
	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime/tool"
)

// asking has the client's user judge.
func asking(t *testing.T) setting {
	t.Helper()
	human, err := judge.NewHuman(judge.HumanOptions{Ask: mcp.Ask, OSUser: "ursula"})
	if err != nil {
		t.Fatal(err)
	}
	return setting{host: func(o *toolsmith.Options) { o.Judge = human }, face: func(o *mcp.Options) { o.AskAll = true }}
}

func says(action string, content map[string]any) elicitor {
	return func(json.RawMessage) any { return map[string]any{"action": action, "content": content} }
}

// answers are what people say to a question, and what then becomes of the request: "" is approved.
var answers = map[string]struct {
	elicit elicitor
	want   string
}{
	"yes":                   {says("accept", map[string]any{"approve": true, "reason": "looks right"}), ""},
	"no":                    {says("accept", map[string]any{"approve": false, "reason": "too slow"}), "rejected by the client's user: too slow"},
	"declined":              {says("decline", nil), "rejected by the client's user"},
	"put away":              {says("cancel", nil), "put the question away"},
	"put away with a yes":   {says("cancel", map[string]any{"approve": true}), "put the question away"},
	"nothing of it":         {says("approve", map[string]any{"approve": true}), "not what was asked for"},
	"not answered":          {says("accept", nil), "not what was asked for"},
	"an empty answer":       {says("accept", map[string]any{}), "not what was asked for"},
	"a client without":      {nil, "cannot ask its user"},
	"a yes that is no bool": {says("accept", map[string]any{"approve": "true"}), "not what was asked for"},
	"a reason that is none": {says("accept", map[string]any{"approve": true, "reason": 7}), "not what was asked for"},
}

func TestThePersonAtTheClientJudges(t *testing.T) {
	t.Parallel()
	for name, a := range answers {
		for _, version := range []string{current, "2025-11-25", "2024-11-05"} {
			for _, transport := range []string{"stdio", "http"} {
				t.Run(name+" "+version+" "+transport, func(t *testing.T) {
					t.Parallel()
					w := open(t, asking(t))
					var p peer
					if transport == "http" {
						p = w.overHTTP(w.serve(), version, "acme/ann", a.elicit)
					} else {
						p = w.overStdio(version, mcp.Local{}, a.elicit)
					}
					r := askedFor(t, p, "forge_tool", request(nil), a.elicit)
					checkAnswer(t, r, a.want)
					if a.want == "" {
						checkAnswer(t, askedFor(t, p, "promote_tool", map[string]any{"tool": "add_numbers", "to": "agent"}, a.elicit), "")
					}
				})
			}
		}
	}
}

func checkAnswer(t *testing.T, r result, want string) {
	t.Helper()
	switch {
	case want == "" && r.IsError:
		t.Errorf("refused: %+v", r.Error)
	case want != "" && (!r.IsError || r.Error.Code != "rejected" || r.Error.Hint == ""):
		t.Errorf("not refused: %+v", r)
	case want != "" && !strings.Contains(r.Error.Message, want):
		t.Errorf("%s; want %s", r.Error.Message, want)
	case strings.HasPrefix(want, "rejected") && (!strings.Contains(r.Error.Hint, "said no: do not ask again") || strings.Contains(r.Content[0].Text, "call forge_tool again")):
		t.Errorf("a person who said no is asked again: %s", r.Content[0].Text)
	case want == "put the question away" && !strings.Contains(r.Error.Hint, "do not ask again"):
		t.Errorf("a person who put the question away is asked again: %s", r.Content[0].Text)
	}
}

// askedFor calls a tool, and answers what the result asks for.
func askedFor(t *testing.T, p peer, name string, arguments any, elicit elicitor) result {
	t.Helper()
	params := map[string]any{"name": name, "arguments": arguments}
	r := useWith(t, p, params)
	for range 3 {
		if r.RequestState == "" {
			return r
		}
		if !strings.Contains(string(r.InputRequests["approval"]), "input.a + input.b") {
			t.Errorf("the person does not see the source: %s", r.InputRequests)
		}
		params["requestState"] = r.RequestState
		params["inputResponses"] = map[string]any{"approval": elicit(nil)}
		r = useWith(t, p, params)
	}
	return r
}

func TestStatesCountOnceAndForTheirCallAlone(t *testing.T) {
	t.Parallel()
	now := time.Now()
	set := asking(t)
	human := set.face
	set.face = func(o *mcp.Options) { human(o); o.Now = func() time.Time { return now } }
	w := open(t, set)
	url := w.serve()
	yes := says("accept", map[string]any{"approve": true})
	ann, bob := w.overHTTP(url, current, "acme/ann", yes), w.overHTTP(url, current, "acme/bob", yes)
	begin := func(name string) map[string]any {
		params := map[string]any{"name": "forge_tool", "arguments": request(map[string]any{"name": name})}
		r := useWith(t, ann, params)
		if r.RequestState == "" {
			t.Fatalf("nobody is asked: %+v", r)
		}
		params["requestState"], params["inputResponses"] = r.RequestState, map[string]any{"approval": yes(nil)}
		return params
	}
	refused := func(what string, p peer, params map[string]any) {
		t.Helper()
		if r := useWith(t, p, params); !r.IsError || r.Error.Code != "rejected" {
			t.Errorf("%s: %+v", what, r)
		}
	}
	with := func(params map[string]any, key string, value any) map[string]any {
		out := map[string]any{}
		maps.Copy(out, params)
		out[key] = value
		return out
	}
	params := begin("first_tool")
	state, _ := params["requestState"].(string)
	refused("another caller", bob, params)
	refused("other arguments", ann, with(params, "arguments", request(map[string]any{"name": "other_tool"})))
	refused("another tool", ann, with(with(params, "name", "promote_tool"), "arguments", params["arguments"]))
	changed := "A" + state[1:]
	if changed == state {
		changed = "B" + state[1:]
	}
	refused("a state that was changed", ann, with(params, "requestState", changed))
	refused("no state of ours", ann, with(params, "requestState", "approved"))
	if r := useWith(t, ann, params); r.IsError {
		t.Errorf("%+v", r)
	}
	refused("a second time", ann, params)
	late := begin("late_tool")
	now = now.Add(time.Hour)
	refused("too late", ann, late)
	if r := use(t, ann, "list_my_tools", map[string]any{}); !strings.Contains(string(r.Structured), `"total":1`) {
		t.Errorf("%s", r.Structured)
	}
}

// Whoever may not approve is not asked; a key that may stands for a person, unless people are always asked.
func TestPromotionTakesAPerson(t *testing.T) {
	t.Parallel()
	w := open(t, setting{})
	forger := principal("acme", "ann")
	forger.Scopes = tool.Scopes{tool.ScopeCall, tool.ScopeForge}
	p := w.overStdio(current, mcp.Local{Principal: forger}, nil)
	handle := forgeOK(t, p, nil)
	if r := use(t, p, "promote_tool", map[string]any{"tool": handle, "to": "agent"}); r.Error.Code != "denied" {
		t.Errorf("%+v", r)
	}
	local := w.overStdio(current, mcp.Local{Session: "s"}, nil)
	handle = forgeOK(t, local, nil)
	r := use(t, local, "promote_tool", map[string]any{"tool": handle, "to": "agent"})
	if r.Error.Code != "rejected" || !strings.Contains(r.Error.Hint, "host tool promote") {
		t.Errorf("%+v", r)
	}
	if r := use(t, local, "promote_tool", map[string]any{"tool": handle, "to": "shared"}); r.Error.Code != "invalid_input" {
		t.Errorf("%+v", r)
	}
}

// A model whose user did not want a tool to rise is told not to ask again, instead of how that is done elsewhere.
func TestANoIsNoRequestToAskElsewhere(t *testing.T) {
	t.Parallel()
	for _, version := range []string{current, "2025-11-25"} {
		for _, action := range []string{"decline", "cancel"} {
			w := open(t, setting{})
			p := w.overStdio(version, mcp.Local{}, says(action, nil))
			handle := forgeOK(t, p, nil)
			r := askedFor(t, p, "promote_tool", map[string]any{"tool": handle, "to": "agent"}, says(action, nil))
			if r.Error.Code != "rejected" || !strings.Contains(r.Error.Hint, "do not ask again") || strings.Contains(r.Error.Hint, "host tool") {
				t.Errorf("%s, %s: %+v", version, action, r)
			}
		}
	}
}

// What asks ends the question, though the request that the client would answer to goes on.
func TestAQuestionEndsWithWhoAsks(t *testing.T) {
	t.Parallel()
	set := asking(t)
	asked := make(chan struct{})
	human, err := judge.NewHuman(judge.HumanOptions{OSUser: "ursula", Ask: func(ctx context.Context, by tool.Actor, question, sheet string) (bool, string, error) {
		short, leave := context.WithCancel(ctx)
		defer leave()
		go func() { <-asked; leave() }()
		if yes, why, err := mcp.Ask(short, by, question, sheet); err == nil {
			return yes, why, nil
		}
		return false, "nobody asks any more", ctx.Err()
	}})
	if err != nil {
		t.Fatal(err)
	}
	set.host = func(o *toolsmith.Options) { o.Judge = human }
	w := open(t, set)
	p := w.overStdio("2025-06-18", mcp.Local{}, says("", nil))
	p.raw(string(p.encode(700, "tools/call", map[string]any{"name": "forge_tool", "arguments": request(nil)})))
	for m, err := p.next(); ; m, err = p.next() {
		switch {
		case err != nil:
			t.Fatal(err)
		case m.Method == "elicitation/create":
			close(asked)
		case m.Method == "":
			if r := readResult(t, m); !strings.Contains(r.Error.Message, "nobody asks any more") {
				t.Errorf("%+v", r)
			}
			return
		}
	}
}

// unsound are answers that are refused, with %v for the id and %s for what makes them large, and what the model is told then.
var unsound = map[string]string{
	"a key that is given twice": `{"jsonrpc":"2.0","id":%v,"result":{"action":"accept","action":"accept","content":{"approve":true}%s}}`,
	"no JSON":                   `{"jsonrpc":"2.0","id":%v,"result":{"action":"accept","content":{"approve":true}%s}`,
	"an error that is none":     `{"jsonrpc":"2.0","id":%v,"error":"no"%s}`,
	"too large":                 `{"jsonrpc":"2.0","id":%v,"result":{"action":"accept","content":{"approve":true}%s}}`,
}

// An answer that cannot be read ends the question, and is refused; a call of the client's that has the same id goes on.
func TestAnswersThatCannotBeReadEndTheQuestion(t *testing.T) {
	t.Parallel()
	for name, text := range unsound {
		for _, transport := range []string{"stdio", "http"} {
			t.Run(name+" "+transport, func(t *testing.T) {
				t.Parallel()
				w := open(t, asking(t))
				most, answer := 4<<20, unsoundOverStdio
				if transport == "http" {
					most, answer = 1<<20, unsoundOverHTTP
				}
				more := ""
				if name == "too large" {
					more = `,"x":"` + strings.Repeat("x", most) + `"`
				}
				r := answer(t, w, text, more)
				if !r.IsError || r.Error.Code != "rejected" || !strings.Contains(r.Error.Message, "the client's answer could not be read") {
					t.Errorf("%+v", r)
				}
			})
		}
	}
}

func unsoundOverStdio(t *testing.T, w *world, text, more string) (r result) {
	t.Helper()
	p := w.overStdio("2025-06-18", mcp.Local{}, says("", nil))
	const waits = 1 // as the first question has
	p.raw(string(p.encode(waits, "tools/call", waiting)))
	receive(t, w.began, "the tool that waits")
	p.raw(string(p.encode(700, "tools/call", map[string]any{"name": "forge_tool", "arguments": request(nil)})))
	refused := 0
	for r.Content == nil {
		m, err := p.next()
		switch {
		case err != nil:
			t.Fatal(err)
		case m.Method == "elicitation/create":
			if fmt.Sprint(m.ID) != fmt.Sprint(waits) {
				t.Fatalf("the question has the id %v", m.ID)
			}
			p.raw(fmt.Sprintf(text, m.ID, more))
		case m.Method == "" && m.ID == nil && m.Error != nil:
			refused++
		case m.Method == "" && fmt.Sprint(m.ID) == "700":
			r = readResult(t, m)
		default:
			t.Fatalf("%+v", m)
		}
	}
	if refused != 1 {
		t.Errorf("the answer is refused %d times", refused)
	}
	p.notify("notifications/cancelled", map[string]any{"requestId": waits})
	w.over()
	return r
}

func unsoundOverHTTP(t *testing.T, w *world, text, more string) result {
	t.Helper()
	url := w.serve()
	var p *web
	p = w.overHTTP(url, "2025-06-18", "acme/ann", func(json.RawMessage) any {
		asked := p.seen()[len(p.seen())-1]
		r := ask(t, http.MethodPost, url, fmt.Sprintf(text, asked.ID, more), map[string]string{"Mcp-Session-Id": p.session, "Mcp-Protocol-Version": p.version})
		if want := map[bool]int{false: http.StatusBadRequest, true: http.StatusRequestEntityTooLarge}[more != ""]; r.status != want {
			t.Errorf("%d %s", r.status, r.body)
		}
		return nil
	})
	return use(t, p, "forge_tool", request(nil))
}
