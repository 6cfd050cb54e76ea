package runtime_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

// A world of one file and one page: what lies where is in the input.
func world(t *testing.T) (granted *policy.Policy, input string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("page"))
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, input := granting(t, server)
	p.Storage, p.Crypto = []policy.Storage{{Root: dir}}, []string{"sha256", "random-uuid"}
	return p, input
}

// granting is a policy that grants a server of this machine, and the input that says where it is.
func granting(t *testing.T, server *httptest.Server) (p *policy.Policy, input string) {
	t.Helper()
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(at.Port())
	if err != nil {
		t.Fatal(err)
	}
	rule := policy.Network{Host: "api.test", Ports: []int{port}, Private: true, CIDR: netip.MustParsePrefix("127.0.0.0/8")}
	return &policy.Policy{Network: []policy.Network{rule}}, `{"url": "http://api.test:` + at.Port() + `/"}`
}

// What is asked for and granted works; what is granted and not asked for is absent; what is asked for and not granted is
// denied, with the way to get it.
func TestPowers(t *testing.T) {
	t.Parallel()
	p, input := world(t)
	const (
		fetches = "async function execute({ url }) { return (await fetch(url)).text() }"
		reads   = "async function execute() { return fs.readFile('file') }"
		hashes  = "function execute() { return crypto.createHash('sha256').update('abc').digest('hex').slice(0, 8) }"
		looks   = "function execute() { return [typeof fetch, typeof fs, typeof crypto] }"
	)
	for name, c := range map[string]struct {
		code   string
		allow  []string
		policy *policy.Policy
		output string
		fails  tool.Code
		hint   string // part of it
	}{
		"fetch":               {fetches, []string{"fetch"}, p, `"page"`, "", ""},
		"fs.readFile":         {reads, []string{"fs.readFile"}, p, `"text"`, "", ""},
		"crypto":              {hashes, []string{"crypto", "crypto"}, p, `"ba7816bf"`, "", ""},
		"only what is asked":  {looks, []string{"crypto"}, p, `["undefined","undefined","object"]`, "", ""},
		"nothing asked":       {looks, nil, p, `["undefined","undefined","undefined"]`, "", ""},
		"gate":                {hashes, nil, p, "", tool.InvalidSource, "allowlist"},
		"unknown":             {hashes, []string{"cryptography"}, p, "", tool.InvalidRequest, "fetch, fs.readFile, crypto"},
		"fetch, denied":       {fetches, []string{"fetch"}, nil, "", tool.Denied, "permissions: {network: "},
		"fs.readFile, denied": {reads, []string{"fs.readFile"}, nil, "", tool.Denied, "--read-root"},
		"crypto, denied":      {hashes, []string{"crypto"}, &policy.Policy{Crypto: []string{"md5"}}, "", tool.Denied, "allow: [sha256]"},
		"words of its own":    {"function execute() { try { crypto.randomUUID() } catch (e) { e.message = 'mine'; throw e } }", []string{"crypto"}, nil, "", tool.Denied, "--allow crypto"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The looks of a tool must not depend on a gate that refuses them.
			r := runtime.Request{Code: c.code, Input: []byte(input), Allow: c.allow, Policy: c.policy, SkipGate: c.code == looks}
			result, err := open(t).Run(t.Context(), r)
			e := tool.AsError(err)
			if e == nil {
				e = &tool.Error{}
			}
			if string(result.Output) != c.output || e.Code != c.fails || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("got %s, %v (hint %q); want %s%s, hint %q", result.Output, err, e.Hint, c.output, c.fails, c.hint)
			}
		})
	}
}

// A run tells what it did with its powers, also when it failed; a seed makes randomness repeatable, and is noted.
func TestUses(t *testing.T) {
	t.Parallel()
	p, input := world(t)
	const code = `async function execute({ url }) {
		const id = crypto.randomUUID();
		await fs.readFile('file');
		try { await fetch(url + 'x', { method: 'POST' }) } catch {}
		await fs.readFile('absent');
		return id;
	}`
	r := runtime.Request{Code: code, Input: []byte(input), Allow: hostapi.Names(), Policy: p, Seed: 7}
	result, err := open(t).Run(t.Context(), r)
	if !errors.Is(err, tool.GuestError) {
		t.Errorf("got %v", err)
	}
	want := []hostapi.Use{
		{API: "crypto", Op: "randomUUID", Outcome: "ok", Seeded: true, Count: 1, BytesIn: 16},
		{API: "fs.readFile", Op: "readFile", Outcome: "ok", Count: 1, BytesIn: 4},
		{API: "fetch", Op: "request", Outcome: "denied", Count: 1},
		{API: "fs.readFile", Op: "readFile", Outcome: "not_found", Count: 1},
	}
	if len(result.Uses) != len(want) {
		t.Fatalf("got %+v", result.Uses)
	}
	for i, use := range result.Uses {
		if use.Detail == "" && use.API != "crypto" {
			t.Errorf("%s says no detail", use.API)
		}
		use.Duration, use.Detail = 0, ""
		if use != want[i] {
			t.Errorf("got %+v, want %+v", use, want[i])
		}
	}
}

