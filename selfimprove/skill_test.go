package selfimprove_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/selfimprove"
	"example.com/toolsmith/tiers"
)

var (
	annOne   = tool.Caller{Tenant: "acme", Persona: "ann", Session: "1"}
	annTwo   = tool.Caller{Tenant: "acme", Persona: "ann", Session: "2"}
	bobOne   = tool.Caller{Tenant: "acme", Persona: "bob", Session: "1"}
	operator = tool.Actor{Caller: tool.Caller{Tenant: "acme", Persona: "ops", Session: "cli"}, Name: "operator"}
)

// skillWorld is skills on a shelf in memory, with two folders to search.
type skillWorld struct {
	*selfimprove.Skills
	t     *testing.T
	shelf *tiers.Shelf
	dir   string
	now   time.Time
}

// markdown is a SKILL.md in a few words.
func markdown(name, category, more, body string) string {
	return fmt.Sprintf("---\nname: %s\ncategory: %s\ndescription: What %s is for.\n%s---\n%s\n", name, category, name, more, body)
}

func newSkillWorld(t *testing.T, opt selfimprove.SkillsOptions) *skillWorld {
	t.Helper()
	w := &skillWorld{t: t, dir: t.TempDir(), now: time.UnixMilli(1_700_000_000_000)}
	for name, category := range map[string]string{"pdf-tools": "documents", "tables": "documents", "web-search": "research", "first-aid": "health", "loose": "", "looser": ""} {
		w.write(name, markdown(name, category, "", "# "+name+"\n\nHow to "+name+"."))
	}
	shelf, err := tiers.Open(t.Context(), "", tiers.StoreOptions{}, tiers.Options{Source: tiers.NotStored, SourceKey: make([]byte, 32), TendEvery: -1})
	w.must(err)
	t.Cleanup(func() { w.must(shelf.Close()) })
	w.shelf = shelf
	opt.Folders = append([]string{w.dir}, opt.Folders...)
	opt.Now = func() time.Time { w.now = w.now.Add(time.Millisecond); return w.now }
	w.Skills = selfimprove.NewSkills(shelf, opt)
	return w
}

func (w *skillWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *skillWorld) write(name, text string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Join(w.dir, name), 0o700))
	w.must(os.WriteFile(filepath.Join(w.dir, name, "SKILL.md"), []byte(text), 0o600))
}

// later lets the folders be read anew.
func (w *skillWorld) later() { w.now = w.now.Add(time.Minute) }

// decide is a person's word on a request.
func (w *skillWorld) decide(persona, id string, approved bool) {
	w.t.Helper()
	_, err := w.Decide(w.t.Context(), operator, "acme", persona, id, approved, "")
	w.must(err)
}

// waits are the ids of what waits for a decision.
func (w *skillWorld) waits() (ids []string) {
	w.t.Helper()
	list, err := w.Approvals(w.t.Context(), "acme")
	w.must(err)
	for _, a := range list {
		ids = append(ids, a.ID)
	}
	return ids
}

// run runs the tool for a caller.
func (w *skillWorld) run(c tool.Caller, input string) (string, error) {
	w.t.Helper()
	out, err := w.Tool().Run(w.t.Context(), c, json.RawMessage(input))
	return string(out), err
}

// ok is the answer of a run that succeeds, and has some texts.
func (w *skillWorld) ok(c tool.Caller, input string, has ...string) string {
	w.t.Helper()
	out, err := w.run(c, input)
	if err != nil {
		w.t.Fatalf("%s: %v", input, err)
	}
	for _, text := range has {
		if !strings.Contains(out, text) {
			w.t.Errorf("%s: %s has no %s", input, out, text)
		}
	}
	return out
}

// fails checks that a run fails with a code and a text.
func (w *skillWorld) fails(c tool.Caller, input string, code tool.Code, has string) {
	w.t.Helper()
	out, err := w.run(c, input)
	if e := tool.AsError(err); e == nil || e.Code != code || !strings.Contains(e.Error(), has) || e.Hint == "" {
		w.t.Errorf("%s: %s %v, want %s, %q and a hint", input, out, err, code, has)
	}
}

// active is the ids of what a session has enabled.
func (w *skillWorld) active(c tool.Caller) string {
	w.t.Helper()
	list, err := w.List(w.t.Context(), c)
	w.must(err)
	ids := []string{}
	for _, k := range list.Skills {
		ids = append(ids, k.SkillID)
	}
	return strings.Join(ids, " ")
}

