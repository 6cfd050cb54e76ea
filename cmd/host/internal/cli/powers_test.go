package cli

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
)

// Folders in a case file are beside it; those in a file from standard input are where the program is.
func TestBeside(t *testing.T) {
	t.Parallel()
	absolute, err := filepath.Abs("x")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, folder, want string }{
		{"cases.json", "data", "data"},
		{filepath.Join("sub", "cases.json"), "data", filepath.Join("sub", "data")},
		{filepath.Join("sub", "cases.json"), "..", "."},
		{filepath.Join("sub", "cases.json"), absolute, absolute},
		{filepath.Join("sub", "cases.json"), "", ""},
		{stdin, "data", "data"},
	} {
		if got := beside(c.file, []string{c.folder}); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%q beside %q: got %q, want %q", c.folder, c.file, got, c.want)
		}
	}
}

// What is added for one case is not there for the next.
func TestGrantedLeavesTheBase(t *testing.T) {
	t.Parallel()
	base := &policy.Policy{Network: make([]policy.Network, 0, 4), Storage: make([]policy.Storage, 0, 4)}
	first, err := granted(base, []string{"crypto"}, []string{"a.example"}, []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	second, err := granted(base, nil, []string{"b.example"}, []string{".."})
	if err != nil {
		t.Fatal(err)
	}
	if len(base.Network)+len(base.Storage)+len(base.Crypto)+len(second.Crypto) != 0 {
		t.Errorf("the base became %+v, the second %+v", base, second)
	}
	if first.Network[0].Host != "a.example" || first.Storage[0] == second.Storage[0] {
		t.Errorf("got %+v and %+v", first, second)
	}
}

func TestSumUses(t *testing.T) {
	t.Parallel()
	got := sumUses([]hostapi.Use{
		{API: "fetch", Op: "request", Outcome: "ok", Count: 1, BytesIn: 5, Duration: time.Millisecond},
		{API: "fetch", Op: "request", Outcome: "denied", Count: 1},
		{API: "fetch", Op: "request", Outcome: "ok", Count: 7, BytesIn: 1, BytesOut: 3, Duration: 2 * time.Millisecond},
		{API: "crypto", Op: "randomUUID", Outcome: "ok", Count: 1},
		{API: "crypto", Op: "randomUUID", Outcome: "ok", Count: 1, Seeded: true},
	})
	want := []string{
		"fetch request: 8 ok, 6 bytes in, 3 bytes out, 3.000 ms",
		"fetch request: 1 denied, 0 bytes in, 0 bytes out, 0.000 ms",
		"crypto randomUUID: 1 ok, 0 bytes in, 0 bytes out, 0.000 ms",
		"crypto randomUUID, repeatable: 1 ok, 0 bytes in, 0 bytes out, 0.000 ms",
	}
	for i, sum := range got {
		if sum.String() != want[i] {
			t.Errorf("got %q, want %q", sum, want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d sums", len(got))
	}
}
