package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/runtime/tool"
)

// exercise is one request of an operation, and what it has to answer.
type exercise struct {
	key, path, body, kind string
	status                int
}

// exercises returns one for every operation of the document, in an order in which they succeed.
func exercises(t *testing.T, id string) []struct {
	operation string
	exercise
} {
	t.Helper()
	pack := `{"format":"nothing"}`
	return []struct {
		operation string
		exercise
	}{
		{"health", exercise{path: "/healthz"}},
		{"ready", exercise{path: "/readyz"}},
		{"whoAmI", exercise{path: "/v1/caller"}},
		{"listTools", exercise{path: "/v1/tools?all=true&history=true&limit=10"}},
		{"listCatalog", exercise{path: "/v1/catalog?limit=200"}},
		{"searchTools", exercise{path: "/v1/search?q=add+numbers&limit=3"}},
		{"getTool", exercise{path: "/v1/tools/" + id}},
		{"listVersions", exercise{path: "/v1/tools/" + id + "/versions"}},
		{"diffVersions", exercise{path: "/v1/tools/" + id + "/diff"}},
		{"exportTool", exercise{path: "/v1/tools/" + id + "/export?format=json", kind: "application/json"}},
		{"exportTool", exercise{path: "/v1/tools/" + id + "/export?withSource=true", kind: "application/yaml"}},
		{"call", exercise{key: annKey, path: "/v1/tools/add_numbers/call", body: `{"a":1,"b":2}`}},
		{"call", exercise{key: annKey, path: "/v1/tools/add_numbers/call", body: `{"a":1}`, status: 422}},
		{"forge", exercise{key: annKey, path: "/v1/forge", body: request(t, "second", adding)}},
		{"forge", exercise{key: annKey, path: "/v1/forge", body: request(t, "second", "function execute() { return eval('1') }"), status: 422}},
		{"import", exercise{key: annKey, path: "/v1/import", body: pack, status: 422}},
		{"promoteTool", exercise{path: "/v1/tools/" + id + "/promote", body: `{"to":"agent"}`}},
		{"suspendTool", exercise{path: "/v1/tools/" + id + "/suspend", body: `{"reason":"under review"}`}},
		{"resumeTool", exercise{path: "/v1/tools/" + id + "/resume", body: `{}`}},
		{"revertTool", exercise{path: "/v1/tools/" + id + "/revert", body: `{"version":"7"}`, status: 404}},
		{"demoteTool", exercise{path: "/v1/tools/" + id + "/demote", body: `{"reason":"wrong"}`}},
		{"removeTool", exercise{path: "/v1/tools/" + id}},
		{"listAudit", exercise{path: "/v1/audit?newest=true&limit=5"}},
		{"verifyAudit", exercise{path: "/v1/audit/verify"}},
		{"getUsage", exercise{path: "/v1/usage"}},
		{"listSessions", exercise{path: "/v1/sessions"}},
		{"endSession", exercise{path: "/v1/sessions/ann/http"}},
		{"streamEvents", exercise{path: "/v1/events", kind: "text/event-stream"}},
	}
}