// events are the types of a tenant's audit entries.
func (w *skillWorld) events() (types []tool.EventType) {
	w.t.Helper()
	entries, err := w.shelf.Audit(w.t.Context(), "acme", tiers.AuditQuery{})
	w.must(err)
	for _, e := range entries {
		types = append(types, e.EventType)
	}
	return types
}

const enablePDF = `{"action":"enable","skillId":"pdf-tools"}`

func TestT275WildcardEnables(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{Allowlist: []string{"*"}})
	w.ok(annOne, enablePDF, `"status":"enabled"`, `"skillId":"pdf-tools"`, `"category":"documents"`, "How to pdf-tools.")
	w.ok(annOne, enablePDF, `"status":"enabled"`, `"alreadyActive":true`)
	if events := w.events(); len(events) != 1 || events[0] != tool.SkillEnabled {
		t.Errorf("audit: %v", events)
	}
	w.must(os.Remove(filepath.Join(w.dir, "tables", "SKILL.md")))
	w.fails(annOne, `{"action":"enable","skillId":"tables"}`, tool.Unavailable, `"tables" cannot be loaded`)
	if got := w.active(annOne); got != "pdf-tools" {
		t.Errorf("active: %s", got)
	}
}

func TestT276And277AllowlistEntries(t *testing.T) {
	t.Parallel()
	for entry, other := range map[string]string{"pdf-tools": "tables", "skill:PDF-Tools": "tables", "category:documents": "web-search", "category: Documents": "first-aid"} {
		w := newSkillWorld(t, selfimprove.SkillsOptions{Allowlist: []string{entry}, RequireApproval: true})
		w.ok(bobOne, fmt.Sprintf(`{"action":"enable","skillId":%q}`, other), `"status":"requires_approval"`)
		w.ok(annOne, enablePDF, `"status":"enabled"`)
	}
}

func TestT278SameCategoryIsEnabled(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{Allowlist: []string{"pdf-tools", "loose"}})
	w.fails(annOne, `{"action":"enable","skillId":"tables"}`, tool.Denied, "not permitted")
	w.ok(annOne, enablePDF)
	w.ok(annOne, `{"action":"enable","skillId":"tables"}`, `"status":"enabled"`)
	w.fails(annTwo, `{"action":"enable","skillId":"tables"}`, tool.Denied, "not permitted")
	w.ok(annOne, `{"action":"enable","skillId":"loose"}`, `"category":"uncategorized"`)
	w.fails(annOne, `{"action":"enable","skillId":"looser"}`, tool.Denied, "not permitted")
}

func TestT279NewCategoryNeedsApproval(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{RequireApproval: true})
	w.must(os.Remove(filepath.Join(w.dir, "web-search", "SKILL.md"))) // nothing was read yet
	w.must(os.RemoveAll(filepath.Join(w.dir, "web-search")))
	w.ok(annOne, `{"action":"search","query":"pdf"}`, `"pdf-tools"`)
	w.must(os.Remove(filepath.Join(w.dir, "pdf-tools", "SKILL.md"))) // what is not permitted is not loaded, so nobody misses it
	for range 2 {
		w.ok(annOne, `{"action":"enable","skillId":"pdf-tools","reason":"an invoice came"}`, `"status":"requires_approval"`,
			`"approvalId":"enable-pdf-tools-`, `"category":"documents"`, `"reason":`)
	}
	if got := w.active(annOne); got != "" {
		t.Errorf("active: %s", got)
	}
	w.write("pdf-tools", markdown("pdf-tools", "documents", "", "New."))
	w.later()
	w.ok(annOne, `{"action":"enable","skillId":"pdf-tools","reason":"an invoice came"}`, `"status":"requires_approval"`)
	waits, err := w.Approvals(t.Context(), "acme")
	w.must(err)
	if len(waits) != 1 || waits[0].Reason != "an invoice came" || waits[0].Persona != "ann" || waits[0].Current == nil || waits[0].Current.Content != "New." {
		t.Fatalf("%+v", waits)
	}
	id := waits[0].ID
	draft, err := w.Decide(t.Context(), operator, "acme", "ann", id, true, "fine")
	w.must(err)
	if draft.State != selfimprove.DraftApproved || draft.DecidedBy != "operator" || draft.Why != "fine" {
		t.Errorf("%+v", draft)
	}
	w.ok(annTwo, enablePDF, `"status":"enabled"`)
	w.ok(bobOne, enablePDF, `"status":"requires_approval"`)
	_, err = w.Decide(t.Context(), operator, "acme", "bob", id, false, "not for bob")
	w.must(err)
	w.fails(bobOne, enablePDF, tool.Denied, "not for bob")
	want := []tool.EventType{tool.SkillRequested, tool.SkillRequested, tool.SkillDecided, tool.SkillEnabled, tool.SkillRequested, tool.SkillDecided}
	if got := w.events(); !slices.Equal(got, want) {
		t.Errorf("audit: %v", got)
	}
}

