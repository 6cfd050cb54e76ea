package tiers_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

func (w *world) key(tenant string, r tiers.KeyRequest) tiers.NewKey {
	w.t.Helper()
	if r.Scopes == nil {
		r.Scopes = tool.Scopes{tool.ScopeCall}
	}
	k, err := w.CreateKey(context.Background(), root, tenant, r)
	w.must(err)
	return k
}

// enters returns who a key stands for, as text; "" is nobody.
func (w *world) enters(secret string) string {
	w.t.Helper()
	p, err := w.Authenticate(context.Background(), secret)
	if errors.Is(err, tool.Denied) {
		return ""
	}
	w.must(err)
	return fmt.Sprintf("%s/%s %s %s", p.Tenant, p.Persona, p.KeyName, p.Scopes)
}

func TestKeyIsItsHoldersIdentity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{})
	w.tenant("acme")
	for want, r := range map[string]tiers.KeyRequest{
		"acme/local local call":                   {Scopes: tool.Scopes{tool.ScopeCall}},
		"acme/bot bot call,forge":                 {Persona: "bot", Scopes: tool.Scopes{tool.ScopeForge, tool.ScopeCall, tool.ScopeForge}},
		"acme/bot grace call,forge,approve,admin": {Persona: "bot", Name: "grace", Scopes: tool.AllScopes()},
	} {
		k := w.key("acme", r)
		if got := w.enters(k.Secret); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if !strings.HasPrefix(k.Secret, "tsk_"+k.ID+"_") || len(k.Secret) != 60 || strings.Contains(jsonOf(t, k.Key), k.Secret) {
			t.Errorf("the key is %+v", k)
		}
	}
	for path, r := range map[string]tiers.KeyRequest{
		"":           {},
		"/persona":   {Persona: "a\x00b", Scopes: tool.AllScopes()},
		"/name":      {Name: " grace", Scopes: tool.AllScopes()},
		"/expiresAt": {Scopes: tool.AllScopes(), ExpiresAt: w.clock()},
	} {
		_, err := w.CreateKey(t.Context(), root, "acme", r)
		w.wants(tool.InvalidRequest, err)
		if got := tool.AsError(err).Path; got != path {
			t.Errorf("%q is wrong, want %q", got, path)
		}
	}
	_, err := w.CreateKey(t.Context(), root, "acme", tiers.KeyRequest{Scopes: tool.Scopes{"root"}})
	w.wants(tool.InvalidRequest, err)
	_, err = w.CreateKey(t.Context(), root, "other", tiers.KeyRequest{Scopes: tool.AllScopes()})
	w.wants(tool.NotFound, err)
	if list, err := w.Keys(t.Context(), "acme"); err != nil || len(list) != 3 {
		t.Errorf("listed %v, %v", list, err)
	}
	_, err = w.Keys(t.Context(), "other")
	w.wants(tool.NotFound, err)
}

func TestTenantIsMadeWithItsFirstKeyOrNotAtAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	for _, r := range []tiers.KeyRequest{{}, {Scopes: tool.AllScopes(), ExpiresAt: w.clock()}} {
		_, _, err := w.CreateTenant(t.Context(), root, "acme", &r)
		w.wants(tool.InvalidRequest, err)
		if got := w.names(); got != "local" {
			t.Fatalf("there are %s", got)
		}
	}
	_, k, err := w.CreateTenant(t.Context(), root, "acme", &tiers.KeyRequest{Scopes: tool.AllScopes()})
	w.must(err)
	if got := w.enters(k.Secret); got != "acme/local local call,forge,approve,admin" {
		t.Errorf("its key is that of %q", got)
	}
}

func TestSecretOfAKeyIsKeptNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	w.tenant("acme")
	made := w.key("acme", tiers.KeyRequest{})
	rotated, err := w.RotateKey(t.Context(), root, "acme", made.ID, time.Hour)
	w.must(err)
	all := w.stored()
	for _, k := range []tiers.NewKey{made, rotated} {
		if secret := k.Secret[len("tsk_")+len(k.ID)+1:]; bytes.Contains(all, []byte(secret)) {
			t.Errorf("%s is in the store", secret)
		}
		sum := sha256.Sum256([]byte(k.Secret))
		if hash := hex.EncodeToString(sum[:]); bytes.Count(all, []byte(hash)) != 1 { // and so in no audit entry
			t.Errorf("its hash is there %d times", bytes.Count(all, []byte(hash)))
		}
	}
	for _, tenant := range []string{"acme", "local"} {
		if got := w.logOf(tenant); !slices.Equal(got, []tool.EventType{tool.TenantCreated, tool.KeyCreated, tool.KeyRotated}) {
			t.Errorf("the log of %s tells %v", tenant, got)
		}
	}
	events, err := w.Audit(t.Context(), "local", tiers.AuditQuery{After: 1, Limit: 1})
	w.must(err)
	if want := `{"keyId":"` + made.ID + `","name":"local","persona":"local","scopes":["call"],"tenant":"acme"}`; string(events[0].Data) != want {
		t.Errorf("told %s, want %s", events[0].Data, want)
	}
}

func TestKeysThatDoNotWorkLookTheSame(t *testing.T) {
	t.Parallel()
	w, other := newWorld(t, "", tiers.Options{}), newWorld(t, "", tiers.Options{})
	for _, name := range []string{"acme", "doomed"} {
		w.tenant(name)
	}
	revoked, expiring, good := w.key("acme", tiers.KeyRequest{}), w.key("acme", tiers.KeyRequest{ExpiresAt: w.clock().Add(time.Hour)}), w.key("acme", tiers.KeyRequest{})
	gone := w.key("doomed", tiers.KeyRequest{})
	rotated := w.key("acme", tiers.KeyRequest{})
	other.tenant("acme")
	for range 5 {
		other.key("acme", tiers.KeyRequest{})
	}
	unknown := other.key("acme", tiers.KeyRequest{})
	for _, k := range []tiers.NewKey{revoked, expiring, good, gone, rotated} {
		if w.enters(k.Secret) == "" {
			t.Fatal("a new key does not work")
		}
	}
	w.must(w.RevokeKey(t.Context(), root, "acme", revoked.ID))
	w.must(w.RevokeKey(t.Context(), root, "acme", revoked.ID))
	w.must(w.DeleteTenant(t.Context(), root, "doomed"))
	_, err := w.RotateKey(t.Context(), root, "acme", rotated.ID, 0)
	w.must(err)
	w.pass(time.Hour)
	_, want := w.Authenticate(t.Context(), unknown.Secret)
	w.wants(tool.Denied, want)
	for name, k := range map[string]tiers.NewKey{"revoked": revoked, "expired": expiring, "of a tenant that is gone": gone, "rotated": rotated} {
		p, err := w.Authenticate(t.Context(), k.Secret)
		if jsonOf(t, err) != jsonOf(t, want) || p.Tenant != "" {
			t.Errorf("%s: got %+v, %v", name, p, err)
		}
	}
	if w.enters(good.Secret) == "" {
		t.Error("a good key stopped working")
	}
	for _, id := range []string{revoked.ID, expiring.ID} {
		_, err := w.RotateKey(t.Context(), root, "acme", id, 0)
		w.wants(tool.Inactive, err)
	}
	w.wants(tool.NotFound, w.RevokeKey(t.Context(), root, "acme", unknown.ID))
	w.wants(tool.NotFound, w.RevokeKey(t.Context(), root, "local", good.ID)) // another tenant's
}

func TestMistypedKeyIsToldFromAWrongOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	w.tenant("acme")
	k := w.key("acme", tiers.KeyRequest{}).Secret
	typos := []string{"", "tsk_", k[:len(k)-1], k + "a", k + "\n", " " + k, strings.ToUpper(k), strings.Replace(k, "_", "-", 2), strings.Repeat("a", 1<<20), "Bearer " + k}
	for i := range len(k) {
		for _, c := range []byte("a2\n\x00\xff") {
			if k[i] != c {
				typos = append(typos, k[:i]+string([]byte{c})+k[i+1:])
			}
		}
	}
	for _, typo := range typos {
		_, err := w.Authenticate(t.Context(), typo)
		if !errors.Is(err, tool.Denied) || !strings.Contains(err.Error(), "not a key") || strings.Contains(jsonOf(t, err), k[30:]) {
			t.Fatalf("%.80q: %v", typo, err)
		}
	}
}

func TestRotatedKeyWorksOnForAWhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	w.tenant("acme")
	first := w.key("acme", tiers.KeyRequest{Persona: "bot"})
	rotate := func(grace time.Duration) tiers.NewKey {
		made, err := w.RotateKey(t.Context(), root, "acme", first.ID, grace)
		w.must(err)
		return made
	}
	works := func(when string, want bool, secret string) {
		if got := w.enters(secret) == "acme/bot bot call"; got != want {
			t.Errorf("%s it works: %v", when, got)
		}
	}
	second := rotate(time.Hour)
	works("within its grace", true, first.Secret)
	works("when it is new", true, second.Secret)
	w.pass(time.Hour)
	works("after its grace", false, first.Secret)
	works("an hour later", true, second.Secret)
	third := rotate(time.Hour)
	fourth := rotate(time.Hour)
	works("rotated twice", false, second.Secret)
	works("within its grace", true, third.Secret)
	fifth := rotate(0)
	works("rotated at once", false, fourth.Secret)
	works("when it is new", true, fifth.Secret)
	for _, grace := range []time.Duration{-1, tiers.MaxGrace + 1} {
		_, err := w.RotateKey(t.Context(), root, "acme", first.ID, grace)
		w.wants(tool.InvalidRequest, err)
	}
	rotate(time.Hour)
	w.must(w.RevokeKey(t.Context(), root, "acme", first.ID))
	works("revoked within its grace", false, fifth.Secret)
}

func TestKeyRemembersTheMinuteOfItsUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	w.tenant("acme")
	k := w.key("acme", tiers.KeyRequest{})
	last := func() *tool.Time {
		list, err := w.Keys(t.Context(), "acme")
		w.must(err)
		return list[0].LastUsedAt
	}
	if last() != nil {
		t.Error("it was used before it was")
	}
	w.pass(30 * time.Second)
	for range 3 {
		w.enters(k.Secret)
	}
	if got := last(); got == nil || !got.Equal(w.clock().Truncate(time.Minute)) {
		t.Errorf("last used %v", got)
	}
	w.pass(time.Hour)
	old := k
	k, err := w.RotateKey(t.Context(), root, "acme", k.ID, 0)
	w.must(err)
	w.enters(old.Secret)
	if got := last(); got.Equal(w.clock().Truncate(time.Minute)) {
		t.Error("a wrong key counts as a use")
	}
	w.enters(k.Secret)
	if got := last(); !got.Equal(w.clock().Truncate(time.Minute)) {
		t.Errorf("last used %v", got)
	}
}

func TestKeyIsNotUsedBeforeItIsMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	w.tenant("acme")
	w.pass(45 * time.Second)
	w.enters(w.key("acme", tiers.KeyRequest{}).Secret)
	list, err := w.Keys(t.Context(), "acme")
	w.must(err)
	if k := list[0]; k.LastUsedAt == nil || k.LastUsedAt.Before(k.CreatedAt.Time) {
		t.Errorf("made at %v, last used at %v", k.CreatedAt, k.LastUsedAt)
	}
}

func TestKeysOfATenantAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	w.tenant("acme")
	first := w.key("acme", tiers.KeyRequest{})
	for range tiers.MaxKeys - 1 {
		w.key("acme", tiers.KeyRequest{})
	}
	_, err := w.CreateKey(t.Context(), root, "acme", tiers.KeyRequest{Scopes: tool.AllScopes()})
	w.wants(tool.Limit, err)
	w.must(w.RevokeKey(t.Context(), root, "acme", first.ID))
	last := w.key("acme", tiers.KeyRequest{})
	list, err := w.Keys(t.Context(), "acme")
	w.must(err)
	if len(list) != tiers.MaxKeys || slices.ContainsFunc(list, func(k tiers.Key) bool { return k.ID == first.ID }) || w.enters(last.Secret) == "" {
		t.Errorf("%d keys are listed", len(list))
	}
}

func TestKeyed(t *testing.T) {
	t.Parallel()
	wants := func(t *testing.T, w *world, want bool) {
		t.Helper()
		if got, err := w.Keyed(t.Context()); err != nil || got != want {
			t.Errorf("got %v, %v", got, err)
		}
	}
	t.Run("a key that is revoked", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "", tiers.Options{})
		wants(t, w, false)
		_, err := w.SetQuota(t.Context(), root, "local", tool.Quota{Tools: 9})
		w.must(err)
		wants(t, w, false)
		k := w.key("local", tiers.KeyRequest{ExpiresAt: w.clock().Add(time.Hour)})
		wants(t, w, true)
		w.pass(time.Hour)
		wants(t, w, true)
		w.must(w.RevokeKey(t.Context(), root, "local", k.ID))
		wants(t, w, true)
	})
	t.Run("a tenant that is deleted", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "", tiers.Options{})
		w.tenant("acme")
		wants(t, w, true)
		w.must(w.DeleteTenant(t.Context(), root, "acme"))
		wants(t, w, true)
	})
}

