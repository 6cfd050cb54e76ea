package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
)

// until returns the events of a name, in words that what makes them, up to the one that ends with last.
func (l *listening) until(name, last string, word func(data []byte) string) (list []string) {
	l.t.Helper()
	for {
		e := l.read()
		if e.name != name {
			continue
		}
		list = append(list, word([]byte(e.data)))
		if strings.HasSuffix(list[len(list)-1], last) {
			return list
		}
	}
}

// callWords are what an event of a call says.
func callWords(data []byte) string {
	var e struct {
		Kind, Persona, Session, Tool, Tier, Outcome string
		Call                                        uint64
		DurationMs                                  *float64
	}
	if err := json.Unmarshal(data, &e); err != nil || e.Call == 0 || (e.DurationMs != nil && e.Kind != "ended") {
		return string(data)
	}
	return strings.Join(strings.Fields(strings.Join([]string{e.Kind, e.Persona, e.Session, e.Tool, e.Tier, e.Outcome}, " ")), " ")
}

// Who listens hears of calls: of the own persona, or of all of the tenant with admin, and never of those of another tenant.
func TestEventsOfCalls(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	w.forge(annKey, "add_numbers")
	all, own, other := w.listen(t, graceKey, ""), w.listen(t, bobKey, ""), w.listen(t, otherKey, "")
	const template = "/v1/tools/text_template/call"
	w.ok(nil, annKey, "POST", "/v1/tools/add_numbers/call", `{"a":1,"b":2}`, server.SessionHeader, "http")
	w.refused(422, tool.InvalidInput, annKey, "POST", template, `{}`)
	w.ask(annKey, "POST", "/v1/tools/nothing/call", `{}`)
	w.ok(nil, bobKey, "POST", template, `{"template":"x","values":{}}`, server.SessionHeader, "s")
	w.ok(nil, otherKey, "POST", template, `{"template":"x","values":{}}`, server.SessionHeader, "elsewhere")
	bobs := []string{"started bob s text_template", "ended bob s text_template ok"}
	want := append([]string{
		"started ann http add_numbers", "ended ann http add_numbers session ok",
		"started ann http text_template", "ended ann http text_template invalid_input",
		"started ann http nothing", "ended ann http nothing not_found",
	}, bobs...)
	if got := all.until("call", bobs[1], callWords); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("all of the tenant: got %q\nwant %q", got, want)
	}
	if got := own.until("call", bobs[1], callWords); fmt.Sprint(got) != fmt.Sprint(bobs) {
		t.Errorf("the own persona: got %q", got)
	}
	if got := other.until("call", " ok", callWords); len(got) != 2 || !strings.Contains(got[0], " elsewhere ") {
		t.Errorf("another tenant: got %q", got)
	}
}

// Who listens hears of the stages that forging comes to, with the name of the tool, and so does who forges.
func TestEventsOfStages(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	all := w.listen(t, graceKey, "")
	own := w.ok(nil, annKey, "POST", "/v1/forge", request(t, "add_numbers", adding), "Accept", "text/event-stream")
	if names, _, _ := eventsOf(own.body); names != "stage stage stage stage result" {
		t.Errorf("who forges hears of %s", names)
	}
	got := all.until("forge", "approved add_numbers", func(data []byte) string {
		var e struct{ Kind, Persona, Name, Stage string }
		if err := json.Unmarshal(data, &e); err != nil || e.Persona != "ann" {
			return string(data)
		}
		return strings.TrimPrefix(e.Stage+" ", " ") + e.Kind + " " + e.Name
	})
	want := "[static stage add_numbers start add_numbers tests stage add_numbers judge stage add_numbers register stage add_numbers approved add_numbers]"
	if fmt.Sprint(got) != want {
		t.Errorf("got %q", got)
	}
}

// Events of calls wait for a slow client up to a bound; what comes beyond is counted, and nobody is cut for it or held up.
func TestCallsThatASlowClientMisses(t *testing.T) {
	t.Parallel()
	events, c := &server.Events{}, tool.Caller{Tenant: "acme", Persona: "ann"}
	var heard int
	opt := toolsmith.Options{Observer: toolsmith.Observer{Call: func(ctx context.Context, _ tool.Caller, _ string) (context.Context, func(*runtime.CallResult, error)) {
		return ctx, func(*runtime.CallResult, error) { heard++ }
	}}}
	events.Observe(&opt)
	call := func() {
		_, ended := opt.Observer.Call(t.Context(), c, strings.Repeat("x", 1000))
		ended(&runtime.CallResult{}, nil)
	}
	call() // nobody listens
	take, err := server.Calls4Test(events, "acme")
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		call()
	}
	for range 256 {
		if told := take(); len(told) > 500 || strings.Contains(told, "missed") {
			t.Fatalf("got %s", told)
		}
	}
	call()
	if told := take(); !strings.Contains(told, `"call":201,`) || !strings.Contains(told, `"missed":144`) {
		t.Errorf("got %s", told)
	}
	if told := take(); strings.Contains(told, "missed") || heard != 202 {
		t.Errorf("got %s; who was told before heard of %d", told, heard)
	}
}