func TestT280NotAllowedIsRefused(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{})
	w.fails(annOne, enablePDF, tool.Denied, "not permitted")
	list := w.ok(annOne, `{"action":"list"}`)
	if list != `{"skills":[],"disabled":[]}` {
		t.Errorf("a refusal leaves %s", list)
	}
}

func TestT281LockedSkillsStay(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{Locked: []string{"First-Aid"}, Active: []string{"tables"}})
	w.fails(annOne, `{"action":"disable","skillId":"first-aid"}`, tool.Denied, "locked")
	w.fails(annOne, `{"action":"propose","skillId":"first-aid","content":"Do nothing."}`, tool.Denied, "locked")
	w.ok(annOne, `{"action":"disable","skillId":"tables"}`, `"status":"disabled"`)
	if got := w.active(annOne); got != "first-aid" {
		t.Errorf("active: %s", got)
	}
	if got := w.active(annTwo); got != "first-aid tables" {
		t.Errorf("active in another session: %s", got)
	}
	w.ok(annOne, `{"action":"enable","skillId":"tables"}`, `"status":"enabled"`) // the operator has it active: no need to ask
}

func TestT282To284ListOfASession(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{Allowlist: []string{"*"}})
	w.ok(annOne, enablePDF)
	w.ok(annOne, `{"action":"list"}`, `"skills":[{"skillId":"pdf-tools","name":"pdf-tools","category":"documents","description":"What pdf-tools is for."}]`)
	for _, other := range []tool.Caller{annTwo, bobOne} {
		if got := w.active(other); got != "" {
			t.Errorf("%v has %s", other, got)
		}
	}
	w.ok(annOne, `{"action":"disable","skillId":"pdf-tools"}`, `"status":"disabled"`)
	w.ok(annOne, `{"action":"list"}`, `"skills":[]`, `"disabled":[{"skillId":"pdf-tools"`)
	w.fails(annOne, `{"action":"disable","skillId":"pdf-tools"}`, tool.Inactive, "not currently active")
	_, err := w.shelf.EndSession(t.Context(), tool.Actor{Caller: annOne}, annOne)
	w.must(err)
	w.ok(annOne, `{"action":"list"}`, `"disabled":[]`)
}

func TestSkillRequestsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{Allowlist: []string{"*"}, Have: selfimprove.SkillLookups{OS: "linux", Bin: func(string) bool { return false }}})
	w.write("needs-git", markdown("needs-git", "code", "metadata: {requires: {bins: [git]}}\n", "Use git."))
	w.write("for-people", markdown("for-people", "code", "disable-model-invocation: true\n", "Ask a person."))
	w.write("broken", "---\nname: [\n---\nText")
	for input, want := range map[string]struct {
		code tool.Code
		has  string
	}{
		`{"action":"enable"}`:                                    {tool.InvalidInput, "skillId is required"},
		`{"action":"disable"}`:                                   {tool.InvalidInput, "skillId is required"},
		`{"action":"search"}`:                                    {tool.InvalidInput, "query is required"},
		`{"action":"install"}`:                                   {tool.InvalidInput, "no action"},
		`{"action":"enable","skillId":"dynamic"}`:                {tool.NotFound, "no skill"},
		`{"action":"disable","skillId":"dynamic"}`:               {tool.NotFound, "no skill"},
		`{"action":"enable","skillId":"needs-git"}`:              {tool.Unavailable, "the program git"},
		`{"action":"enable","skillId":"for-people"}`:             {tool.Denied, "not for agents"},
		`{"action":"enable","skillId":"broken"}`:                 {tool.Rejected, "cannot be used"},
		`{"action":"propose","name":"x"}`:                        {tool.InvalidInput, "content is required"},
		`{"action":"propose","name":"A b","content":"c"}`:        {tool.InvalidInput, "no name"},
		`{"action":"propose","name":"a-b","content":"c"}`:        {tool.InvalidInput, "description is required"},
		`{"action":"propose","skillId":"dynamic","content":"c"}`: {tool.NotFound, "no skill"},
		`{"action":"propose","skillId":"tables","content":"` + "# tables\\n\\nHow to tables." + `"}`: {tool.InvalidInput, "says that already"},
	} {
		w.fails(annOne, input, want.code, want.has)
	}
	if _, err := w.run(annOne, `{"action":"list","more":1}`); !errors.Is(err, tool.InvalidRequest) {
		t.Errorf("an unknown member: %v", err)
	}
	if _, err := w.run(tool.Caller{Tenant: "acme", Persona: "ann"}, `{"action":"list"}`); !errors.Is(err, tool.InvalidRequest) {
		t.Errorf("no session: %v", err)
	}
}

