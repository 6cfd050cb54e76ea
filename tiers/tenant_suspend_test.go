package tiers_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// A suspended tenant is stopped, whoever holds a key of it is told why, and once it is resumed all is as it was.
func TestSuspendedTenant(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{})
	w.tenant("acme")
	w.tenant("other")
	_, err := w.SetQuota(t.Context(), root, "acme", tool.Quota{Tools: 9})
	w.must(err)
	k, revoked, free := w.key("acme", tiers.KeyRequest{}), w.key("acme", tiers.KeyRequest{}), w.key("other", tiers.KeyRequest{})
	w.must(w.RevokeKey(t.Context(), root, "acme", revoked.ID))
	w.put(ann1, "sum", "1")
	w.pass(time.Hour)
	stopped, err := w.SuspendTenant(t.Context(), root, "acme", "it floods others")
	w.must(err)
	if s := stopped.Suspended; s == nil || !s.Since.Equal(w.clock()) || s.By != "root" || s.Reason != "it floods others" {
		t.Errorf("the suspension is %+v", s)
	}
	w.restart(nil)
	late := w.key("acme", tiers.KeyRequest{})
	for _, secret := range []string{k.Secret, late.Secret} {
		_, err := w.Authenticate(t.Context(), secret)
		w.wants(tool.Suspended, err)
		if e := tool.AsError(err); !strings.Contains(e.Message, "acme is suspended: it floods others") || e.Hint == "" {
			t.Errorf("the holder is told %+v", e)
		}
	}
	_, err = w.Authenticate(t.Context(), revoked.Secret)
	w.wants(tool.Denied, err)
	if w.enters(free.Secret) == "" {
		t.Error("another tenant is suspended, too")
	}
	_, err = w.SuspendTenant(t.Context(), root, "acme", "and more")
	w.must(err)
	if found, err := w.Tenant(t.Context(), "acme"); err != nil || found.Suspended.Reason != "and more" || found.Quota.Tools != 9 {
		t.Errorf("the tenant is %+v, %v", found, err)
	}
	resumed, err := w.ResumeTenant(t.Context(), root, "acme")
	w.must(err)
	if resumed.Suspended != nil || resumed.Quota.Tools != 9 || w.enters(k.Secret) == "" || w.enters(late.Secret) == "" || w.found(ann1, "sum") != "v1 session" {
		t.Errorf("after it was resumed it is %+v, and its tool is %s", resumed, w.found(ann1, "sum"))
	}
	want := []tool.EventType{tool.TenantSuspended, tool.KeyCreated, tool.TenantSuspended, tool.TenantResumed}
	for _, tenant := range []string{"acme", "local"} {
		if log := w.logOf(tenant); !slices.Equal(log[len(log)-len(want):], want) {
			t.Errorf("the log of %s tells %v", tenant, log)
		}
	}
}

func TestWhatIsNotSuspended(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	w.tenant("acme")
	w.tenant("gone")
	w.must(w.DeleteTenant(t.Context(), root, "gone"))
	for _, test := range []struct {
		tenant, reason string
		want           tool.Code
	}{
		{"local", "x", tool.InvalidRequest},
		{"acme", " \n", tool.InvalidRequest},
		{"gone", "x", tool.NotFound},
		{"nobody", "x", tool.NotFound},
	} {
		_, err := w.SuspendTenant(t.Context(), root, test.tenant, test.reason)
		w.wants(test.want, err)
		if tool.AsError(err).Hint == "" {
			t.Errorf("%v has no hint", err)
		}
	}
	for tenant, want := range map[string]tool.Code{"acme": tool.InvalidRequest, "nobody": tool.NotFound} {
		_, err := w.ResumeTenant(t.Context(), root, tenant)
		w.wants(want, err)
	}
}

// Whoever makes a tenant that a program used until then does not let it go on, nor forget what was set for it.
func TestMakingATenantKeepsWhatWasSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	w.put(ann1, "sum", "1")
	k := w.key("acme", tiers.KeyRequest{})
	_, err := w.SetQuota(t.Context(), root, "acme", tool.Quota{Tools: 9})
	w.must(err)
	_, err = w.SuspendTenant(t.Context(), root, "acme", "x")
	w.must(err)
	if made := w.tenant("acme"); made.Quota.Tools != 9 || made.Suspended == nil || made.CreatedAt.IsZero() {
		t.Errorf("made %+v", made)
	}
	_, err = w.Authenticate(t.Context(), k.Secret)
	w.wants(tool.Suspended, err)
}
