package server_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/runtime/tool"
)

// hidden is a house with add_numbers of the victim's. Absent are names of it that could be another's, by those it has.
func hidden(t *testing.T) (h *house, id string, absent map[string]string) {
	t.Helper()
	h = openHouse(t, "", nil)
	if o := (api{h}).forge(h.agent(victim, "agent1", "session1"), request(t, "add_numbers", adding)); o.code != "" {
		t.Fatal(o.text)
	}
	id = h.id("add_numbers")
	other := id[:len(id)-1] + map[bool]string{true: "1", false: "0"}[strings.HasSuffix(id, "0")]
	return h, id, map[string]string{"add_numbers": "sub_numbers", id: other}
}

// strangers may not know of it.
func (h *house) strangers() map[string]visitor {
	h.t.Helper()
	return map[string]visitor{
		"another tenant":  h.agent(attacker, "agent9", "session7"),
		"the same names":  h.agent(attacker, "agent1", "session1"),
		"another persona": h.agent(victim, "agent2", "session1"),
		"another session": h.agent(victim, "agent1", "session2"),
		"an auditor":      {h.key(holder{attacker, "agent1", "", "admin"}), "session1"},
	}
}

// Whoever may not know of a tool is answered, to the byte, as if it were not there: whatever is asked, by its name or its id, and
// whatever the key may do elsewhere.
func TestForeignAndAbsentLookTheSame(t *testing.T) {
	t.Parallel()
	h, id, names := hidden(t)
	for name, v := range h.strangers() {
		for _, p := range toolPaths(t, h) {
			for theirs, absent := range names {
				one, two := h.about(v, p, theirs), h.about(v, p, absent)
				if one.status == http.StatusOK || one.status != two.status {
					t.Errorf("%s: %v %s: %d %s and %d %s", name, p, theirs, one.status, one.body, two.status, two.body)
				}
				if strings.ReplaceAll(string(one.body), theirs, absent) != string(two.body) || !sameHeader(one.header, two.header) {
					t.Errorf("%s: %v %s:\n%v %s\n%v %s", name, p, theirs, one.header, one.body, two.header, two.body)
				}
			}
		}
		if name == "another session" { // the log is the persona's
			continue
		}
		if one, two := h.about(v, [2]string{"GET", "/v1/audit?tool={tool}"}, id), h.about(v, [2]string{"GET", "/v1/audit?tool={tool}"}, names[id]); string(one.body) != string(two.body) {
			t.Errorf("%s: %s and %s", name, one.body, two.body)
		}
	}
}

func TestForeignAndAbsentLookTheSameOverMCP(t *testing.T) {
	t.Parallel()
	h, _, names := hidden(t)
	d := protocol{h}
	for name, v := range h.strangers() {
		for theirs, absent := range names {
			ask := func(which string) (texts []string) {
				for _, o := range []outcome{
					d.call(v, which, "{}"), d.promote(v, which, tool.AgentTier, ""), d.use(v, "describe_tool", map[string]string{"tool": which}),
					d.read(v, "toolsmith://tools/"+which+"/source"), d.read(v, "toolsmith://tools/"+which+"/verdicts"),
				} {
					if o.code == "" {
						t.Errorf("%s: %s", name, o.text)
					}
					texts = append(texts, strings.ReplaceAll(o.text, which, "X"))
				}
				return texts
			}
			if one, two := ask(theirs), ask(absent); !slices.Equal(one, two) {
				t.Errorf("%s: %s\nand %s", name, one, two)
			}
		}
	}
}

// toolPaths are all operations on a tool that the document tells of.
func toolPaths(t *testing.T, h *house) (list [][2]string) {
	t.Helper()
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(h.server.Document(), &document); err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		for method := range document.Paths[path] {
			if strings.Contains(path, "{tool}") {
				list = append(list, [2]string{strings.ToUpper(method), path})
			}
		}
	}
	if len(list) < 11 {
		t.Fatalf("the document has %v", list)
	}
	return list
}

// bodies are what operations want to know, by how their paths end.
var bodies = map[string]string{"promote": `{"to":"agent"}`, "demote": `{"reason":"x"}`, "suspend": `{"reason":"x"}`, "revert": `{"version":"1"}`}

