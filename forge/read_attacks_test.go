package forge_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime/tool"
)

// hostile is a name, or a request, that means harm. Parts are joined to the text; one may be repeated.
type hostile struct {
	ID, Title, Expect       string
	Name                    *string
	NameJSON, RequestJSON   string
	NameParts, RequestParts []json.RawMessage
	Request                 json.RawMessage
}

func hostiles(t testing.TB, file string) []hostile {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var list []hostile
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func joined(t testing.TB, parts []json.RawMessage) string {
	t.Helper()
	var b strings.Builder
	for _, part := range parts {
		var once string
		var often struct {
			Repeat string
			Count  int
		}
		if json.Unmarshal(part, &once) == nil {
			b.WriteString(once)
		} else if err := json.Unmarshal(part, &often); err != nil {
			t.Fatal(err)
		}
		b.WriteString(strings.Repeat(often.Repeat, often.Count))
	}
	return b.String()
}

func (h hostile) nameJSON(t testing.TB) string {
	t.Helper()
	switch {
	case h.Name != nil:
		return quoted(*h.Name)
	case h.NameJSON != "":
		return h.NameJSON
	}
	return quoted(joined(t, h.NameParts))
}

func (h hostile) request(t testing.TB) string {
	t.Helper()
	switch {
	case h.Request != nil:
		return string(h.Request)
	case h.RequestJSON != "":
		return h.RequestJSON
	}
	return joined(t, h.RequestParts)
}

// names that the rule lets through: whether they are taken, or look like others, is not for the reader to know.
var names = map[string]bool{
	"nam-001": true, "nam-002": true, "nam-003": true, "nam-007": true, "nam-008": true, "nam-009": true, "nam-010": true, "nam-011": true,
	"nam-012": true, "nam-013": true, "nam-014": true, "nam-039": true, "nam-041": true, "nam-042": true, "nam-043": true, "nam-044": true,
}

func TestHostileNames(t *testing.T) {
	t.Parallel()
	for _, h := range hostiles(t, "tool-names.json") {
		name := h.nameJSON(t)
		_, err := forge.Read([]byte(arguments("name", name)), forge.ReadRules{})
		if names[h.ID] {
			if err != nil {
				t.Errorf("%s (%s): %v", h.ID, h.Title, err)
			}
			continue
		}
		problem, ok := tool.NameProblemOf(err)
		if e := tool.AsError(err); h.Expect == "ok" || !ok || problem == "" || e.Path != "/name" || len(e.Message) > 1000 {
			t.Errorf("%s (%s): %q, %v", h.ID, h.Title, problem, err)
		}
	}
}

// refusedEarly says which of the requests that would game the forge the reader refuses, and where. The others are for the
// gates behind it.
var refusedEarly = map[string]string{
	"gam-002": "/testCases", "gam-003": "/testCases", "gam-004": "/testCases", "gam-005": "/testCases", "gam-007": "/testCases",
	"gam-008": "/testCases/0/input/a", "gam-009": "/testCases/0/expectedOutput/sum", "gam-011": "/testCases/0/expectedOutput",
	"gam-012": "/testCases/0/expectedOutput", "gam-013": "/testCases/0/expectedOutput", "gam-025": "/testCases",
	"gam-027": "/implementation/allowlist/0", "gam-028": "/implementation/allowlist/0", "gam-029": "/implementation/allowlist",
	"gam-031": "/implementation/sandboxTimeoutMs", "gam-032": "/implementation/sandboxTimeoutMs", "gam-033": "/implementation/mode",
	"gam-034": "/implementation/code", "gam-035": "/judgeVerdict",
}

func TestGamingRequests(t *testing.T) {
	t.Parallel()
	for _, h := range hostiles(t, "forge-gaming.json") {
		text := h.request(t)
		start := time.Now()
		_, err := forge.Read([]byte(text), forge.ReadRules{})
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s (%s): %v", h.ID, h.Title, took)
		}
		place, early := refusedEarly[h.ID]
		switch problems, _ := errors.AsType[forge.Problems](err); {
		case err == nil && early, err != nil && (!early || h.Expect == "ok"):
			t.Errorf("%s (%s): %v", h.ID, h.Title, err)
		case early && !strings.HasPrefix(problems[0].Path, place):
			t.Errorf("%s (%s): at %s, want %s: %v", h.ID, h.Title, problems[0].Path, place, err)
		}
	}
}
