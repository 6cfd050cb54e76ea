package toolsmith_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/toolsmith"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// tenancy is a case of testdata/attacks/tenancy.json: what callers of several tenants do one after the other. The outcome is that
// of the last step.
type tenancy struct {
	attack
	Steps         []tenantStep
	RawPrincipals []struct{ Tenant, Agent, Session string }
	Existing      []tenantStep
	Config        struct{ MaxSessionTools int }
}

type tenantStep struct {
	As, Op, Tool, To, Code, Edit string
	Request, Input               json.RawMessage
	Count                        int
	Parallel                     bool
}

// operator makes tenants.
var operator = tool.Actor{Caller: tool.Caller{Tenant: "local", Persona: "local", Session: "cli"}, Name: "root"}

// play is a case that is being run.
type play struct {
	*world
	a      tenancy
	dir    string
	output string // of the last step
	pack   []byte // that was exported
}

func TestTenancyAttacks(t *testing.T) {
	t.Parallel()
	var list []tenancy
	text, err := os.ReadFile(filepath.Join("testdata", "attacks", "tenancy.json"))
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil || len(list) != 34 {
		t.Fatal(len(list), err)
	}
	for _, a := range list {
		t.Run(a.ID+" "+a.Title, func(t *testing.T) { t.Parallel(); a.play(t) })
	}
}

func (a tenancy) play(t *testing.T) {
	t.Helper()
	p := &play{a: a, dir: t.TempDir()}
	p.open(t)
	for _, step := range a.Existing {
		step.Op = "forge"
		p.must(p.do(caller(step.As), step))
	}
	var err error
	for i, step := range a.Steps {
		c := caller(step.As)
		if i < len(a.RawPrincipals) {
			raw := a.RawPrincipals[i]
			c = tool.Caller{Tenant: raw.Tenant, Persona: raw.Agent, Session: raw.Session}
		}
		err = p.do(c, step)
		refused := a.ID == "ten-016" && errors.Is(err, tool.NotFound) // the last step is refused in the same way
		if last := i == len(a.Steps)-1; err != nil && !last && !refused {
			t.Fatalf("step %d: %v", i+1, err)
		}
	}
	registering := a.Expect == "reject-at-validation" || strings.Contains(strings.Join(a.ExpectAny, " "), "reject-at-validation")
	full := a.ID == "ten-026" && errors.Is(err, tool.Unavailable) // a code that the corpus does not have
	if !full && !a.right(err, registering) {
		t.Fatalf("got %s, %v; want %s or one of %q", p.output, err, a.Expect, a.ExpectAny)
	}
	p.confirm(err)
}

func (p *play) open(t *testing.T) {
	t.Helper()
	p.world = open(t, p.dir, approveAll, func(opt *toolsmith.Options) {
		c := *opt.Config
		c.SessionTools.Fuel = 20e6 // so that 64 endless loops are over soon
		if most := p.a.Config.MaxSessionTools; most > 0 {
			c.EmergentConfig.MaxSessionTools = most
		}
		c.EmergentConfig.MaxForgeAttemptsPerSession = 100
		opt.Config = &c
	})
}

// caller reads tenant/agent/session.
func caller(as string) tool.Caller {
	parts := strings.Split(as+"//", "/")
	return tool.Caller{Tenant: parts[0], Persona: parts[1], Session: parts[2]}
}

// do makes a step.
func (p *play) do(c tool.Caller, s tenantStep) (err error) {
	p.t.Helper()
	ctx := p.t.Context()
	p.output = ""
	switch s.Op {
	case "forge":
		_, err = p.Forge(ctx, c, s.Request)
	case "call":
		p.output, err = p.call(c, s.Tool, string(s.Input))
	case "call-code":
		result, forgeErr := p.Forge(ctx, c, request(p.t, p.throwing(s.Code)))
		p.must(forgeErr)
		if _, err := p.call(c, result.Tool.Name, `{"a":7,"b":7}`); !errors.Is(err, tool.GuestError) {
			p.t.Errorf("the code: %v", err)
		}
	case "last-error": // nobody can ask for one; what there is to read is what is one's own
		_, err = p.call(c, "last_error", "{}")
		p.output = fmt.Sprint(err) + p.everything(c)
	case "list":
		err = p.list(c)
	case "end-session":
		_, err = p.shelf().EndSession(ctx, tool.Actor{Caller: c}, c)
	case "spawn": // what spawns is offered to the manager of an agency alone
		_, err = p.call(c, "spawn_specialist", string(s.Request))
	case "promote", "approve":
		err = p.promote(c, s)
	case "use-approval": // an approval is bound to the tool that it was given for; there is nothing to carry to another
		err = p.promote(c, tenantStep{Op: "promote", Tool: s.Tool, To: "agent"})
	case "repeat-call":
		err = p.repeat(c, s)
	case "parallel-call":
		err = p.noise(c, s)
	case "forge-many":
		err = p.forgeMany(c, s)
	case "export":
		r, findErr := p.shelf().Find(ctx, c, s.Tool)
		p.must(findErr)
		p.pack, err = p.ExportTool(ctx, tool.Actor{Caller: c}, r.ID, toolsmith.ExportOptions{WithSource: true})
	case "import":
		result, importErr := p.ImportTool(ctx, c, p.pack, forge.Trust{})
		if err = importErr; err == nil {
			p.output = fmt.Sprintf(`{"tier":%q,"rejudged":%v,"owner":%q}`, result.Tool.Tier, len(result.Tool.JudgeVerdicts) == 1, c.Tenant)
		}
	case "fill-audit-disk":
		p.must(p.shelf().Store().Close())
		p.closed = true
		p.t.Cleanup(func() { _ = p.Close() })
	case "tamper-audit":
		p.tamper(s.Edit)
	case "verify-audit":
		p.output = p.verify(err)
	default:
		p.t.Fatalf("nothing is known of the step %s", s.Op)
	}
	return err
}