func (h *house) about(v visitor, p [2]string, which string) reply {
	h.t.Helper()
	body := ""
	if p[0] == http.MethodPost {
		if body = bodies[p[1][strings.LastIndex(p[1], "/")+1:]]; body == "" {
			body = "{}"
		}
	}
	return h.ask(v.key, p[0], strings.ReplaceAll(p[1], "{tool}", which), body, server.SessionHeader, v.session, "If-Match", "*")
}

func sameHeader(a, b http.Header) bool {
	a.Del("Date")
	b.Del("Date")
	return maps.EqualFunc(a, b, slices.Equal)
}

// A request says what is wanted. Who wants it is what the key says, and a request that says so itself is refused or not heard.
func TestClaims(t *testing.T) {
	t.Parallel()
	h := openHouse(t, "", nil)
	owner, stranger := h.agent(victim, "agent1", "session1"), h.agent(attacker, "agent9", "session7")
	d := api{h}
	if o := d.forge(owner, request(t, "add_numbers", adding)); o.code != "" {
		t.Fatal(o.text)
	}
	for name, o := range map[string]outcome{
		"a tenant in the query":     d.send(stranger, "GET", "/v1/tools?tenant="+victim, ""),
		"a persona in the query":    d.send(stranger, "GET", "/v1/catalog?persona=agent1", ""),
		"a session in the query":    d.send(stranger, "POST", "/v1/tools/add_numbers/call?session=session1", `{"a":1,"b":2}`),
		"a key in the query":        d.send(visitor{}, "GET", "/v1/tools?key="+owner.key, ""),
		"a tenant in a decision":    d.send(stranger, "POST", "/v1/tools/add_numbers/suspend", `{"reason":"x","tenant":"`+victim+`"}`),
		"a persona in a decision":   d.send(stranger, "POST", "/v1/tools/add_numbers/promote", `{"to":"agent","persona":"agent1"}`),
		"an approver in the query":  d.send(owner, "POST", "/v1/tools/add_numbers/promote?approvedBy=reviewer", `{"to":"agent"}`),
		"an approver in the body":   d.promote(owner, "add_numbers", tool.AgentTier, "reviewer"),
		"another's name":            d.promote(h.reviewer(), h.id("add_numbers"), tool.AgentTier, "director"),
		"a session of another":      d.send(stranger, "DELETE", "/v1/sessions/agent1/session1", ""),
		"a key in another scheme":   d.send(visitor{}, "GET", "/v1/tools", "", "Authorization", "Basic "+owner.key),
		"a key with more behind it": d.send(visitor{}, "GET", "/v1/tools", "", "Authorization", "Bearer "+owner.key+" "+stranger.key),
	} {
		if o.code == "" {
			t.Errorf("%s: %s", name, o.text)
		}
	}
	for _, v := range []visitor{owner, stranger} {
		var who, before tool.Caller
		if err := json.Unmarshal([]byte(d.send(v, "GET", "/v1/caller", "").text), &who); err != nil {
			t.Fatal(err)
		}
		h.ok(&before, v.key, "GET", "/v1/caller", "", server.SessionHeader, v.session)
		if who != before || who.Tenant == "" {
			t.Errorf("got %+v; without claims %+v", who, before)
		}
	}
	claimed := strings.Replace(request(t, "sub_numbers", adding), "{", `{"tenant":"`+victim+`","createdBy":"agent1","tier":"shared","judgeVerdicts":[],`, 1)
	if o := d.forge(stranger, claimed); o.code == "" {
		var result struct{ Tool tool.Record }
		if err := json.Unmarshal([]byte(o.text), &result); err != nil || result.Tool.CreatedBy != "agent9" || result.Tool.Tier != tool.SessionTier {
			t.Errorf("%v %s", err, o.text)
		}
	}
	if all := d.everything(owner); strings.Contains(all.text, "sub_numbers") {
		t.Errorf("it came to another tenant: %s", all.text)
	}
}

