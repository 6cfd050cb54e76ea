package tiers

import "testing"

// shelfOf is a Reader of what a map holds.
type shelfOf map[string]string

func (r shelfOf) Get(k []byte) ([]byte, bool, error) {
	text, found := r[string(k)]
	return []byte(text), found, nil
}

func (r shelfOf) Scan(Range, func(k, v []byte) (bool, error)) error { return nil }

func TestMemoKnowsWhatHasChanged(t *testing.T) {
	t.Parallel()
	var m memo[Tenant]
	at := key(tenantSpace, "acme")
	stored := shelfOf{string(at): `{"name":"acme"}`}
	get := func() *Tenant {
		t.Helper()
		got, err := m.get(stored, at)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first := get()
	if again := get(); again != first || first.Name != "acme" {
		t.Errorf("got %+v, then %+v", first, again)
	}
	stored[string(at)] = `{"name":"acme","deletedAt":"2026-01-01T00:00:00Z"}`
	if changed := get(); changed == first || !changed.gone() || first.gone() {
		t.Errorf("got %+v after a change; before it %+v", changed, first)
	}
	stored[string(at)] = `{"name":`
	if got, err := m.get(stored, at); err == nil {
		t.Errorf("got %+v of what is damaged", got)
	}
	delete(stored, string(at))
	if got := get(); got != nil {
		t.Errorf("got %+v of what is gone", got)
	}
	for i := range 2 * maxDecoded {
		k := key(tenantSpace, number(uint64(i)))
		stored[string(k)] = `{}`
		if _, err := m.get(stored, k); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.seen) > maxDecoded {
		t.Errorf("it remembers %d", len(m.seen))
	}
}