// spec is as much of an OpenAPI document as the tests read.
type spec struct {
	OpenAPI string `json:"openapi"`
	Paths   map[string]map[string]struct {
		OperationID string                `json:"operationId"`
		Security    []map[string][]string `json:"security"`
		Responses   map[string]struct {
			Content map[string]struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"content"`
		} `json:"responses"`
	} `json:"paths"`
	Components struct {
		Schemas map[string]json.RawMessage `json:"schemas"`
	} `json:"components"`
}

// Every operation of the document is exercised, and answers with what the document says that it answers with.
func TestEveryOperation(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	id := w.forge(annKey, "add_numbers")
	var doc spec
	w.ok(&doc, "", "GET", "/openapi.json", "")
	if doc.OpenAPI != "3.1.0" {
		t.Errorf("it is OpenAPI %s", doc.OpenAPI)
	}
	left := map[string][2]string{} // operation to method and path
	for path, methods := range doc.Paths {
		for method, op := range methods {
			left[op.OperationID] = [2]string{method, path}
		}
	}
	all := maps.Clone(left)
	for _, e := range exercises(t, id) {
		at, ok := all[e.operation]
		if !ok {
			t.Errorf("there is no operation %s", e.operation)
			continue
		}
		delete(left, e.operation)
		if e.operation == "streamEvents" {
			continue // which has tests of its own
		}
		if pathOf(at[1], e.path) == "" {
			t.Errorf("%s: %s is no %s", e.operation, e.path, at[1])
		}
		key := e.key
		if key == "" {
			key = graceKey
		}
		got := w.ask(key, strings.ToUpper(at[0]), e.path, e.body)
		want, kind := e.status, e.kind
		if want == 0 {
			want = http.StatusOK
		}
		if got.status != want {
			t.Errorf("%s: %d %s; want %d", e.operation, got.status, got.body, want)
			continue
		}
		if kind == "" {
			kind = "application/json"
		}
		answers := doc.Paths[at[1]][at[0]].Responses["200"].Content
		if want != http.StatusOK {
			kind, answers = "application/problem+json", doc.Paths[at[1]][at[0]].Responses["default"].Content
		}
		if got.header.Get("Content-Type") != kind || answers[kind].Schema == nil {
			t.Errorf("%s: it is %s, and the document has %v", e.operation, got.header.Get("Content-Type"), slices.Collect(maps.Keys(answers)))
			continue
		}
		if kind != "application/yaml" {
			if err := fits(doc, answers[kind].Schema, got.body); err != nil {
				t.Errorf("%s: %v\n%s", e.operation, err, got.body)
			}
		}
	}
	for operation := range left {
		t.Errorf("the operation %s is not exercised", operation)
	}
}

// pathOf is a path without its query if it is one of a template.
func pathOf(template, path string) string {
	path, _, _ = strings.Cut(path, "?")
	if ok, _ := regexp.MatchString("^"+regexp.MustCompile(`\{\w+\}`).ReplaceAllString(template, "[^/]+")+"$", path); ok {
		return path
	}
	return ""
}

// fits checks an answer against a schema of the document.
func fits(doc spec, schema json.RawMessage, body []byte) error {
	whole, err := json.Marshal(map[string]any{"allOf": []any{schema}, "components": doc.Components})
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(whole))
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:doc", value); err != nil {
		return err
	}
	compiled, err := c.Compile("mem:doc")
	if err != nil {
		return err
	}
	if value, err = jsonschema.UnmarshalJSON(bytes.NewReader(body)); err != nil {
		return err
	}
	return compiled.Validate(value)
}

// Every operation but those on health takes a key, and the right one.
func TestKeys(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	var doc spec
	w.ok(&doc, "", "GET", "/openapi.json", "")
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if strings.HasSuffix(path, "z") {
				continue
			}
			if len(op.Security) == 0 {
				t.Errorf("%s needs no key", op.OperationID)
			}
			asked := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(path, "x")
			method = strings.ToUpper(method)
			unknown, reply := w.refused(401, tool.Denied, "no-such-key", method, asked, "")
			none, _ := w.refused(401, tool.Denied, "", method, asked, "")
			if unknown.Detail != none.Detail || strings.Contains(string(reply.body), "no-such-key") || reply.header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s: %s", op.OperationID, reply.body)
			}
		}
	}
	w.refused(401, tool.Denied, "", "GET", "/v1/tools", "", "Authorization", "Basic "+annKey)
	w.refused(401, tool.Denied, strings.Repeat("k", 600), "GET", "/v1/tools", "")
}

// What a key may do is said by its scopes alone.
func TestScopes(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	id := w.forge(annKey, "add_numbers")
	w.refused(403, tool.Denied, lookKey, "POST", "/v1/forge", request(t, "other", adding))
	w.refused(403, tool.Denied, lookKey, "DELETE", "/v1/tools/"+id, "")
	w.refused(403, tool.Denied, annKey, "POST", "/v1/tools/"+id+"/promote", `{"to":"agent"}`)
	w.refused(403, tool.Denied, annKey, "GET", "/v1/tools?all=true", "")
	w.refused(403, tool.Denied, annKey, "GET", "/v1/audit/verify", "")
	w.refused(403, tool.Denied, annKey, "DELETE", "/v1/sessions/bob/http", "")
	var report struct {
		Output json.RawMessage `json:"output"`
	}
	w.ok(&report, lookKey, "POST", "/v1/tools/add_numbers/call", `{"a":1,"b":2}`)
	if string(report.Output) != `{"sum":3}` {
		t.Errorf("got %s", report.Output)
	}
	p, _ := w.refused(403, tool.Denied, graceKey, "POST", "/v1/tools/"+id+"/promote", `{"to":"agent","approvedBy":"linus"}`)
	if p.Path != "/approvedBy" {
		t.Errorf("a key approves in the name of another: %+v", p)
	}
}

// What is not there and what is not for the caller look the same, however it is asked for.
func TestForeignAndAbsentLookAlike(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	const other = "emergent:00000000-0000-4000-8000-000000000000"
	id := w.forge(annKey, "add_numbers", "Toolsmith-Session", "one")
	for _, path := range []string{"/v1/tools/%s", "/v1/tools/%s/versions", "/v1/tools/%s/diff", "/v1/tools/%s/export"} {
		for key, session := range map[string]string{otherKey: "one", bobKey: "one", annKey: "two"} {
			p, hidden := w.refused(404, tool.NotFound, key, "GET", fmt.Sprintf(path, id), "", "Toolsmith-Session", session)
			_, absent := w.refused(404, tool.NotFound, key, "GET", fmt.Sprintf(path, other), "", "Toolsmith-Session", session)
			if strings.ReplaceAll(string(hidden.body), id, other) != string(absent.body) {
				t.Errorf("%s: %s\n%s %+v", path, hidden.body, absent.body, p)
			}
		}
	}
	for key, session := range map[string]string{otherKey: "one", bobKey: "one", annKey: "two"} {
		_, hidden := w.refused(404, tool.NotFound, key, "POST", "/v1/tools/add_numbers/call", `{"a":1,"b":2}`, "Toolsmith-Session", session)
		_, absent := w.refused(404, tool.NotFound, key, "POST", "/v1/tools/sub_numbers/call", `{"a":1,"b":2}`, "Toolsmith-Session", session)
		if strings.ReplaceAll(string(hidden.body), "add_", "sub_") != string(absent.body) {
			t.Errorf("%s\n%s", hidden.body, absent.body)
		}
	}
	for _, key := range []string{otherKey, bobKey} {
		var page struct{ Items []json.RawMessage }
		w.ok(&page, key, "GET", "/v1/tools", "", "Toolsmith-Session", "one")
		if len(page.Items) != 0 {
			t.Errorf("%s", page.Items)
		}
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	var names []string
	for i := range 5 {
		name := fmt.Sprintf("tool_%d", i)
		w.forge(annKey, name)
		names = append(names, name)
	}
	var seen []string
	for path := "/v1/tools?limit=2&tier=session"; path != ""; {
		var page struct {
			Items []tool.Record
			Next  string
		}
		got := w.ok(&page, annKey, "GET", path, "")
		if len(page.Items) > 2 {
			t.Fatalf("%d tools on a page of 2", len(page.Items))
		}
		for _, r := range page.Items {
			seen = append(seen, r.Name)
			if r.Implementation.Code != "" {
				t.Errorf("a list has the code of %s", r.Name)
			}
		}
		path, _, _ = strings.Cut(strings.TrimPrefix(got.header.Get("Link"), "<"), ">")
		if (path == "") != (page.Next == "") || path != "" && !strings.Contains(path, "tier=session") {
			t.Fatalf("Link is %q, next %q", path, page.Next)
		}
		if len(seen) == 2 { // what goes meanwhile hides nothing
			w.ok(nil, annKey, "DELETE", "/v1/tools/tool_1", "")
		}
	}
	if !slices.Equal(seen, names) {
		t.Errorf("got %v", seen)
	}
	for _, query := range []string{"limit=0", "limit=201", "limit=x", "cursor=%21", "tier=none", "nothing=1", "limit=2&limit=3", "cursor=a&cursor=b"} {
		p, got := w.refused(422, tool.InvalidRequest, annKey, "GET", "/v1/tools?"+query, "")
		if query == "limit=x" && (len(p.Errors) != 1 || p.Errors[0].Location != "query.limit" || strings.Contains(string(got.body), `"x"`)) {
			t.Errorf("%s: %s", query, got.body)
		}
	}
}

// What is no cursor as it was given is none at all, wherever it is cut or changed.
func TestCursors(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	w.forge(annKey, "tool_1")
	w.forge(annKey, "tool_2")
	var page struct{ Next string }
	w.ok(&page, annKey, "GET", "/v1/tools?limit=1", "")
	cursors := []string{"x", "AQ", "AQAAAAA", "bm90aGluZw", page.Next + "AAAA", page.Next + "=", page.Next + "\n", "B" + page.Next[1:], strings.ToLower(page.Next)}
	for end := 1; end < len(page.Next); end++ {
		cursors = append(cursors, page.Next[:end], page.Next[end:])
	}
	for _, cursor := range cursors {
		p, _ := w.refused(422, tool.InvalidRequest, annKey, "GET", "/v1/tools?cursor="+url.QueryEscape(cursor), "")
		if !strings.Contains(p.Detail, "this is no cursor") || p.Path != "/query/cursor" || len(p.Errors) != 1 {
			t.Errorf("%q: %+v", cursor, p)
		}
	}
	w.ok(nil, annKey, "GET", "/v1/tools?cursor="+page.Next, "")
	for _, other := range []string{"/v1/catalog", "/v1/sessions"} {
		w.refused(422, tool.InvalidRequest, annKey, "GET", other+"?cursor="+page.Next, "")
	}
}

// The document says where it is served, who needs a key and may name a session, and which bodies may be left out.
func TestDocument(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	w.forge(annKey, "thrower")
	var doc struct {
		Servers []struct{ URL string }
		Paths   map[string]map[string]struct {
			Security    *[]json.RawMessage
			Parameters  []struct{ Name, In string }
			RequestBody struct{ Required bool }
		}
	}
	w.ok(&doc, "", "GET", "/openapi.json", "")
	if len(doc.Servers) != 1 || doc.Servers[0].URL != "/" {
		t.Errorf("it is served at %v", doc.Servers)
	}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			health := strings.HasSuffix(path, "z")
			if op.Security == nil || (len(*op.Security) == 0) != health {
				t.Errorf("%s %s: its security is %v", method, path, op.Security)
			}
			session := slices.Contains(op.Parameters, struct{ Name, In string }{server.SessionHeader, "header"})
			if session == health {
				t.Errorf("%s %s: its parameters are %v", method, path, op.Parameters)
			}
			if needed := path == "/v1/forge" || path == "/v1/import"; op.RequestBody.Required != needed {
				t.Errorf("%s %s: that its body is required is %v", method, path, op.RequestBody.Required)
			}
		}
	}
	p, _ := w.refused(422, tool.InvalidInput, annKey, "POST", "/v1/tools/thrower/call", "")
	if p.Path == "" && !strings.Contains(p.Detail, "the input of thrower") {
		t.Errorf("no input is not {}: %+v", p)
	}
}

func TestTags(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	id := w.forge(annKey, "add_numbers")
	tag := w.ok(nil, annKey, "GET", "/v1/tools/add_numbers", "").header.Get("ETag")
	if got := w.ask(annKey, "GET", "/v1/tools/"+id, "", "If-None-Match", `"x", `+tag); got.status != 304 || len(got.body) > 0 {
		t.Errorf("got %d %s", got.status, got.body)
	}
	w.refused(412, tool.Collision, annKey, "POST", "/v1/tools/add_numbers/suspend", `{}`, "If-Match", `"x"`)
	w.refused(412, tool.Collision, annKey, "POST", "/v1/tools/add_numbers/suspend", `{}`, "If-Match", "W/"+tag)
	if got := w.ask(annKey, "GET", "/v1/tools/"+id, "", "If-None-Match", "W/"+tag); got.status != 304 {
		t.Errorf("a weak tag: %d %s", got.status, got.body)
	}
	changed := w.ok(nil, annKey, "POST", "/v1/tools/add_numbers/suspend", `{}`, "If-Match", tag).header.Get("ETag")
	w.refused(412, tool.Collision, annKey, "DELETE", "/v1/tools/add_numbers", "", "If-Match", tag)
	if now := w.ok(nil, annKey, "GET", "/v1/tools/"+id, "").header.Get("ETag"); now != changed || now == tag {
		t.Errorf("before %s, changed %s, now %s", tag, changed, now)
	}
	w.ok(nil, annKey, "DELETE", "/v1/tools/add_numbers", "", "If-Match", changed)
}

// Whoever decides on a tool that others use meanwhile decides on what they have seen, as long as nobody else has decided on it. Who only
// looks is told of every use.
func TestTagsOfToolsInUse(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	w.forge(annKey, "add_numbers")
	tag := w.ok(nil, annKey, "GET", "/v1/tools/add_numbers", "").header.Get("ETag")
	w.ok(nil, annKey, "POST", "/v1/tools/add_numbers/call", `{"a":1,"b":2}`)
	var now reply
	for end := time.Now().Add(patience); now.status != http.StatusOK && time.Now().Before(end); time.Sleep(time.Millisecond) { // uses are written some time later
		now = w.ask(annKey, "GET", "/v1/tools/add_numbers", "", "If-None-Match", tag)
	}
	if now.status != http.StatusOK || now.header.Get("ETag") == tag || !strings.Contains(string(now.body), `"totalUses":1`) {
		t.Errorf("of a tool that was used there is %d %s, and was %s", now.status, now.header.Get("ETag"), tag)
	}
	w.refused(412, tool.Collision, annKey, "POST", "/v1/tools/add_numbers/suspend", `{}`, "If-Match", "W/"+tag)
	suspended := w.ok(nil, annKey, "POST", "/v1/tools/add_numbers/suspend", `{"reason":"one"}`, "If-Match", `"x", `+tag).header.Get("ETag")
	again := w.ok(nil, annKey, "POST", "/v1/tools/add_numbers/suspend", `{"reason":"two"}`, "If-Match", suspended).header.Get("ETag")
	for name, old := range map[string]string{"before the suspension": tag, "of another reason": suspended} {
		if p, _ := w.refused(412, tool.Collision, annKey, "POST", "/v1/tools/add_numbers/suspend", `{}`, "If-Match", old); p.Hint == "" {
			t.Errorf("%s: no hint", name)
		}
	}
	if again == suspended {
		t.Error("another reason has the same tag")
	}
}

// The session is the caller's word, within the persona of the key; whoever else a request claims to come from counts for nothing.
func TestIdentityIsTheKeys(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	var who struct{ Tenant, Persona, Session string }
	w.ok(&who, annKey, "GET", "/v1/caller", "", "Toolsmith-Session", "mine", "X-Tenant-Id", "evil", "X-Persona-Id", "admin")
	if who.Tenant != "acme" || who.Persona != "ann" || who.Session != "mine" {
		t.Errorf("got %+v", who)
	}
	w.ok(&who, annKey, "GET", "/v1/caller", "")
	if who.Session != "http" {
		t.Errorf("the usual session is %s", who.Session)
	}
	w.refused(422, tool.InvalidRequest, annKey, "GET", "/v1/caller", "", "Toolsmith-Session", strings.Repeat("s", 201))
	w.refused(422, tool.InvalidRequest, annKey, "GET", "/v1/caller", "", "Toolsmith-Session", "\xff")
	w.forge(annKey, "add_numbers")
	w.ask(annKey, "POST", "/v1/tools/add_numbers/call", `{"a":1,"b":2,"personaId":"admin","tenantId":"evil"}`)
	var log struct{ Items []tool.AuditEvent }
	w.ok(&log, graceKey, "GET", "/v1/audit?limit=1000", "")
	for _, e := range log.Items {
		if e.Tenant != "acme" || e.PersonaID != "ann" || e.SessionID != "http" {
			t.Errorf("%+v", e)
		}
	}
	w.ok(&log, annKey, "GET", "/v1/audit", "")
	if len(log.Items) == 0 {
		t.Error("a persona does not see its own entries")
	}
	w.ok(&log, bobKey, "GET", "/v1/audit", "")
	if len(log.Items) != 0 {
		t.Error("a persona sees the entries of another")
	}
}

// Without keys there is one local tenant, whoever asks.
func TestWithoutKeys(t *testing.T) {
	t.Parallel()
	w := open(t, "", withoutKeys)
	id := w.forge("", "add_numbers")
	var report struct{ Tool tool.Record }
	w.ok(&report, "ignored", "POST", "/v1/tools/"+url.PathEscape(id)+"/promote", `{"to":"agent","approvedBy":"grace"}`)
	if report.Tool.PromotedBy != "grace" || report.Tool.CreatedBy != "local" {
		t.Errorf("got %+v", report.Tool)
	}
}
