package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/runtime/tool"
)

// tenancy is an attack of one tenant on another, or of an agent on its operator: what holders of keys do one after the other. The
// outcome is that of the last step.
type tenancy struct {
	ID, Title, Expect string
	ExpectAny         []string
	Output            map[string]json.RawMessage
	Steps, Existing   []tenancyStep
	RawPrincipals     []struct{ Tenant, Agent, Session string }
	Config            struct{ MaxSessionTools int }
}

type tenancyStep struct {
	As, Op, Tool, To, Code string
	Request, Input         json.RawMessage
	Count                  int
	Parallel               bool
}

// onDisk are the cases in which somebody edits the files of the store, which no request can do.
var onDisk = []string{"ten-023", "ten-024", "ten-025"}

func readTenancy(t *testing.T) (list []tenancy) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "testdata", "attacks", "tenancy.json"))
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil || len(list) != 34 {
		t.Fatal(len(list), err)
	}
	return slices.DeleteFunc(list, func(a tenancy) bool { return slices.Contains(onDisk, a.ID) })
}

func TestTenancyAttacks(t *testing.T) {
	t.Parallel()
	for _, a := range readTenancy(t) {
		t.Run("api "+a.ID+" "+a.Title, func(t *testing.T) { t.Parallel(); a.play(t, func(h *house) door { return api{h} }) })
		if a.ID != "ten-032" { // packages do not go over this protocol
			t.Run("mcp "+a.ID+" "+a.Title, func(t *testing.T) { t.Parallel(); a.play(t, func(h *house) door { return protocol{h} }) })
		}
	}
}

// siege is a case that is being run at a door.
type siege struct {
	*house
	door
	a        tenancy
	texts    []string // of the answers
	exported string
	others   sync.WaitGroup // requests that go on beside
}

func (a tenancy) play(t *testing.T, way func(*house) door) {
	t.Helper()
	dir := ""
	if a.ID == "ten-026" { // whose store ends before the host
		dir = t.TempDir()
	}
	h := openHouse(t, dir, func(o *toolsmith.Options) {
		o.Config.SessionTools.Fuel = 20e6 // so that endless loops are over soon
		q := &o.Config.Quotas
		q.WaitingCalls, q.Tenant.ConcurrentCalls, q.Tenant.MemoryMB, o.Config.EmergentConfig.MaxConcurrentCalls = 8, 4, 256, 4
		if most := a.Config.MaxSessionTools; most > 0 {
			o.Config.EmergentConfig.MaxSessionTools = most
		}
	})
	s := &siege{house: h, door: way(h), a: a}
	defer s.others.Wait()
	for _, step := range a.Existing {
		if o := s.forge(s.visitor(step.As), string(step.Request)); o.code != "" {
			t.Fatal(o.text)
		}
	}
	var o outcome
	visitors := s.visitors()
	for i, step := range a.Steps {
		v := visitors[i]
		o = s.do(v, step)
		s.texts = append(s.texts, o.text)
		refused := v.key == "" || a.ID == "ten-016" && o.code == tool.NotFound
		if o.code != "" && i < len(a.Steps)-1 && !refused {
			t.Fatalf("step %d: %s", i+1, o.text)
		}
	}
	if !a.right(o.code) {
		t.Errorf("got %q %s; want %s or one of %q", o.code, o.text, a.Expect, a.ExpectAny)
	}
	s.confirm(o)
}

// right reports whether an outcome is one that the case allows. Refusals before anything is registered all count as a rejection at
// validation.
func (a tenancy) right(got tool.Code) bool {
	allowed := append([]string{a.Expect}, a.ExpectAny...)
	switch {
	case got == "":
		return slices.Contains(allowed, "ok")
	case a.ID == "ten-026" && got == tool.Unavailable: // a code that the corpus does not have
		return true
	case slices.Contains(allowed, "reject-at-validation") && got != tool.Internal:
		return true
	}
	return slices.Contains(allowed, "error:"+string(got))
}