// list is what a caller can find. A tenant whose name none can have gets no key, so that nobody can ask as it; and the library,
// which takes the word of the program it is part of, finds nothing there.
func (p *play) list(c tool.Caller) error {
	p.t.Helper()
	p.output = p.everything(c)
	if strings.Contains(p.output, "add_numbers") {
		p.t.Errorf("%+v sees %s", c, p.output)
	}
	if c.Tenant == "" {
		_, err := p.shelf().Authenticate(p.t.Context(), "")
		return err
	}
	if strings.HasPrefix(c.Tenant, "tenant") { // the corpus writes tenantB, and our names have no upper case
		return nil
	}
	_, _, err := p.shelf().CreateTenant(p.t.Context(), operator, c.Tenant, nil)
	return err
}

// everything is all that a caller can read.
func (p *play) everything(c tool.Caller) string {
	p.t.Helper()
	ctx := p.t.Context()
	var all strings.Builder
	tools, err := p.Tools(ctx, c)
	fmt.Fprintln(&all, tools, err)
	hits, err := p.Search(ctx, c, "adds two numbers", 10)
	fmt.Fprintln(&all, hits, err)
	similar, err := p.Capabilities(ctx, c)
	fmt.Fprintln(&all, similar, err)
	events, err := p.shelf().Audit(ctx, c.Tenant, tiers.AuditQuery{})
	fmt.Fprintln(&all, events, err)
	return all.String()
}

// throwing is a tool whose tests pass and that runs some code when it is called with 7.
func (p *play) throwing(code string) map[string]string {
	code = strings.Replace(code, "function execute(input) {", "function execute(input) { if (input.a !== 7) return { sum: input.a + input.b };", 1)
	return map[string]string{"name": `"hostile"`, "implementation": `{"mode":"sandbox","allowlist":[],"code":` + quoted(code) + `}`}
}

// promote asks for a promotion as the caller; approve names the caller as the person who approves.
func (p *play) promote(c tool.Caller, s tenantStep) error {
	p.t.Helper()
	if c.Tenant == "human" { // somebody who approves what is there
		c = tool.Caller{Tenant: "tenantA", Persona: "agent1", Session: "session1"}
		r, err := p.shelf().Find(p.t.Context(), c, s.Tool)
		p.must(err)
		_, _, err = p.Promote(p.t.Context(), tool.Actor{Caller: c, Name: "reviewer"}, r.ID, tool.AgentTier, "reviewer")
		return err
	}
	r, err := p.shelf().Find(p.t.Context(), c, s.Tool)
	if err != nil {
		return err
	}
	to, by := tool.Tier(s.To), ""
	if s.Op == "approve" { // for the shared tier, where a person's word is needed; see also tool.ScopeApprove
		r, _, err = p.Promote(p.t.Context(), tool.Actor{Caller: c, Name: "reviewer"}, r.ID, tool.AgentTier, "reviewer")
		p.must(err)
		to, by = tool.SharedTier, c.Persona
	}
	_, _, err = p.Promote(p.t.Context(), tool.Actor{Caller: c}, r.ID, to, by)
	now, findErr := p.shelf().Get(p.t.Context(), c.Tenant, r.ID)
	p.must(findErr)
	reviewed := len(now.JudgeVerdicts) > 1 // the host asks the panel by itself when a tool is used a lot
	p.output = fmt.Sprintf(`{"panelReviewed":%v}`, reviewed)
	if now.Tier != r.Tier && !reviewed {
		p.t.Errorf("nobody reviewed it, and it is %s now", now.Tier)
	}
	if errors.Is(err, tool.Rejected) || errors.Is(err, tool.InvalidRequest) { // finer codes than the corpus has
		return errors.Join(err, tool.Denied)
	}
	return err
}

