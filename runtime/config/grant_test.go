package config_test

import (
	"errors"
	"net/netip"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

func granted(t *testing.T, text, persona string) *policy.Policy {
	t.Helper()
	p, err := parse(t, text).Policy(persona)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return p
}

var (
	usualFetch = policy.FetchLimits{MaxRedirects: 5, MaxResponseBytes: 1 << 20}
	usualFS    = policy.FSLimits{MaxFileBytes: 1 << 20}
)

func TestDefaultGrantsNothing(t *testing.T) {
	t.Parallel()
	want := &policy.Policy{Name: "default", FetchLimits: usualFetch, FSLimits: usualFS}
	for _, text := range []string{"", "emergentConfig: {allowedSandboxAPIs: [fetch, fs.readFile]}", "policies: {default: {version: '1.0'}}"} {
		if diff := cmp.Diff(want, granted(t, text, "ann"), cmpopts.EquateComparable(netip.Prefix{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", text, diff)
		}
	}
}

func TestKeysAddToTheDefaultPolicy(t *testing.T) {
	t.Parallel()
	if filepath.Separator != '/' {
		t.Skip("the folders are those of unix")
	}
	const text = `
emergentConfig:
  fsReadRoots: [/srv/data/]
  fsMaxFileBytes: 5
  fetchDomainAllowlist: ["Rates.Example", "*"]
  fetchMethods: [GET, POST]
  fetchMaxResponseBytes: 6
  fetchMaxRedirects: 2
  allowedSandboxAPIs: [fetch, fs.readFile, crypto]
policies:
  default:
    version: "1.0"
    permissions: {network: {allow: [{host: billing.example, private: true, cidr: 10.20.0.0/16}]}}
    resources: {limits: {fetchMaxRedirects: 7, fuel: 1M}}
  other: {version: "1.0", permissions: {crypto: {allow: [sha256]}}}
personas: {ann: {}, bob: {policy: other}, eve: {policy: open}}
`
	want := &policy.Policy{
		Name: "default",
		Network: []policy.Network{
			{Host: "billing.example", Private: true, CIDR: netip.MustParsePrefix("10.20.0.0/16")},
			{Host: "rates.example", Methods: []string{"GET", "POST"}},
			{Host: "*", Methods: []string{"GET", "POST"}},
		},
		Storage:     []policy.Storage{{Root: "/srv/data"}},
		Crypto:      []string{"*"},
		Limits:      tool.Limits{Fuel: 1e6},
		FetchLimits: policy.FetchLimits{MaxRedirects: 7, MaxResponseBytes: 6},
		FSLimits:    policy.FSLimits{MaxFileBytes: 5},
	}
	equal := cmp.Options{cmpopts.EquateComparable(netip.Prefix{}), cmpopts.EquateEmpty()}
	for _, persona := range []string{"ann", "nobody"} {
		if diff := cmp.Diff(want, granted(t, text, persona), equal); diff != "" {
			t.Errorf("%s (-want +got)\n%s", persona, diff)
		}
	}
	if diff := cmp.Diff(&policy.Policy{Name: "other", Crypto: []string{"sha256"}}, granted(t, text, "bob"), equal); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if p := granted(t, text, "eve"); p.Name != policy.OpenName || len(p.Storage) != 1 {
		t.Errorf("open is %+v", p)
	}
}

// 0 follows none, whoever says so.
func TestNoRedirects(t *testing.T) {
	t.Parallel()
	const of5, ofNone = "policies: {default: {version: '1.0', resources: {limits: {fetchMaxRedirects: 5}}}}", "policies: {default: {version: '1.0', resources: {limits: {fetchMaxRedirects: 0}}}}"
	for text, want := range map[string]int{
		"emergentConfig: {fetchMaxRedirects: 0}":            policy.NoRedirects,
		"emergentConfig: {fetchMaxRedirects: 3}\n" + ofNone: policy.NoRedirects,
		"emergentConfig: {fetchMaxRedirects: 0}\n" + of5:    5,
		ofNone: policy.NoRedirects,
	} {
		if got := granted(t, text, "ann").FetchLimits.MaxRedirects; got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}
}

func TestAllowedAPIsHoldTheKeysBack(t *testing.T) {
	t.Parallel()
	p := granted(t, "emergentConfig: {allowedSandboxAPIs: [crypto], fsReadRoots: [/srv], fetchDomainAllowlist: [a.example]}", "")
	if len(p.Network) != 0 || len(p.Storage) != 0 || len(p.Crypto) != 1 {
		t.Errorf("got %+v", p)
	}
	p = granted(t, "emergentConfig: {allowedSandboxAPIs: [crypto]}\npolicies: {default: {version: '1.0', permissions: {crypto: {allow: [md5]}}}}", "")
	if diff := cmp.Diff([]string{"md5"}, p.Crypto); diff != "" {
		t.Errorf("the policy's own list is widened (-want +got)\n%s", diff)
	}
}

// What a policy is changed to stays with who changed it.
func TestPoliciesAreNotShared(t *testing.T) {
	t.Parallel()
	c := parse(t, "policies: {default: {version: '1.0', permissions: {network: {allow: [{host: a.example}, {host: b.example}]}}}}")
	for range 2 {
		p, err := c.Policy("")
		if err != nil || len(p.Network) != 2 || p.Network[0].Host != "a.example" {
			t.Fatalf("%+v, %v", p, err)
		}
		p.Network[0].Host = "evil.example"
		p.AllowCrypto()
	}
}

func TestNamedPolicy(t *testing.T) {
	t.Parallel()
	if _, err := config.Default().NamedPolicy("mine"); !errors.Is(err, tool.NotFound) {
		t.Errorf("got %v", err)
	}
}