// What one tenant was given, such as a cursor, an ETag or an answer under an idempotency key, is nothing to another.
func TestNothingCanBeCarriedAcross(t *testing.T) {
	t.Parallel()
	h := openHouse(t, "", nil)
	d, owner, stranger := api{h}, h.agent(victim, "agent1", "session1"), h.agent(attacker, "agent1", "session1")
	for _, name := range []string{"add_numbers", "sum_numbers"} {
		if o := d.forge(owner, request(t, name, adding)); o.code != "" {
			t.Fatal(o.text)
		}
	}
	if o := d.send(owner, "POST", "/v1/tools/add_numbers/call", `{"a":1,"b":2}`, "Idempotency-Key", "k"); o.code != "" {
		t.Fatal(o.text)
	}
	if o := d.send(stranger, "POST", "/v1/tools/add_numbers/call", `{"a":1,"b":2}`, "Idempotency-Key", "k"); o.code != tool.NotFound {
		t.Errorf("the answer of another: %s", o.text)
	}
	var part struct {
		Items []json.RawMessage
		Next  string
	}
	h.ok(&part, owner.key, "GET", "/v1/tools?limit=1", "", server.SessionHeader, owner.session)
	if part.Next == "" {
		t.Fatal("there is no cursor")
	}
	h.ok(&part, stranger.key, "GET", "/v1/tools?cursor="+part.Next, "", server.SessionHeader, stranger.session)
	if len(part.Items) != 0 {
		t.Errorf("the list of another: %s", part.Items)
	}
	tag := h.ok(nil, owner.key, "GET", "/v1/tools/add_numbers", "", server.SessionHeader, owner.session).header.Get("ETag")
	if o := d.send(stranger, "POST", "/v1/tools/add_numbers/suspend", `{"reason":"x"}`, "If-Match", tag); o.code != tool.NotFound {
		t.Errorf("the tool of another: %s", o.text)
	}
}

// An approval counts once, for the very version that was approved, and stands in the name that the key has.
func TestApprovals(t *testing.T) {
	t.Parallel()
	h := openHouse(t, "", nil)
	d, owner, reviewer := api{h}, h.agent(victim, "agent1", "session1"), h.reviewer()
	if o := d.forge(owner, request(t, "add_numbers", adding)); o.code != "" {
		t.Fatal(o.text)
	}
	id := h.id("add_numbers")
	tag := h.ask(reviewer.key, "GET", "/v1/tools/"+id, "").header.Get("ETag")
	o := d.send(reviewer, "POST", "/v1/tools/"+id+"/promote", `{"to":"agent"}`, "If-Match", tag)
	var report server.PromotionReport
	if err := json.Unmarshal([]byte(o.text), &report); err != nil || o.code != "" || report.Tool.PromotedBy != "reviewer" || report.Tool.Tier != tool.AgentTier {
		t.Fatalf("%v %s", err, o.text)
	}
	before := h.promotions(id)
	if o := d.promote(reviewer, id, tool.AgentTier, ""); o.code != tool.InvalidRequest {
		t.Errorf("once more: %s", o.text)
	}
	if o := d.send(reviewer, "POST", "/v1/tools/"+id+"/promote", `{"to":"shared"}`, "If-Match", tag); o.code != tool.Collision {
		t.Errorf("for what the tool was before: %s", o.text)
	}
	if after := h.promotions(id); before != 1 || after != 1 {
		t.Errorf("the log has %d promotions, and then %d", before, after)
	}
	for _, query := range []string{"", "&newest=true"} { // passes over what the owner did
		var log server.AuditPage
		h.ok(&log, reviewer.key, "GET", "/v1/audit?limit=1&tool="+id+query, "")
		if len(log.Items) != 1 || log.Items[0].EventType != tool.Promoted {
			t.Errorf("what the reviewer did is not in %+v", log)
		}
	}
	another := "function execute(input) { return { sum: input.b + input.a }; }"
	if o := d.forge(owner, request(t, "add_numbers", another)); o.code != "" {
		t.Fatal(o.text)
	}
	var next struct{ Tool tool.Record }
	h.ok(&next, owner.key, "GET", "/v1/tools/add_numbers", "", server.SessionHeader, owner.session)
	if next.Tool.ID == id || next.Tool.Tier != tool.SessionTier || len(next.Tool.Approvals) != 0 || next.Tool.PromotedBy != "" {
		t.Errorf("the approval of another version counts: %+v", next.Tool)
	}
	if o := d.promote(owner, next.Tool.ID, tool.AgentTier, ""); o.code != tool.Denied {
		t.Errorf("the approval of another version is used: %s", o.text)
	}
}

// promotions is how many of a tool stand in the victim's log.
func (h *house) promotions(id string) (n int) {
	h.t.Helper()
	var log server.AuditPage
	h.ok(&log, h.administrator(victim).key, "GET", "/v1/audit?limit=1000&tool="+id, "")
	for _, e := range log.Items {
		if e.EventType == tool.Promoted {
			n++
		}
	}
	return n
}