// do makes a step.
func (s *siege) do(v visitor, step tenancyStep) (o outcome) {
	s.t.Helper()
	rest := api{s.house} // for what is done in one way only
	switch step.Op {
	case "forge":
		return s.forge(v, string(step.Request))
	case "call":
		return s.call(v, step.Tool, string(step.Input))
	case "call-code":
		name := s.throwing(v, step.Code)
		if o = s.call(v, name, `{"a":7,"b":7}`); o.code != tool.GuestError {
			s.t.Errorf("the code: %s", o.text)
		}
		return outcome{}
	case "last-error": // nobody can ask for one; what there is to read is what is one's own
		o, all := s.call(v, "last_error", "{}"), s.everything(v)
		o.text += all.text
		return o
	case "list":
		return s.everything(v)
	case "end-session":
		return rest.send(v, "DELETE", "/v1/sessions/agent1/"+v.session, "")
	case "spawn": // what spawns is offered to the manager of an agency alone
		return s.call(v, "spawn_specialist", string(step.Request))
	case "promote":
		return s.promote(v, step.Tool, tool.Tier(step.To), "")
	case "approve", "use-approval": // an approval is a promotion: there is nothing to carry to another tool
		return s.promote(v, s.named(v, step.Tool), tool.AgentTier, "reviewer")
	case "repeat-call":
		return s.repeat(v, step)
	case "parallel-call":
		return s.noise(v, step)
	case "forge-many":
		return s.forgeMany(v, step)
	case "export":
		o = rest.send(v, "GET", "/v1/tools/"+step.Tool+"/export?format=json&withSource=true", "")
		s.exported = o.text
		return o
	case "import":
		return imported(rest.send(v, "POST", "/v1/import", s.exported))
	case "fill-audit-disk":
		s.broken = true
		_ = s.shelf().Store().Close()
		return outcome{}
	case "verify-audit":
		return s.verify()
	}
	s.t.Fatalf("nothing is known of the step %s", step.Op)
	return o
}

// visitors are those of the steps.
func (s *siege) visitors() (list []visitor) {
	s.t.Helper()
	for i, step := range s.a.Steps {
		if i < len(s.a.RawPrincipals) {
			raw := s.a.RawPrincipals[i]
			list = append(list, s.agent(raw.Tenant, raw.Agent, raw.Session))
		} else {
			list = append(list, s.visitor(step.As))
		}
	}
	return list
}

// visitor is tenant/agent/session of the corpus.
func (s *siege) visitor(as string) visitor {
	s.t.Helper()
	parts := strings.SplitN(as+"//", "/", 3)
	names := map[string]string{"tenantA": victim, "tenantB": attacker}
	switch name, ok := names[parts[0]]; {
	case as == "", parts[0] == "human":
		return s.reviewer()
	case ok:
		return s.agent(name, parts[1], strings.Trim(parts[2], "/"))
	}
	return s.agent(parts[0], parts[1], strings.Trim(parts[2], "/"))
}

// named is what somebody calls a tool of the victim: its name, or for the reviewer, who does not see that, its id.
func (s *siege) named(v visitor, name string) string {
	s.t.Helper()
	if v != s.reviewer() {
		return name
	}
	return s.id(name)
}

// imported is an outcome with what came of a package.
func imported(o outcome) outcome {
	var result struct{ Tool tool.Record }
	if o.code == "" && json.Unmarshal([]byte(o.text), &result) == nil {
		o.output = fmt.Appendf(nil, `{"owner":%q,"rejudged":%v,"tier":%q}`, "tenantB", len(result.Tool.JudgeVerdicts) == 1, result.Tool.Tier)
	}
	return o
}

// throwing forges a tool whose tests pass, and that runs some code when it is called with 7.
func (s *siege) throwing(v visitor, code string) string {
	s.t.Helper()
	code = strings.Replace(code, "function execute(input) {", "function execute(input) { if (input.a !== 7) return { sum: input.a + input.b };", 1)
	if o := s.forge(v, request(s.t, "hostile", code)); o.code != "" {
		s.t.Fatal(o.text)
	}
	return "hostile"
}

// repeat calls a tool again and again.
func (s *siege) repeat(v visitor, step tenancyStep) (o outcome) {
	s.t.Helper()
	most := 2000
	if testing.Short() {
		most = 200
	}
	for range min(step.Count, most) {
		o = s.call(v, step.Tool, `{"a":1,"b":2}`)
		if o.code != "" && (step.Tool != "no_such_tool" || o.code != tool.NotFound && o.code != tool.OverQuota) {
			return o
		}
	}
	return outcome{}
}