func TestProposals(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{RequireApproval: true})
	w.ok(annOne, `{"action":"propose","name":"fold-maps","description":"How to fold maps.","content":"Fold twice."}`, `"status":"requires_approval"`, `"approvalId":"propose-fold-maps-`)
	w.fails(annOne, `{"action":"enable","skillId":"fold-maps"}`, tool.NotFound, "no skill")
	decide := func(approved bool) selfimprove.SkillApproval {
		t.Helper()
		waits, err := w.Approvals(t.Context(), "acme")
		w.must(err)
		if len(waits) != 1 {
			t.Fatalf("%d wait", len(waits))
		}
		_, err = w.Decide(t.Context(), operator, "acme", waits[0].Persona, waits[0].ID, approved, "")
		w.must(err)
		return waits[0]
	}
	if first := decide(true); first.Current != nil || first.Content != "Fold twice." {
		t.Errorf("%+v", first)
	}
	w.ok(annOne, `{"action":"enable","skillId":"fold-maps"}`, `"status":"enabled"`, "Fold twice.")
	w.fails(bobOne, `{"action":"enable","skillId":"fold-maps"}`, tool.NotFound, "no skill") // it is ann's

	w.ok(annOne, `{"action":"propose","skillId":"skill:Fold-Maps","content":"Fold thrice."}`, `"status":"requires_approval"`)
	if edit := decide(false); edit.Current == nil || edit.Current.Content != "Fold twice." || edit.Description != "How to fold maps." {
		t.Errorf("%+v", edit)
	}
	if k, err := w.Show(t.Context(), "acme", "ann", "fold-maps"); err != nil || k.Content != "Fold twice." {
		t.Errorf("a refused edit leaves %+v %v", k, err)
	}
	w.ok(annOne, `{"action":"propose","skillId":"pdf-tools","content":"Better."}`)
	if edit := decide(true); edit.Category != "documents" || edit.Current.Content != "# pdf-tools\n\nHow to pdf-tools." {
		t.Errorf("%+v", edit)
	}
	w.ok(annOne, `{"action":"propose","skillId":"pdf-tools","content":"Best."}`)
	decide(true)
	for persona, want := range map[string]string{"ann": "Best.", "bob": "# pdf-tools\n\nHow to pdf-tools."} {
		if k, err := w.Show(t.Context(), "acme", persona, "pdf-tools"); err != nil || k.Content != want {
			t.Errorf("%s sees %+v %v", persona, k, err)
		}
	}
	n := 0
	w.must(w.shelf.Documents(t.Context(), tool.DocumentRef{Kind: tool.SkillDrafts, Tenant: "acme", Persona: "ann"}, func(string, []byte) (bool, error) { n++; return true, nil }))
	if n != 3 {
		t.Errorf("%d drafts are kept, want the two that hold, and the one that was refused", n)
	}
}