// A request that was made and not waited for is told like any other.
func TestUsesNotAwaited(t *testing.T) {
	t.Parallel()
	seen := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(seen)
		<-r.Context().Done() // no answer
	}))
	defer server.Close()
	p, input := granting(t, server)
	code := `async function execute({ url }) { fetch(url); await new Promise((r) => setTimeout(r, 300)); return 1 }`
	result, err := open(t).Run(t.Context(), runtime.Request{Code: code, Input: []byte(input), Allow: []string{"fetch"}, Policy: p})
	if err != nil || len(result.Uses) != 1 || result.Uses[0].Outcome != string(tool.Canceled) {
		t.Errorf("got %+v, %v", result.Uses, err)
	}
	<-seen
}

func TestSeed(t *testing.T) {
	t.Parallel()
	r := runtime.Request{
		Code: "function execute() { return crypto.randomUUID() }", Input: []byte("{}"), Allow: []string{"crypto"},
		Policy: &policy.Policy{Crypto: []string{"random-uuid"}},
	}
	ids := map[string]int{}
	for _, seed := range []uint64{7, 7, 8, 0, 0} {
		r.Seed = seed
		result, err := open(t).Run(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		ids[string(result.Output)]++
	}
	if len(ids) != 4 {
		t.Errorf("got %v, want the same twice", ids)
	}
}

func TestGrant(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		apis, hosts, folders []string
		before               []string // of crypto
		crypto               string
		fails                bool
	}{
		"nothing":         {nil, nil, nil, nil, "", false},
		"crypto":          {[]string{"fetch", "crypto"}, []string{"*.a.example"}, []string{"."}, nil, "*", false},
		"crypto, already": {[]string{"crypto"}, nil, nil, []string{"sha256"}, "sha256", false},
		"no host":         {nil, []string{"a b"}, nil, nil, "", true},
		"no folder":       {nil, nil, []string{""}, nil, "", true},
	} {
		p := &policy.Policy{Crypto: c.before}
		err := runtime.Grant(p, c.apis, c.hosts, c.folders)
		if (err != nil) != c.fails || err != nil && !errors.Is(err, tool.InvalidRequest) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && (strings.Join(p.Crypto, " ") != c.crypto || len(p.Network) != len(c.hosts) || len(p.Storage) != len(c.folders)) {
			t.Errorf("%s: got %+v", name, p)
		}
	}
}

// The guide's table of limits is that of the code.
func TestGuideHasTheLimits(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../docs/powers.md")
	if err != nil {
		t.Fatal(err)
	}
	const mib = 1 << 20
	fetch, fetchMost := policy.DefaultFetchLimits, policy.MaxFetchLimits
	files, filesMost := policy.DefaultFSLimits, policy.MaxFSLimits
	for name, numbers := range map[string]string{
		"fetchMaxRequests":           fmt.Sprintf("| %d | %d |", fetch.MaxRequests, fetchMost.MaxRequests),
		"fetchMaxConcurrent":         fmt.Sprintf("| %d | %d |", fetch.MaxConcurrent, fetchMost.MaxConcurrent),
		"fetchMaxRedirects":          fmt.Sprintf("| %d | %d |", fetch.MaxRedirects, fetchMost.MaxRedirects),
		"fetchMaxRequestBytes":       fmt.Sprintf("| %d MiB | %d MiB |", fetch.MaxRequestBytes/mib, fetchMost.MaxRequestBytes/mib),
		"fetchMaxResponseBytes":      fmt.Sprintf("| %d MiB | %d MiB |", fetch.MaxResponseBytes/mib, fetchMost.MaxResponseBytes/mib),
		"fetchMaxTotalRequestBytes":  fmt.Sprintf("| %d MiB | %d MiB |", fetch.MaxTotalRequestBytes/mib, fetchMost.MaxTotalRequestBytes/mib),
		"fetchMaxTotalResponseBytes": fmt.Sprintf("| %d MiB | %d MiB |", fetch.MaxTotalResponseBytes/mib, fetchMost.MaxTotalResponseBytes/mib),
		"fsMaxFileBytes":             fmt.Sprintf("| %d MiB | %d MiB |", files.MaxFileBytes/mib, filesMost.MaxFileBytes/mib),
		"fsMaxTotalBytes":            fmt.Sprintf("| %d MiB | %d MiB |", files.MaxTotalBytes/mib, filesMost.MaxTotalBytes/mib),
	} {
		row := regexp.MustCompile("(?m)^\\| `" + name + "`.* " + regexp.QuoteMeta(numbers) + "$")
		if !row.Match(guide) {
			t.Errorf("docs/powers.md lacks the row of %s with %s", name, numbers)
		}
	}
}
