package tiers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// root is the operator of a host.
var root = tool.Actor{Caller: tool.Caller{Tenant: "local", Persona: "local", Session: "cli"}, Name: "root"}

func (w *world) tenant(name string) tiers.Tenant {
	w.t.Helper()
	made, _, err := w.CreateTenant(context.Background(), root, name, nil)
	w.must(err)
	return made
}

// names are those of the tenants that there are.
func (w *world) names() string {
	w.t.Helper()
	list, err := w.ListTenants(context.Background())
	w.must(err)
	var names []string
	for _, t := range list {
		names = append(names, t.Name)
	}
	return strings.Join(names, " ")
}

// logOf returns the types of a tenant's audit entries, oldest first.
func (w *world) logOf(tenant string) (list []tool.EventType) {
	w.t.Helper()
	events, err := w.Audit(context.Background(), tenant, tiers.AuditQuery{})
	w.must(err)
	for _, e := range events {
		list = append(list, e.EventType)
	}
	return list
}

// stored is all that the shelf keeps.
func (w *world) stored() []byte {
	w.t.Helper()
	var all bytes.Buffer
	w.must(tiers.Backup(context.Background(), w.Store(), &all))
	return all.Bytes()
}

func TestTenantIsMadeOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{})
	if got := w.names(); got != "local" {
		t.Errorf("at first there are %s", got)
	}
	made := w.tenant("acme")
	if made.Name != "acme" || made.CreatedBy != "root" || !made.CreatedAt.Equal(w.clock()) {
		t.Errorf("made %+v", made)
	}
	for _, name := range []string{"acme", "local"} {
		_, _, err := w.CreateTenant(t.Context(), root, name, nil)
		w.wants(tool.Collision, err)
	}
	for _, name := range []string{"", "Acme", "../acme", "a:b", "*", "admin", "ténant"} {
		_, _, err := w.CreateTenant(t.Context(), root, name, nil)
		w.wants(tool.InvalidRequest, err)
	}
	_, _, err := w.CreateTenant(t.Context(), tool.Actor{}, "other", nil)
	w.wants(tool.InvalidRequest, err)
	w.restart(nil)
	if got := w.names(); got != "acme local" {
		t.Errorf("afterwards there are %s", got)
	}
	if found, err := w.Tenant(t.Context(), "acme"); err != nil || found != made {
		t.Errorf("got %+v, %v", found, err)
	}
	_, err = w.Tenant(t.Context(), "other")
	w.wants(tool.NotFound, err)
	for _, tenant := range []string{"acme", "local"} {
		if got := w.logOf(tenant); !slices.Equal(got, []tool.EventType{tool.TenantCreated}) {
			t.Errorf("the log of %s tells %v", tenant, got)
		}
	}
}

func TestTenantThatAProgramJustUses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	w.put(ann1, "sum", "1")
	if got := w.names(); got != "acme local" {
		t.Errorf("there are %s", got)
	}
	w.tenant("acme") // from now on an operator minds it
	if got := w.found(ann1, "sum"); got != "v1 session" {
		t.Errorf("its tool is %s", got)
	}
}

func TestQuotaOfATenant(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	w.tenant("acme")
	want := tool.Quota{ConcurrentCalls: 3, JudgeCostPerDay: 0.5}
	for _, name := range []string{"acme", "local"} {
		if got, err := w.Quota(t.Context(), name); err != nil || got != (tool.Quota{}) {
			t.Errorf("at first %s has %+v, %v", name, got, err)
		}
		changed, err := w.SetQuota(t.Context(), root, name, want)
		w.must(err)
		if got, err := w.Quota(t.Context(), name); err != nil || got != want || changed.Quota != want {
			t.Errorf("%s has %+v, %v", name, got, err)
		}
	}
	_, err := w.SetQuota(t.Context(), root, "acme", tool.Quota{Tools: -1})
	w.wants(tool.InvalidRequest, err)
	_, err = w.SetQuota(t.Context(), root, "other", want)
	w.wants(tool.NotFound, err)
	events, err := w.Audit(t.Context(), "acme", tiers.AuditQuery{After: 1})
	w.must(err)
	if len(events) != 1 || string(events[0].Data) != `{"from":{},"tenant":"acme","to":{"concurrentCalls":3,"judgeCostPerDay":0.5}}` || events[0].Actor != "root" {
		t.Errorf("the log tells %+v", events)
	}
	if got, err := w.Quota(t.Context(), "nobody"); err != nil || got != (tool.Quota{}) {
		t.Errorf("a tenant that is none has %+v, %v", got, err)
	}
}