func TestPendingRequestsAreBounded(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{RequireApproval: true})
	for i := range selfimprove.MaxPendingDrafts {
		w.ok(annOne, fmt.Sprintf(`{"action":"propose","name":"skill-%d","description":"d","content":"c"}`, i))
	}
	w.fails(annOne, `{"action":"propose","name":"one-more","description":"d","content":"c"}`, tool.Limit, "wait for a decision")
	w.fails(annOne, enablePDF, tool.Limit, "wait for a decision")
	w.ok(bobOne, enablePDF, "requires_approval")
	_, err := w.Propose(t.Context(), tool.Actor{Caller: annOne}, selfimprove.SkillProposal{Name: "a", Description: "d", Content: strings.Repeat("c", selfimprove.MaxProposalBytes+1)})
	if !errors.Is(err, tool.InvalidInput) {
		t.Errorf("a long proposal: %v", err)
	}
}

func TestOnlyThePersonasOwnRequestsAreDecided(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{RequireApproval: true})
	w.ok(annOne, enablePDF)
	other := tool.Actor{Caller: tool.Caller{Tenant: "evil", Persona: "ops", Session: "1"}, Name: "mallory"}
	for _, try := range []struct {
		by          tool.Actor
		persona, id string
	}{{other, "ann", "enable-pdf-tools"}, {operator, "bob", "enable-pdf-tools"}, {operator, "ann", "enable-tables"}, {operator, "ann", ""}} {
		if _, err := w.Decide(t.Context(), try.by, "acme", try.persona, try.id, true, ""); !errors.Is(err, tool.NotFound) {
			t.Errorf("%+v: %v", try, err)
		}
	}
	w.ok(annOne, enablePDF, "requires_approval")
}

func TestT307PromptContext(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{Allowlist: []string{"*"}})
	prompt := func() string {
		t.Helper()
		text, err := w.PromptContext(t.Context(), annOne)
		w.must(err)
		return text
	}
	if got := prompt(); got != "" {
		t.Errorf("a prompt without skills: %s", got)
	}
	w.ok(annOne, `{"action":"enable","skillId":"tables"}`)
	w.ok(annOne, `{"action":"disable","skillId":"tables"}`)
	w.write("pdf-tools", markdown("pdf-tools", "documents", "", strings.Repeat("é", 1300)))
	w.ok(annOne, enablePDF)
	got := prompt()
	for _, want := range []string{"## Skills\n", "\n### pdf-tools (documents)\n\nWhat pdf-tools is for.\n\n" + strings.Repeat("é", 1200) + "…\n", "\nDisabled in this session: tables\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if strings.Contains(got, "Enabled besides") {
		t.Error("there are no others")
	}
	for _, id := range []string{"loose", "looser", "web-search", "first-aid"} {
		w.ok(annOne, fmt.Sprintf(`{"action":"enable","skillId":%q}`, id))
	}
	if got = prompt(); strings.Count(got, "\n### ") != 3 || !strings.Contains(got, "\nEnabled besides: 2 (web-search, first-aid)\n") {
		t.Error(got)
	}
}

func TestT308NamesAndIdsAreTheSame(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{Allowlist: []string{"*"}})
	w.write("invoices", markdown("Reading Invoices", "finance", "metadata: {openclaw: {skillKey: inv}}\n", "Read."))
	w.ok(annOne, `{"action":"enable","skillId":"SKILL:Inv"}`, `"skillId":"inv"`, `"name":"Reading Invoices"`)
	w.ok(annOne, `{"action":"disable","skillId":"skill:reading invoices"}`, `"skillId":"inv"`)
	w.ok(annOne, `{"action":"list"}`, `"skills":[]`, `"disabled":[{"skillId":"inv"`)
	w.ok(annOne, `{"action":"enable","skillId":"inv"}`)
	w.ok(annOne, `{"action":"list"}`, `"skills":[{"skillId":"inv"`, `"disabled":[]`)
}

func TestT309DisabledSkillsAreNotFound(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{Allowlist: []string{"*"}, Active: []string{"pdf-tools"}})
	w.ok(annOne, `{"action":"search","query":"WHAT documents"}`, `"count":2`, `{"number":1,"skillId":"pdf-tools"`, `"active":true`, `{"number":2,"skillId":"tables"`)
	w.ok(annOne, `{"action":"disable","skillId":"pdf-tools"}`)
	if out := w.ok(annOne, `{"action":"search","query":"what documents"}`, `"count":1`, `{"number":1,"skillId":"tables"`); strings.Contains(out, "pdf-tools") {
		t.Error(out)
	}
	w.ok(annTwo, `{"action":"search","query":"what documents"}`, `"count":2`)
	w.ok(annOne, `{"action":"search","query":"nothing like it"}`, `{"count":0,"results":[]}`)
}