// TestNoKeyLeadsToAnotherTenant plays with tenants and keys, and compares with a plain list of who may do what.
func TestNoKeyLeadsToAnotherTenant(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w, _ := newFailingWorld(t)
		defer func() { w.check(); w.must(w.Close()) }()
		g := game{w: w, holders: map[string]string{}, keys: map[string][]tiers.NewKey{}, gone: map[string]bool{}, suspended: map[string]bool{}}
		rt.Repeat(map[string]func(*rapid.T){
			"create": g.create, "key": g.makeKey, "rotate": g.rotate, "revoke": g.revoke, "delete": g.delete, "forge": g.forge, "suspend": g.suspend, "resume": g.resume, "": g.check,
		})
	})
}

type game struct {
	w       *world
	holders map[string]string // of every secret that ever was: its tenant, while it works
	keys    map[string][]tiers.NewKey
	gone    map[string]bool
	forged  int

	suspended map[string]bool
}

func (g *game) pick(rt *rapid.T) string {
	return rapid.SampledFrom([]string{"a", "b", "a-b", "local"}).Draw(rt, "tenant")
}

func (g *game) create(rt *rapid.T) {
	_, _, _ = g.w.CreateTenant(context.Background(), root, g.pick(rt), nil)
}

func (g *game) makeKey(rt *rapid.T) {
	tenant := g.pick(rt)
	if k, err := g.w.CreateKey(context.Background(), root, tenant, tiers.KeyRequest{Persona: "ann", Scopes: tool.AllScopes()}); err == nil {
		g.keys[tenant] = append(g.keys[tenant], k)
		g.holders[k.Secret] = tenant
	}
}

func (g *game) some(rt *rapid.T) (tenant string, k *tiers.NewKey) {
	tenant = g.pick(rt)
	if len(g.keys[tenant]) == 0 {
		return tenant, nil
	}
	return tenant, &g.keys[tenant][rapid.IntRange(0, len(g.keys[tenant])-1).Draw(rt, "key")]
}

func (g *game) rotate(rt *rapid.T) {
	tenant, k := g.some(rt)
	if k == nil {
		return
	}
	if made, err := g.w.RotateKey(context.Background(), root, tenant, k.ID, 0); err == nil {
		g.holders[k.Secret], g.holders[made.Secret] = "", tenant
		*k = made
	}
}

func (g *game) revoke(rt *rapid.T) {
	if tenant, k := g.some(rt); k != nil && !g.gone[tenant] {
		g.w.must(g.w.RevokeKey(context.Background(), root, tenant, k.ID))
		g.holders[k.Secret] = ""
	}
}

func (g *game) delete(rt *rapid.T) {
	tenant := g.pick(rt)
	if g.w.DeleteTenant(context.Background(), root, tenant) != nil {
		return
	}
	g.gone[tenant] = true
	for secret, of := range g.holders {
		if of == tenant {
			g.holders[secret] = ""
		}
	}
}

func (g *game) suspend(rt *rapid.T) {
	tenant := g.pick(rt)
	if _, err := g.w.SuspendTenant(context.Background(), root, tenant, "it floods"); err == nil {
		g.suspended[tenant] = true
	}
}

func (g *game) resume(rt *rapid.T) {
	tenant := g.pick(rt)
	if _, err := g.w.ResumeTenant(context.Background(), root, tenant); (err == nil) != (g.suspended[tenant] && !g.gone[tenant]) {
		rt.Fatalf("resuming %s: %v", tenant, err)
	}
	g.suspended[tenant] = false
}

// forge makes a tool that tells whose it is.
func (g *game) forge(rt *rapid.T) {
	tenant := g.pick(rt)
	if g.forged++; g.forged > 5 {
		return
	}
	by := tool.Actor{Caller: tool.Caller{Tenant: tenant, Persona: "ann", Session: "1"}}
	if _, err := g.w.Put(context.Background(), by, draft("tool_of_"+strings.ReplaceAll(tenant, "-", "_"), "1")); (err != nil) != g.gone[tenant] {
		rt.Fatalf("forging in %s: %v", tenant, err)
	}
}