// furnish gives a tenant one of everything.
func (w *world) furnish(tenant string) {
	w.t.Helper()
	ctx := context.Background()
	by := tool.Actor{Caller: tool.Caller{Tenant: tenant, Persona: "ann", Session: "1"}}
	w.tenant(tenant)
	_, err := w.CreateKey(ctx, root, tenant, tiers.KeyRequest{Scopes: tool.AllScopes()})
	w.must(err)
	_, err = w.SetQuota(ctx, root, tenant, tool.Quota{Tools: 5})
	w.must(err)
	_, err = w.Attempt(ctx, by, nil)
	w.must(err)
	r, err := w.Put(ctx, by, draft("sum", "1"))
	w.must(err)
	_, err = w.Promote(ctx, by, r.ID, tool.Promotion{To: tool.AgentTier, ApprovedBy: "ann", Verdict: panel(true)})
	w.must(err)
	w.must(w.RecordUse(ctx, tenant, r.ID, tool.Use{Success: true, At: w.clock()}))
	w.must(w.Settle(ctx))
	w.must(w.Spend(ctx, by, "sum", tool.Held{}, tool.Spent{Calls: 1, InputTokens: 5}))
	for _, kind := range []tool.DocumentKind{tool.Mutations, tool.Skills, tool.SkillDrafts, tool.Workflows, tool.Evaluations, tool.Parameters} {
		for _, session := range []string{"", "1"} {
			d := tool.DocumentRef{Kind: kind, Tenant: tenant, Persona: "ann", Session: session}
			w.must(w.EditDocument(ctx, by, d, func([]byte) (tool.DocumentChange, error) { return tool.DocumentChange{Value: []byte(`{"a":1}`)}, nil }))
		}
	}
}

func TestDeletedTenantLeavesItsNameAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{})
	w.furnish("doomed")
	w.furnish("other")
	before := w.logOf("other")
	k := w.key("doomed", tiers.KeyRequest{})
	by := tool.Actor{Caller: tool.Caller{Tenant: "doomed", Persona: "ann", Session: "1"}}
	r, err := w.Find(t.Context(), by.Caller, "sum")
	w.must(err)
	w.must(w.RecordUse(t.Context(), "doomed", r.ID, tool.Use{Success: true, At: w.clock()})) // waits to be written
	w.must(w.DeleteTenant(t.Context(), root, "doomed"))

	if got := w.names(); got != "local other" {
		t.Errorf("there are %s", got)
	}
	_, err = w.Authenticate(t.Context(), k.Secret)
	w.wants(tool.Denied, err)
	w.must(w.Settle(t.Context()))
	_, err = w.Put(t.Context(), by, draft("sum", "1"))
	w.wants(tool.NotFound, err)
	_, err = w.Attempt(t.Context(), by, nil)
	w.wants(tool.NotFound, err)
	w.wants(tool.NotFound, w.DeleteTenant(t.Context(), root, "doomed"))
	_, err = w.CreateKey(t.Context(), root, "doomed", tiers.KeyRequest{Scopes: tool.AllScopes()})
	w.wants(tool.NotFound, err)
	_, _, err = w.CreateTenant(t.Context(), root, "doomed", nil)
	w.wants(tool.Collision, err)

	// What is left names it: its own name, and the log of the operator.
	left := 0
	w.must(w.Store().View(t.Context(), func(v tiers.Reader) error {
		return v.Scan(tiers.Range{}, func(key, value []byte) (bool, error) {
			if bytes.Contains(key, []byte("doomed")) {
				left++
			} else if bytes.Contains(value, []byte("doomed")) && !bytes.Contains(value, []byte(`"tenant":"local"`)) {
				t.Errorf("%q is left: %s", key, value)
			}
			return true, nil
		})
	}))
	if left != 1 {
		t.Errorf("%d keys of the store name it", left)
	}
	if got := w.logOf("local"); !slices.Equal(got[len(got)-2:], []tool.EventType{tool.TenantDeleting, tool.TenantDeleted}) {
		t.Errorf("the operator's log tells %v", got)
	}
	if got := w.logOf("other"); !slices.Equal(got, before) {
		t.Errorf("the log of another tenant tells %v", got)
	}
	if _, err := w.Find(t.Context(), tool.Caller{Tenant: "other", Persona: "ann", Session: "9"}, "sum"); err != nil {
		t.Errorf("the tool of another tenant: %v", err)
	}
	w.wants(tool.InvalidRequest, w.DeleteTenant(t.Context(), root, "local"))
	w.wants(tool.NotFound, w.DeleteTenant(t.Context(), root, "nobody"))
}