func (p *play) repeat(c tool.Caller, s tenantStep) error {
	p.t.Helper()
	count := s.Count
	if testing.Short() {
		count = min(count, 2000)
	}
	for range count {
		_, err := p.call(c, s.Tool, `{"a":1,"b":2}`)
		if s.Tool == "no_such_tool" && (errors.Is(err, tool.NotFound) || errors.Is(err, tool.OverQuota)) {
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// noise makes calls that never end by themselves, which go on while the next steps are made.
func (p *play) noise(c tool.Caller, s tenantStep) error {
	p.t.Helper()
	result, err := p.Forge(p.t.Context(), c, request(p.t, p.throwing(s.Code)))
	if err != nil {
		return err
	}
	var begun, ended sync.WaitGroup
	p.t.Cleanup(ended.Wait)
	for range s.Count {
		begun.Add(1)
		ended.Go(func() {
			begun.Done()
			if _, err := p.call(c, result.Tool.Name, `{"a":7,"b":7}`); err == nil {
				p.t.Error("an endless call has ended")
			}
		})
	}
	begun.Wait()
	return nil
}

// forgeMany returns the first refusal.
func (p *play) forgeMany(c tool.Caller, s tenantStep) error {
	p.t.Helper()
	refusals := make(chan error, s.Count)
	var group sync.WaitGroup
	for i := range s.Count {
		one := func() {
			_, err := p.Forge(p.t.Context(), c, request(p.t, map[string]string{"name": fmt.Sprintf(`"tool_%d"`, i)}))
			refusals <- err
		}
		if s.Parallel {
			group.Go(one)
		} else {
			one()
		}
	}
	group.Wait()
	close(refusals)
	var refused error
	registered := 0
	for err := range refusals {
		if err == nil {
			registered++
		} else if refused == nil {
			refused = err
		}
	}
	p.output = fmt.Sprintf(`{"registered":%d}`, registered)
	return refused
}

// tamper edits the log in the files of the store.
func (p *play) tamper(edit string) {
	p.t.Helper()
	p.close()
	s, err := tiers.OpenStore(p.t.Context(), tiers.StoreOptions{Dir: filepath.Join(p.dir, "store")})
	p.must(err)
	p.must(s.Update(p.t.Context(), func(txn tiers.Txn) error {
		var keys, values [][]byte
		err := txn.Scan(tiers.Range{}, func(k, v []byte) (bool, error) {
			if bytes.Contains(k, []byte("audit_log\x00\x01tenantA\x00\x01entry")) {
				keys, values = append(keys, bytes.Clone(k)), append(values, bytes.Clone(v))
			}
			return true, nil
		})
		if err != nil {
			return err
		}
		switch edit {
		case "replace tenantA by tenantB in record 1":
			return txn.Set(keys[0], bytes.ReplaceAll(values[0], []byte("tenantA"), []byte("tenantB")))
		case "drop last record":
			return txn.Delete(keys[len(keys)-1])
		case "truncate to zero":
			for _, k := range append(keys, []byte("audit_heads\x00\x01tenantA\x00\x01")) {
				err = errors.Join(err, txn.Delete(k))
			}
			return err
		}
		p.t.Fatalf("nothing is known of the edit %q", edit)
		return nil
	}))
	p.must(s.Close())
	t := p.t.(*testing.T)
	p.open(t)
	p.closed = true // its log is broken, as the case wants it
	t.Cleanup(func() { _ = p.Close() })
}

// verify says whether all the logs are whole.
func (p *play) verify(err error) string {
	p.t.Helper()
	tenants, auditErr := p.shelf().Audited(p.t.Context())
	err = errors.Join(err, auditErr)
	for _, tenant := range tenants {
		_, broken := p.shelf().Verify(p.t.Context(), tenant)
		err = errors.Join(err, broken)
	}
	return fmt.Sprintf(`{"chainOk":%v}`, err == nil)
}

// confirm compares facts.
func (p *play) confirm(err error) {
	p.t.Helper()
	want := p.a.Output
	var hidden []string
	if list, ok := want["mustNotContain"]; ok {
		p.must(json.Unmarshal(list, &hidden))
		delete(want, "mustNotContain")
	}
	for _, text := range hidden {
		if strings.Contains(p.output, text) {
			p.t.Errorf("%s shows in %s", text, p.output)
		}
	}
	if list, ok := want["contains"]; ok {
		delete(want, "contains")
		var shown []string
		p.must(json.Unmarshal(list, &shown))
		for _, text := range shown {
			if log := p.everything(tool.Caller{Tenant: "tenantA", Persona: "agent1", Session: "session1"}); !strings.Contains(log, text) {
				p.t.Errorf("%s is not in %s", text, log)
			}
		}
	}
	if text, marshalErr := json.Marshal(want); len(want) > 0 && p.output != "" && (marshalErr != nil || !alike(p.output, string(text))) && (err == nil || want["registered"] != nil) {
		p.t.Errorf("got %s, want %s", p.output, text)
	}
	if p.a.ID == "ten-016" {
		p.looksAbsent()
	}
}

// looksAbsent compares what is another's with what is not there.
func (p *play) looksAbsent() {
	p.t.Helper()
	stranger := tool.Caller{Tenant: "tenantB", Persona: "agent9", Session: "session7"}
	_, theirs := p.call(stranger, "add_numbers", "{}")
	_, absent := p.call(stranger, "no_such_tool", "{}")
	if a, b := quoted(theirs.Error()), quoted(absent.Error()); strings.ReplaceAll(a, "add_numbers", "") != strings.ReplaceAll(b, "no_such_tool", "") {
		p.t.Errorf("another's: %s\nabsent: %s", a, b)
	}
}
