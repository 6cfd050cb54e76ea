package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// Sessions come in parts, as other lists do.
func TestPagesOfSessions(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	want := []string{}
	for i := range 5 {
		name := fmt.Sprint("s", i)
		w.ok(nil, annKey, "POST", "/v1/tools/text_template/call", `{"template":"x","values":{}}`, "Toolsmith-Session", name)
		want = append(want, "ann/"+name)
	}
	w.ok(nil, bobKey, "POST", "/v1/tools/text_template/call", `{"template":"x","values":{}}`, "Toolsmith-Session", "s0")
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