func (g *game) check(rt *rapid.T) {
	ctx := context.Background()
	for secret, tenant := range g.holders {
		p, err := g.w.Authenticate(ctx, secret)
		if g.suspended[tenant] {
			g.w.wants(tool.Suspended, err)
			continue
		}
		if p.Tenant != tenant || (err == nil) != (tenant != "") {
			rt.Fatalf("%s leads to %q, want %q: %v", secret, p.Tenant, tenant, err)
		}
		if err != nil {
			continue
		}
		seen, err := g.w.Visible(ctx, tool.Caller{Tenant: p.Tenant, Persona: p.Persona, Session: "1"})
		g.w.must(err)
		for _, r := range seen {
			if r.Name != "tool_of_"+strings.ReplaceAll(tenant, "-", "_") {
				rt.Fatalf("a key of %s sees %s", tenant, r.Name)
			}
		}
	}
}

func TestKeysAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	w.tenant("acme")
	w.tenant("doomed")
	k, doomed := w.key("acme", tiers.KeyRequest{}), w.key("doomed", tiers.KeyRequest{})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 50 {
				_, _ = w.Authenticate(t.Context(), k.Secret)
				_, _ = w.Authenticate(t.Context(), doomed.Secret)
				w.pass(time.Minute)
			}
		})
		group.Go(func() {
			for range 5 {
				if _, err := w.RotateKey(t.Context(), root, "acme", k.ID, time.Hour); err != nil && !errors.Is(err, tool.Inactive) {
					t.Error(err)
				}
			}
		})
	}
	group.Go(func() { w.must(w.DeleteTenant(t.Context(), root, "doomed")) })
	group.Go(func() {
		w.must(w.RevokeKey(t.Context(), root, "acme", k.ID))
		if w.enters(k.Secret) != "" {
			t.Error("a key works after it was revoked")
		}
	})
	group.Wait()
}

func FuzzAuthenticate(f *testing.F) {
	s, err := tiers.Open(f.Context(), "", tiers.StoreOptions{}, tiers.Options{TendEvery: -1})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	k, err := s.CreateKey(f.Context(), root, "local", tiers.KeyRequest{Scopes: tool.AllScopes()})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("")
	f.Add("tsk_")
	f.Add("tsk_aaaaaaaaaaaaaaaa_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
	f.Add(k.Secret[:len(k.Secret)-1])
	f.Add(k.Secret + "\n")
	f.Add(strings.ToUpper(k.Secret))
	f.Add("tsk_" + k.ID + "_" + strings.Repeat("\r\n", 16) + "aaaaaaa")
	f.Add(k.Secret[:53])
	f.Fuzz(func(t *testing.T, presented string) {
		for _, text := range []string{presented, summed(presented)} {
			if text == k.Secret {
				continue
			}
			p, err := s.Authenticate(t.Context(), text)
			if !errors.Is(err, tool.Denied) || p.Tenant != "" || len(err.Error()) > 200 {
				t.Fatalf("%q: %+v, %v", text, p, err)
			}
		}
	})
}

// summed is text with the check sum that a key would have behind it.
func summed(text string) string {
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(text)))
	return text + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum))
}

func TestWrongSecretOfAKeyThatThereIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	k := w.key("local", tiers.KeyRequest{})
	body := k.Secret[:len(k.Secret)-7]
	if summed(body) != k.Secret {
		t.Fatal("a key is summed otherwise")
	}
	for i := range len(body) - len("tsk_") {
		at, c := len("tsk_")+i, "a"
		if body[at] == 'a' {
			c = "b"
		}
		_, err := w.Authenticate(t.Context(), summed(body[:at]+c+body[at+1:]))
		w.wants(tool.Denied, err)
	}
}

func BenchmarkAuthenticate(b *testing.B) {
	s, err := tiers.Open(b.Context(), b.TempDir(), tiers.StoreOptions{}, tiers.Options{TendEvery: -1})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	k, err := s.CreateKey(b.Context(), root, "local", tiers.KeyRequest{Scopes: tool.AllScopes()})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Authenticate(b.Context(), k.Secret); err != nil {
			b.Fatal(err)
		}
	}
}