// noise makes calls that never end by themselves, which go on while the next steps are made. The host ends some, and refuses those
// for which there is no room.
func (s *siege) noise(v visitor, step tenancyStep) outcome {
	s.t.Helper()
	name := s.throwing(v, step.Code)
	refused := make(chan bool, step.Count)
	for range step.Count {
		s.others.Go(func() {
			o := s.call(v, name, `{"a":7,"b":7}`)
			switch o.code {
			case tool.OutOfFuel, tool.OutOfMemory, tool.Timeout, tool.Suspended: // after some failures in a row
				refused <- false
			case tool.OverQuota:
				refused <- true
			default:
				s.t.Errorf("a call that has no end came to %s", o.text)
				refused <- false
			}
		})
	}
	s.t.Cleanup(func() {
		for range step.Count {
			if receive(s.t, refused, "the end of a call that never ends by itself") {
				return
			}
		}
		s.t.Error("there was room for all")
	})
	return outcome{}
}

// forgeMany returns the first refusal.
func (s *siege) forgeMany(v visitor, step tenancyStep) (first outcome) {
	s.t.Helper()
	outcomes := make(chan outcome, step.Count)
	var group sync.WaitGroup
	for i := range step.Count {
		one := func() { outcomes <- s.forge(v, request(s.t, fmt.Sprintf("tool_%d", i), adding)) }
		if step.Parallel {
			group.Go(one)
		} else {
			one()
		}
	}
	group.Wait()
	close(outcomes)
	registered := 0
	for o := range outcomes {
		if o.code == "" {
			registered++
		} else if first.code == "" {
			first = o
		}
	}
	first.output = fmt.Appendf(nil, `{"registered":%d}`, registered)
	return first
}

// verify says whether the logs of both tenants are whole, and that of the operator.
func (s *siege) verify() (o outcome) {
	s.t.Helper()
	whole := true
	for _, tenant := range []string{victim, attacker} {
		var chain struct{ OK bool }
		o = api{s.house}.send(s.administrator(tenant), "GET", "/v1/audit/verify", "")
		whole = whole && json.Unmarshal([]byte(o.text), &chain) == nil && chain.OK
	}
	_, err := s.shelf().Verify(s.t.Context(), operator.Tenant)
	o.output = fmt.Appendf(nil, `{"chainOk":%v}`, whole && err == nil)
	return o
}

// confirm compares facts.
func (s *siege) confirm(o outcome) {
	s.t.Helper()
	want := maps.Clone(s.a.Output) // the case is played at several doors
	list := func(name string) (texts []string) {
		if text, ok := want[name]; ok && json.Unmarshal(text, &texts) != nil {
			s.t.Fatal(text)
		}
		delete(want, name)
		return texts
	}
	for _, hidden := range list("mustNotContain") {
		if strings.Contains(o.text, hidden) {
			s.t.Errorf("%s shows in %s", hidden, o.text)
		}
	}
	for _, shown := range list("contains") {
		if log := (api{s.house}).send(s.administrator(victim), "GET", "/v1/audit", ""); !strings.Contains(log.text, shown) {
			s.t.Errorf("%s is not in %s", shown, log.text)
		}
	}
	if text, err := json.Marshal(want); len(want) > 0 && o.output != nil && (err != nil || string(o.output) != string(text)) {
		s.t.Errorf("got %s, want %s", o.output, text)
	}
	if s.a.ID == "ten-016" && strings.ReplaceAll(s.texts[1], "add_numbers", "X") != strings.ReplaceAll(s.texts[2], "no_such_tool", "X") {
		s.t.Errorf("another's: %s\nabsent: %s", s.texts[1], s.texts[2])
	}
	for _, text := range []string{victim, "agent1", "session1", "originalToolId"} {
		if s.exported != "" && strings.Contains(o.text, text) {
			s.t.Errorf("%s of the owner is taken over: %s", text, o.text)
		}
	}
	if strings.Contains(s.exported, victim) {
		s.t.Errorf("the tenant goes along with the package: %s", s.exported)
	}
	s.keptApart()
}

// keptApart checks that each tenant's log is of that tenant alone.
func (s *siege) keptApart() {
	s.t.Helper()
	if s.broken {
		return
	}
	for _, tenant := range []string{victim, attacker} {
		var log server.AuditPage
		o := api{s.house}.send(s.administrator(tenant), "GET", "/v1/audit?limit=1000", "")
		if err := json.Unmarshal([]byte(o.text), &log); err != nil || len(log.Items) == 0 {
			s.t.Error(err, o.text)
		}
		for _, e := range log.Items {
			if e.Tenant != tenant {
				s.t.Errorf("in the log of %s: %+v", tenant, e)
			}
		}
	}
}
