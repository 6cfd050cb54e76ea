package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/runtime/tool"
)

// Sessions come in parts, as other lists do.
func TestPagesOfSessions(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	want := []string{}
	for i := range 5 {
		name := fmt.Sprint("s", i)
		w.ask(annKey, "POST", "/v1/forge", `{"name":"x"}`, "Toolsmith-Session", name)
		want = append(want, "ann/"+name)
	}
	w.ask(bobKey, "POST", "/v1/forge", `{"name":"x"}`, "Toolsmith-Session", "s0")
	want = append(want, "bob/s0")
	got := []string{}
	for path := "/v1/sessions?limit=2"; path != ""; {
		var page struct {
			Items []struct {
				Persona, Session string
			}
			Next string
		}
		answer := w.ok(&page, graceKey, "GET", path, "")
		if len(page.Items) > 2 || len(got) > len(want) {
			t.Fatalf("%s: %s", path, answer.body)
		}
		for _, s := range page.Items {
			got = append(got, s.Persona+"/"+s.Session)
		}
		link := answer.header.Get("Link")
		if (page.Next == "") != (link == "") {
			t.Errorf("next is %q, and Link %q", page.Next, link)
		}
		path = strings.TrimPrefix(strings.TrimSuffix(link, `>; rel="next"`), "<")
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := w.ask(graceKey, http.MethodGet, "/v1/sessions?limit=201", ""); got.status != http.StatusUnprocessableEntity {
		t.Errorf("more than 200: %d", got.status)
	}
}

// A session that only calls tools is none that is kept.
func TestCallsBeginNoSession(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	for i := range 3 {
		w.ok(nil, annKey, "POST", "/v1/tools/text_template/call", `{"template":"x","values":{}}`, server.SessionHeader, fmt.Sprint("s", i))
	}
	var list struct{ Items []any }
	if w.ok(&list, graceKey, "GET", "/v1/sessions", ""); len(list.Items) > 0 {
		t.Errorf("there are sessions: %v", list.Items)
	}
}

// Whoever ends a session that is not there is told so, from within a session of that name, too: asking does not make it.
func TestEndsOfNoSession(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	for _, session := range []string{"other", "ghost"} {
		w.refused(404, tool.NotFound, annKey, "DELETE", "/v1/sessions/ann/ghost", "", server.SessionHeader, session)
		w.refused(404, tool.NotFound, annKey, "DELETE", "/v1/tools/nothing", "", server.SessionHeader, session)
	}
	var list struct{ Items []any }
	if w.ok(&list, graceKey, "GET", "/v1/sessions", ""); len(list.Items) > 0 {
		t.Errorf("there are sessions: %v", list.Items)
	}
}