// failingStore fails every update from a number on.
type failingStore struct {
	tiers.Store
	left atomic.Int64
}

func (s *failingStore) Update(ctx context.Context, fn func(tiers.Txn) error) error {
	if s.left.Add(-1) < 0 {
		return tool.Errorf(tool.Unavailable, "the disk is gone")
	}
	return s.Store.Update(ctx, fn)
}

func TestDeletionThatWasCutOffIsFinished(t *testing.T) {
	t.Parallel()
	for n := range 24 {
		for name, finish := range map[string]func(*world) error{
			"by Load":         func(w *world) error { return w.Load(t.Context(), func(string) bool { return true }) },
			"by the next one": func(w *world) error { return w.DeleteTenant(t.Context(), root, "doomed") },
		} {
			t.Run(fmt.Sprintf("%s after %d", name, n), func(t *testing.T) { t.Parallel(); cutOff(t, int64(n), finish) })
		}
	}
}

// newFailingWorld is a world in memory whose store fails when it is told. The caller closes it.
func newFailingWorld(t *testing.T) (*world, *failingStore) {
	t.Helper()
	inner, err := tiers.OpenStore(t.Context(), tiers.StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	store := &failingStore{Store: inner}
	store.left.Store(1 << 40)
	w := &world{t: t, now: time.Date(2026, 9, 1, 8, 0, 0, 0, time.UTC)}
	w.opt = tiers.Options{Now: w.clock, Random: rand.NewChaCha8([32]byte{2}), TendEvery: -1, SourceKey: make([]byte, 32)}
	if w.Shelf, err = tiers.New(t.Context(), store, w.opt); err != nil {
		t.Fatal(err)
	}
	return w, store
}

func cutOff(t *testing.T, after int64, finish func(*world) error) {
	t.Helper()
	w, store := newFailingWorld(t)
	defer func() { w.check(); w.must(w.Close()) }()
	w.furnish("doomed")
	k := w.key("doomed", tiers.KeyRequest{})
	store.left.Store(after)
	err := w.DeleteTenant(t.Context(), root, "doomed")
	store.left.Store(1 << 40)
	if err == nil {
		if after < 10 {
			t.Fatal("nothing was cut off")
		}
		return
	}
	w.wants(tool.Unavailable, err)
	if _, err := w.Authenticate(t.Context(), k.Secret); (err == nil) != (after == 0) {
		t.Errorf("its key: %v", err)
	}
	if after == 0 { // it did not begin
		return
	}
	tenant, err := w.Tenant(t.Context(), "doomed")
	if err != nil || tenant.DeletingSince == nil {
		t.Fatalf("got %+v, %v", tenant, err)
	}
	_, err = w.CreateKey(t.Context(), root, "doomed", tiers.KeyRequest{Scopes: tool.AllScopes()})
	w.wants(tool.Inactive, err)
	_, err = w.Find(t.Context(), tool.Caller{Tenant: "doomed", Persona: "ann", Session: "1"}, "sum")
	w.wants(tool.NotFound, err)
	w.must(finish(w))
	if got := w.names(); got != "local" {
		t.Errorf("there are %s", got)
	}
	if n := bytes.Count(w.stored(), []byte(`"tenant":"doomed"`)); n != strings.Count(fmt.Sprint(w.logOf("local")), " ")+1 {
		t.Errorf("it is named %d times, the operator's log tells %v", n, w.logOf("local"))
	}
}

func TestOldStoresHaveTenantsToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	by := tool.Actor{Caller: tool.Caller{Tenant: "Old:Shop", Persona: "ann", Session: "1"}} // a name from before there were rules
	_, err := w.Put(t.Context(), by, draft("sum", "1"))
	w.must(err)
	k, err := w.CreateKey(t.Context(), root, "Old:Shop", tiers.KeyRequest{Scopes: tool.Scopes{tool.ScopeCall}})
	w.must(err)
	if p, err := w.Authenticate(t.Context(), k.Secret); err != nil || p.Tenant != "Old:Shop" {
		t.Errorf("got %+v, %v", p, err)
	}
	w.must(w.DeleteTenant(t.Context(), root, "Old:Shop"))
	if got := w.names(); got != "local" {
		t.Errorf("there are %s", got)
	}
}

// jsonOf is a value as it is printed.
func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