func TestReportAndRetire(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{Allowlist: []string{"*"}, Active: []string{"loose"}})
	text := "Open the file, look at every page, and write down the totals of all tables."
	w.write("a-pages", "---\ndescription: One.\n---\n"+text)
	w.write("b-pages", "---\ndescription: Two.\n---\n# Title\n"+text)
	w.write("broken", "---\nname: x")
	w.ok(annOne, enablePDF)
	report, err := w.Report(t.Context(), "acme", "bob")
	w.must(err)
	if len(report.Duplicates) == 0 || report.Duplicates[0].SkillID != "a-pages" || report.Duplicates[0].Other != "b-pages" || report.Duplicates[0].Same != "content" {
		t.Errorf("duplicates: %+v", report.Duplicates)
	}
	if len(report.Broken) != 1 || !strings.Contains(report.Broken[0].Problem, "no end") || report.Skills != 8 {
		t.Errorf("%d skills, broken: %+v", report.Skills, report.Broken)
	}
	ids := []string{}
	for _, k := range report.Unused {
		ids = append(ids, k.SkillID)
	}
	if got := strings.Join(ids, " "); got != "a-pages b-pages first-aid looser tables web-search" {
		t.Errorf("unused: %s", got)
	}
	_, err = w.Retire(t.Context(), operator, "ann", "PDF-tools", "nobody reads")
	w.must(err)
	if got := w.active(annOne); got != "loose" {
		t.Errorf("active: %s", got)
	}
	w.fails(annOne, enablePDF, tool.NotFound, "no skill")
	w.fails(annOne, `{"action":"propose","name":"pdf-tools","description":"d","content":"c"}`, tool.Collision, "retired")
	w.ok(bobOne, enablePDF, `"enabled"`)
	w.must(w.Restore(t.Context(), operator, "ann", "skill:pdf-tools"))
	w.ok(annOne, enablePDF, `"alreadyActive":true`)
	if err := w.Restore(t.Context(), operator, "ann", "pdf-tools"); !errors.Is(err, tool.NotFound) {
		t.Errorf("it was not retired: %v", err)
	}
	if events := w.events(); !slices.Contains(events, tool.SkillRetired) || !slices.Contains(events, tool.SkillRestored) {
		t.Errorf("audit: %v", events)
	}
}

func TestSkillsAreBoundedAndCanceled(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{Allowlist: []string{"*"}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Catalogue(ctx, "acme", "ann"); !errors.Is(err, tool.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	for i := range selfimprove.MaxSkills {
		w.write(fmt.Sprintf("n%04d", i), "Text.")
	}
	list, err := w.Catalogue(t.Context(), "acme", "ann")
	w.must(err)
	last := list[len(list)-1]
	if len(list) != selfimprove.MaxSkills+1 || list[0].Content != "" || last.Problem != `6 more folders are not read, from "n0997" on: at most 1000 skills are` {
		t.Errorf("%d skills, and %s", len(list), last.Problem)
	}
	for i := range selfimprove.MaxSessionSkills {
		w.ok(annOne, fmt.Sprintf(`{"action":"enable","skillId":"n%04d"}`, i))
	}
	w.fails(annOne, `{"action":"enable","skillId":"first-aid"}`, tool.Limit, "50 skills already")
}

func TestProposalsAreBounded(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{})
	w.write("日本", "Text.")
	w.fails(annOne, `{"action":"propose","skillId":"日本","content":"c"}`, tool.NotFound, "no skill")
	propose := func(name string) string {
		return fmt.Sprintf(`{"action":"propose","name":%q,"description":"d","content":"c"}`, name)
	}
	for i := range selfimprove.MaxProposals {
		var change selfimprove.SkillChange
		w.must(json.Unmarshal([]byte(w.ok(annOne, propose(fmt.Sprintf("skill-%d", i)))), &change))
		_, err := w.Decide(t.Context(), operator, "acme", "ann", change.ApprovalID, true, "")
		w.must(err)
	}
	w.fails(annOne, propose("one-more"), tool.Limit, "100 proposals already")
	_, err := w.Retire(t.Context(), operator, "ann", "skill-7", "")
	w.must(err)
	w.ok(annOne, propose("one-more"), "requires_approval")
}
