package policy_test

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

const full = `version: "1.0"
permissions:
  network:
    allow:
      - host: "*.Rates.example."      # sub-domains only
        methods: [GET, POST]
        ports: [443]
      - host: "billing.internal.example"
        private: true
        cidr: 10.20.0.0/16
      - host: bücher.example
  storage:
    allow:
      - { uri: "fs:///srv/data/rates", access: [read], maxBytes: 1048576 }
      - { uri: "fs:///srv/with%20space/", access: [read] }
  crypto: { allow: [sha256, hmac-sha256, random-uuid] }
secrets:
  - { name: RATES_KEY, from: { env: RATES_API_KEY }, hosts: [api.rates.example, "*.RATES.example"] }
  - { name: other, from: { file: /run/secrets/other }, hosts: [x.example] }
resources:
  limits: { fuel: 50000000, memory: 32Mi, wall: 2s, hostCalls: 64, output: 256Ki, logs: 64Ki, fetchMaxRedirects: 2, fsMaxFileBytes: 2Mi }
`

// folder is an absolute folder of the system that the test runs on.
func folder(path string) string {
	abs, err := filepath.Abs(filepath.FromSlash(path))
	if err != nil {
		panic(err)
	}
	return abs
}

func parse(t testing.TB, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return p
}

func TestParse(t *testing.T) {
	t.Parallel()
	if filepath.Separator != '/' {
		t.Skip("the folders are those of unix")
	}
	want := &policy.Policy{
		Network: []policy.Network{
			{Host: "*.rates.example", Methods: []string{"GET", "POST"}, Ports: []int{443}},
			{Host: "billing.internal.example", Private: true, CIDR: netip.MustParsePrefix("10.20.0.0/16")},
			{Host: "xn--bcher-kva.example"},
		},
		Storage: []policy.Storage{{"/srv/data/rates", 1 << 20}, {"/srv/with space", 0}},
		Crypto:  []string{"sha256", "hmac-sha256", "random-uuid"},
		Secrets: []policy.Secret{
			{"RATES_KEY", policy.Origin{Env: "RATES_API_KEY"}, []string{"api.rates.example", "*.rates.example"}},
			{"other", policy.Origin{File: "/run/secrets/other"}, []string{"x.example"}},
		},
		Limits: tool.Limits{
			Timeout: 2 * time.Second, Fuel: 50e6, MemoryBytes: 32 << 20, HostCalls: 64, OutputBytes: 256 << 10, LogBytes: 64 << 10,
		},
		FetchLimits: policy.FetchLimits{MaxRedirects: 2},
		FSLimits:    policy.FSLimits{MaxFileBytes: 2 << 20},
	}
	if diff := cmp.Diff(want, parse(t, full), cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const network, storage = "version: '1.0'\npermissions: {network: {allow: [{", "version: '1.0'\npermissions: {storage: {allow: [{"
	const secret, limit = "version: '1.0'\nsecrets: [{", "version: '1.0'\nresources: {limits: {"
	for text, want := range map[string]string{
		"":                                                                                      "the document is empty",
		"permissions: {}":                                                                       "version is missing (line 1, column 1)",
		"version: 1.0":                                                                          "put it in quotes (line 1, column 10)",
		"version: '2'":                                                                          `the version "2" is not known`,
		"version: '1.0'\npermisions: {}":                                                        `unknown key "permisions" (line 2, column 1)`,
		"version: '1.0'\npermissions:":                                                          "there is no value",
		network + "}]}}":                                                                        "host is missing (line 2, column 33)",
		network + "host: 'http://a.example'}]}}":                                                "give its host alone (line 2, column 40)",
		network + "host: 'a.example:8080'}]}}":                                                  "has a port: give it in ports",
		network + "host: 'a.*.example'}]}}":                                                     "a wildcard stands alone or before the first dot",
		network + "host: '*a.example'}]}}":                                                      "a wildcard stands alone",
		network + "host: '*.'}]}}":                                                              "not a host name",
		network + "host: '*.127.0.0.1'}]}}":                                                     "an address has no sub-domains",
		network + "host: '127.1'}]}}":                                                           "is not an address: write four decimal numbers",
		network + "host: 'a..example'}]}}":                                                      "not a host name",
		network + "host: 'a b'}]}}":                                                             "not a host name",
		network + "hosts: [a]}]}}":                                                              `unknown key "hosts"`,
		network + "host: a, methods: [get]}]}}":                                                 `"get" is none of GET, HEAD`,
		network + "host: a, methods: [CONNECT]}]}}":                                             `"CONNECT" is none of`,
		network + "host: a, methods: []}]}}":                                                    "an empty list allows nothing",
		network + "host: a, methods: }]}}":                                                      "there is no value",
		network + "host: a, ports: [443, 0]}]}}":                                                "a port is within 1 to 65535 (line 2, column 56)",
		network + "host: a, ports: [65536]}]}}":                                                 "a port is within",
		network + "host: a, ports: []}]}}":                                                      "an empty list allows nothing",
		network + "host: a, ports: ['443']}]}}":                                                 "this is a string where a number belongs",
		network + "host: a, private: true}]}}":                                                  "cidr is missing",
		network + "host: a, cidr: 10.0.0.0/8}]}}":                                               "a range stands with private: true alone",
		network + "host: '*', private: true, cidr: 10.0.0.0/8}]}}":                              "a private rule names its host",
		network + "host: a, private: true, cidr: 10.0.0.1/8}]}}":                                "write 10.0.0.0/8",
		network + "host: a, private: true, cidr: 10.0.0.0}]}}":                                  "10.0.0.0",
		network + "host: a, private: yes, cidr: 10.0.0.0/8}]}}":                                 "a string where true or false belongs",
		storage + "access: [read]}]}}":                                                          "uri is missing",
		storage + "uri: /srv, access: [read]}]}}":                                               "fs:///",
		storage + "uri: 'fs://srv/data', access: [read]}]}}":                                    "fs:///",
		storage + "uri: 'fs:srv', access: [read]}]}}":                                           "fs:///",
		storage + "uri: 'file:///srv', access: [read]}]}}":                                      "fs:///",
		storage + "uri: 'fs:///srv?x', access: [read]}]}}":                                      "fs:///",
		storage + "uri: 'fs:///srv%00', access: [read]}]}}":                                     "fs:///",
		storage + "uri: 'fs:///../srv', access: [read]}]}}":                                     `no ".."`,
		storage + "uri: 'fs:///srv/%2e%2e', access: [read]}]}}":                                 `no ".."`,
		storage + "uri: 'fs:///srv'}]}}":                                                        "access is [read]",
		storage + "uri: 'fs:///srv', access: []}]}}":                                            "access is [read]",
		storage + "uri: 'fs:///srv', access: [read, write]}]}}":                                 "access is [read]",
		storage + "uri: 'fs:///srv', access: [read], maxBytes: 0}]}}":                           "a limit is above zero",
		storage + "uri: 'fs:///srv', access: [read], maxBytes: -1}]}}":                          "a limit is above zero",
		storage + "uri: 'fs:///srv', access: [read], maxBytes: 65Mi}]}}":                        "at most 67108864 bytes",
		"version: '1.0'\npermissions: {crypto: {allow: [sha256, sha3]}}":                        `"sha3" is none of sha256`,
		"version: '1.0'\npermissions: {crypto: [sha256]}":                                       "this is a list where an object belongs",
		secret + "from: {env: A}, hosts: [a]}]":                                                 "is not a name",
		secret + "name: 'A-B', from: {env: A}, hosts: [a]}]":                                    "is not a name",
		secret + "name: A, hosts: [a]}]":                                                        "comes from one place",
		secret + "name: A, from: {env: A, file: /a}, hosts: [a]}]":                              "comes from one place",
		secret + "name: A, from: {file: a}, hosts: [a]}]":                                       "absolute",
		secret + "name: A, from: {env: A}}]":                                                    "hosts is missing",
		secret + "name: A, from: {env: A}, hosts: []}]":                                         "hosts is missing",
		secret + "name: A, from: {env: A}, hosts: ['*']}]":                                      "must not go everywhere",
		secret + "name: A, from: {env: A}, hosts: ['a:80']}]":                                   "has a port",
		secret + "name: A, from: {env: A}, hosts: [a]}, {name: A, from: {env: B}, hosts: [b]}]": "another secret has this name",
		limit + "fuel: 0}}":                                                                     "a limit is above zero",
		limit + "fuel: -1}}":                                                                    "a limit is above zero",
		limit + "fuel: 20G}}":                                                                   "the limit is at most 10000000000",
		limit + "memory: 2Gi}}":                                                                 "the limit is at most 1073741824 (line 2, column 30)",
		limit + "memory: 1Mi}}":                                                                 "the limit is at least 4Mi",
		limit + "memory: 32MB}}":                                                                "write a whole number",
		limit + "wall: 0s}}":                                                                    "a limit is above zero",
		limit + "wall: 2}}":                                                                     "write a number and its unit",
		limit + "wall: 2m}}":                                                                    "the limit is at most 1m0s",
		limit + "timeout: 2s}}":                                                                 `unknown key "timeout"`,
		limit + "fetchMaxRedirects: -1}}":                                                       "a limit is above zero",
		limit + "fetchMaxRedirects: none}}":                                                     "write a whole number",
		limit + "fetchMaxRedirects: 21}}":                                                       "the limit is at most 20",
		limit + "FuEl: 1}}":                                                                     `unknown key "FuEl": write fuel`,
		limit + "fuel: 1, fuel: 2}}":                                                            `the key "fuel" is given twice`,
		"version: &v '1.0'\nx: *v":                                                              "an anchor is not taken here",
	} {
		p, err := policy.Parse([]byte(text))
		switch {
		case err == nil:
			t.Errorf("%q is %+v", text, p)
		case !errors.Is(err, tool.InvalidRequest) || !strings.Contains(err.Error(), want) && !strings.Contains(tool.AsError(err).Hint, want):
			t.Errorf("%q: %v, want %s", text, err, want)
		case text != "" && tool.AsError(err).Line == 0:
			t.Errorf("%q: %v has no place", text, err)
		}
	}
}

// What is missing or empty grants nothing.
func TestNothingIsGrantedUnasked(t *testing.T) {
	t.Parallel()
	byName, _ := policy.Preset(policy.DefaultName)
	for name, p := range map[string]*policy.Policy{
		"zero":    {},
		"preset":  byName,
		"version": parse(t, `version: "1.0"`),
		"empty":   parse(t, `{version: "1.0", permissions: {network: {}, storage: {allow: []}, crypto: {allow: []}}, resources: {limits: {}}, secrets: []}`),
		"network": parse(t, `{version: "1.0", permissions: {network: {allow: []}}}`),
	} {
		if _, err := p.Fetch("GET", link(t, "https://a.example/")); !errors.Is(err, tool.Denied) {
			t.Errorf("%s: fetch: %v", name, err)
		}
		for _, path := range []string{"a", folder("/srv/a"), folder("/")} {
			if _, _, err := p.Read(path); !errors.Is(err, tool.Denied) {
				t.Errorf("%s: read: %v", name, err)
			}
		}
		for _, c := range policy.CryptoNames() {
			if err := p.CryptoAllows(c); !errors.Is(err, tool.Denied) {
				t.Errorf("%s: %s: %v", name, c, err)
			}
		}
	}
	if p, ok := policy.Preset("nope"); ok || p != nil {
		t.Error("there is no such preset")
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	here := folder(".")
	p, _ := policy.Preset(policy.OpenName)
	if _, err := p.Fetch("DELETE", link(t, "https://any.example/")); err != nil {
		t.Error(err)
	}
	if rule, name, err := p.Read(filepath.Join(here, "a")); err != nil || rule.Root != here || name != "a" {
		t.Errorf("%v %q %v", rule, name, err)
	}
	if _, _, err := p.Read(filepath.Dir(here)); err == nil {
		t.Error("what is above the folder must not be read")
	}
	if err := p.CryptoAllows("md5"); err != nil {
		t.Error(err)
	}
}

func link(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestFetch(t *testing.T) {
	t.Parallel()
	p := parse(t, full)
	for request, want := range map[string]string{ // the host of the rule, or what the refusal says
		"GET https://api.rates.example/x":          "*.rates.example",
		"POST https://a.b.rates.example/":          "*.rates.example",
		"GET https://API.Rates.EXAMPLE./":          "*.rates.example",
		"GET https://api.rates.example:443/":       "*.rates.example",
		"GET http://api.rates.example:443/":        "*.rates.example",
		"HEAD https://billing.internal.example/":   "billing.internal.example",
		"GET http://billing.internal.example:80/":  "billing.internal.example",
		"GET https://bücher.example/":              "xn--bcher-kva.example",
		"GET https://xn--bcher-kva.example/":       "xn--bcher-kva.example",
		"GET https://BÜCHER.example/":              "xn--bcher-kva.example",
		"GET https://rates.example/":               `no rule of permissions.network.allow names the host "rates.example"`,
		"GET https://evilrates.example/":           "no rule",
		"GET https://api.rates.example.evil.org/":  "no rule",
		"GET http://api.rates.example/":            `the rule for host "*.rates.example", GET POST, port 443 allows no more`,
		"HEAD https://api.rates.example/":          "allows no more",
		"PUT https://api.rates.example/":           "allows no more",
		"get https://api.rates.example/":           "one of GET, HEAD",
		"POST https://billing.internal.example/":   "GET HEAD, the usual ports, private range 10.20.0.0/16 allows no more",
		"GET http://billing.internal.example:443/": "allows no more",
		"GET https://billing.internal.example:80/": "allows no more",
		"GET https://u:p@api.rates.example/":       "user name or password",
		"GET https://@api.rates.example/":          "user name or password",
		"GET ftp://api.rates.example/":             "http or https",
		"GET file:///etc/passwd":                   "http or https",
		"GET //api.rates.example/":                 "http or https",
		"GET https:///x":                           "not a host name",
		"GET https://api.rates.example:0/":         "is not a port",
		"GET https://api.rates.example:65536/":     "is not a port",
		"GET https://127.1/":                       "is not an address",
		"GET https://0x7f.0.0.1/":                  "is not an address",
		"GET https://2130706433/":                  "is not an address",
		"GET https://127.0.0.1./":                  "no rule",
		"GET https://[fe80::1%25eth0]/":            "zone",
	} {
		method, address, _ := strings.Cut(request, " ")
		rule, err := p.Fetch(method, link(t, address))
		switch {
		case err == nil && rule.Host != want:
			t.Errorf("%s is granted by %q, want %q", request, rule.Host, want)
		case err != nil && (!errors.Is(err, tool.Denied) || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", request, err, want)
		}
	}
}

// Of the rules that grant a request the narrowest decides, wherever it stands.
func TestFetchTakesTheNarrowestRule(t *testing.T) {
	t.Parallel()
	rules := []policy.Network{
		{Host: "*"},
		{Host: "*.example"},
		{Host: "*.a.example"},
		{Host: "x.a.example", Ports: []int{443}},
		{Host: "x.a.example"},
		{Host: "x.a.example", Methods: []string{"POST"}},
	}
	for request, want := range map[string]int{
		"GET https://other.org/": 0, "GET https://example/": 0, "GET https://b.example/": 1, "GET https://b.a.example/": 2,
		"GET https://x.a.example/": 3, "GET http://x.a.example/": 4, "POST https://x.a.example/": 5,
	} {
		method, address, _ := strings.Cut(request, " ")
		got, err := (&policy.Policy{Network: rules}).Fetch(method, link(t, address))
		if diff := cmp.Diff(rules[want], got, cmpopts.EquateComparable(netip.Prefix{})); err != nil || diff != "" {
			t.Errorf("%s: %v %s", request, err, diff)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	srv, deep, other := folder("/srv"), folder("/srv/deep"), folder("/other")
	p := &policy.Policy{Storage: []policy.Storage{{srv, 1}, {deep, 2}, {other, 3}}}
	for path, want := range map[string]string{ // the root, a space, and the path below it; or what the refusal says
		filepath.Join(srv, "a"):         srv + " a",
		srv:                             srv + " .",
		srv + "//x/./y":                 srv + " " + filepath.FromSlash("x/y"),
		srv + "/x/../a":                 srv + " a",
		filepath.Join(srv, "..a"):       srv + " ..a",
		filepath.Join(deep, "a"):        deep + " a",
		deep + "/../a":                  srv + " a",
		deep + "/../../other/a":         other + " a",
		"a":                             srv + " a",
		"deep/a":                        srv + " " + filepath.FromSlash("deep/a"),
		"./a":                           srv + " a",
		"..":                            "is not granted",
		"../other/a":                    "is not granted",
		"a/../../other/a":               "is not granted",
		srv + "-evil":                   "no rule of permissions.storage.allow covers it",
		filepath.Dir(srv):               "is not granted",
		srv + "/../etc/passwd":          "is not granted",
		folder("/etc/passwd"):           "is not granted",
		"":                              "is not granted",
		filepath.Join(srv, "a\x00.png"): "is not granted",
		filepath.Join(srv, strings.Repeat("a", 5000)): "is not granted",
	} {
		rule, name, err := p.Read(path)
		if got := rule.Root + " " + name; err == nil && got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
		if err != nil && (!errors.Is(err, tool.Denied) || !strings.Contains(err.Error(), want) || len(err.Error()) > 500) {
			t.Errorf("%q: %v, want %s", path, err, want)
		}
	}
	if _, name, err := (&policy.Policy{Storage: []policy.Storage{{folder("/"), 0}}}).Read(folder("/etc/x")); err != nil || filepath.Base(name) != "x" {
		t.Errorf("below the root of all: %q, %v", name, err)
	}
}

// A refusal says how to get what was refused: what its hint adds to a policy grants it.
func TestHintsGrant(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(*policy.Policy) error{
		"get":      fetching("GET", "https://api.example/"),
		"port":     fetching("GET", "http://api.example:8080/"),
		"post":     fetching("POST", "https://[2001:db8::1]/"),
		"unicode":  fetching("HEAD", "https://bücher.example/"),
		"absolute": reading(folder("/srv/with space/ü%/a.txt")),
		"digest":   func(p *policy.Policy) error { return p.CryptoAllows("hmac-sha512") },
	} {
		err := ask(&policy.Policy{})
		_, yaml, ok := strings.Cut(tool.AsError(err).Hint, "add to the policy: ")
		if !ok {
			t.Errorf("%s: %v has the hint %q", name, err, tool.AsError(err).Hint)
			continue
		}
		if err := ask(parse(t, "version: '1.0'\n"+yaml)); err != nil {
			t.Errorf("%s: %v in spite of %s", name, err, yaml)
		}
	}
	hint := tool.AsError(fetching("GET", "https://api.example/")(&policy.Policy{})).Hint
	if !strings.HasPrefix(hint, "run with --allow-host api.example, or ") {
		t.Error(hint)
	}
	hint = tool.AsError(reading("data/a.txt")(&policy.Policy{})).Hint
	if !strings.HasPrefix(hint, "run with --read-root DIR, or ") {
		t.Error(hint)
	}
}

func fetching(method, address string) func(*policy.Policy) error {
	return func(p *policy.Policy) error {
		u, err := url.Parse(address)
		if err == nil {
			_, err = p.Fetch(method, u)
		}
		return err
	}
}

func reading(path string) func(*policy.Policy) error {
	return func(p *policy.Policy) error {
		_, _, err := p.Read(path)
		return err
	}
}

func TestRulesOfTheCommandLine(t *testing.T) {
	t.Parallel()
	p := &policy.Policy{}
	for _, host := range []string{"API.example.", "*.b.example", "*"} {
		if err := p.AllowHost(host); err != nil {
			t.Error(err)
		}
	}
	for _, host := range []string{"", "http://a.example", "a.example:80", "127.1"} {
		if err := p.AllowHost(host); !errors.Is(err, tool.InvalidRequest) {
			t.Errorf("%q: %v", host, err)
		}
	}
	if p.Network[0].Host != "api.example" || len(p.Network) != 3 {
		t.Errorf("%v", p.Network)
	}
	if err := p.ReadRoot("testdata"); err != nil || p.Storage[0].Root != folder("testdata") {
		t.Errorf("%v %v", p.Storage, err)
	}
	if err := p.ReadRoot(""); !errors.Is(err, tool.InvalidRequest) {
		t.Error(err)
	}
	p.AllowCrypto()
	if err := p.CryptoAllows("sha1"); err != nil {
		t.Error(err)
	}
}

func TestSecretsGoToTheirHosts(t *testing.T) {
	t.Parallel()
	s := policy.Secret{Hosts: []string{"a.example", "*.b.example"}}
	for host, want := range map[string]bool{
		"a.example": true, "x.b.example": true, "b.example": false, "x.a.example": false, "evilb.example": false, "": false,
	} {
		if s.GoesTo(host) != want {
			t.Errorf("%s: %v", host, !want)
		}
	}
}

func TestLimitsHaveDefaults(t *testing.T) {
	t.Parallel()
	for _, redirects := range []int{1, policy.NoRedirects} {
		fetch := policy.FetchLimits{MaxRedirects: redirects}.WithDefaults()
		want := policy.DefaultFetchLimits
		want.MaxRedirects = redirects
		if diff := cmp.Diff(want, fetch); diff != "" {
			t.Error(diff)
		}
	}
	if got := (policy.FSLimits{}).WithDefaults(); got != policy.DefaultFSLimits {
		t.Errorf("%+v", got)
	}
}

// anywhere is a check of hosts that refuses none.
func anywhere(string, policy.Network) error { return nil }

func ExamplePolicy_ExplainFetch() {
	p, err := policy.Parse([]byte(full))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.ExplainFetch("", "https://api.rates.example/latest", anywhere))
	fmt.Println(p.ExplainFetch("PUT", "https://api.rates.example/latest", anywhere))
	fmt.Println(p.ExplainFetch("", "https://billing.internal.example/", anywhere))
	fmt.Println(p.ExplainFetch("", "http://a b/", anywhere))
	// Output:
	// allowed: GET https://api.rates.example/latest, by the rule for host "*.rates.example", GET POST, port 443
	// every address of the host must be public
	// headers may carry the secrets RATES_KEY
	// denied: PUT https://api.rates.example is not granted: the rule for host "*.rates.example", GET POST, port 443 allows no more
	// add to the policy: permissions: {network: {allow: [{host: "api.rates.example", methods: [PUT]}]}}
	// allowed: GET https://billing.internal.example/, by the rule for host "billing.internal.example", GET HEAD, the usual ports, private range 10.20.0.0/16
	// every address of the host must lie in 10.20.0.0/16
	// denied: "http://a b/" is not the address of a page
}

func TestExplainRead(t *testing.T) {
	t.Parallel()
	p := &policy.Policy{Storage: []policy.Storage{{folder("/srv"), 0}, {folder("/small"), 10}}}
	for path, want := range map[string]string{
		folder("/srv/a"):   "at most 1048576 bytes",
		folder("/small/a"): "at most 10 bytes",
		folder("/etc/a"):   "denied: reading ",
	} {
		if a := p.ExplainRead(path); !strings.Contains(a.String(), want) || a.Allowed == strings.HasPrefix(a.String(), "denied") {
			t.Errorf("%s", a)
		}
	}
}

// A host that a rule grants can be refused all the same.
func TestExplainFetchChecksTheHost(t *testing.T) {
	t.Parallel()
	refuse := func(host string, rule policy.Network) error {
		return &tool.Error{Code: tool.Denied, Message: host + " is inside, " + rule.Host, Hint: "ask"}
	}
	a := policy.Open(".").ExplainFetch("", "https://A.example./", refuse)
	if a.Allowed || a.Why != "a.example is inside, *" || a.Hint != "ask" {
		t.Errorf("got %+v", a)
	}
}

// A method that no rule can grant is not recommended.
func TestUnknownMethod(t *testing.T) {
	t.Parallel()
	_, err := policy.Open(".").Fetch("BOGUS", link(t, "https://a.example/"))
	if e := tool.AsError(err); e == nil || e.Code != tool.Denied || !strings.Contains(e.Message, "one of GET, HEAD") || e.Hint != "" {
		t.Errorf("got %+v", e)
	}
}

func TestSetLimits(t *testing.T) {
	t.Parallel()
	want := []string{"wall 2s", "fuel 50M", "memory 32Mi", "output 256Ki", "logs 64Ki", "hostCalls 64", "fetchMaxRedirects 2", "fsMaxFileBytes 2Mi"}
	if diff := cmp.Diff(want, parse(t, full).SetLimits()); diff != "" {
		t.Error(diff)
	}
	if set := parse(t, "{version: '1.0', resources: {limits: {fetchMaxRedirects: 0}}}").SetLimits(); !slices.Equal(set, []string{"fetchMaxRedirects 0"}) {
		t.Errorf("none is %q", set)
	}
	if set := policy.Open(".").SetLimits(); set != nil {
		t.Errorf("open sets %q", set)
	}
}

func TestShellWord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"/srv/data-1": "/srv/data-1", "/my data": "'/my data'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "": "''"} {
		if got := policy.ShellWord(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// The rule that a refusal recommends grants the request, and a host that is not public needs a private one.
func TestRecommendedRule(t *testing.T) {
	t.Parallel()
	for address, private := range map[string]string{
		"http://127.0.0.1:8080/": "127.0.0.1/32", "http://10.1.2.3/": "10.1.2.3/32", "http://[::1]/": "::1/128",
		"http://[::ffff:10.0.0.1]/": "10.0.0.1/32", "http://169.254.169.254/": "169.254.169.254/32", "http://a.localhost/": "127.0.0.1/32",
		"https://8.8.8.8/": "", "https://a.example:8443/": "", "https://[2606:4700::1]/": "",
	} {
		_, err := (&policy.Policy{}).Fetch("GET", link(t, address))
		hint := tool.AsError(err).Hint
		_, yaml, _ := strings.Cut(hint, "add to the policy: ")
		rule, err := parse(t, "version: \"1.0\"\n"+yaml+"\n").Fetch("GET", link(t, address))
		if err != nil || rule.Private != (private != "") || rule.Private && rule.CIDR.String() != private {
			t.Errorf("%s: %s gives %+v, %v", address, yaml, rule, err)
		}
		if private != "" && strings.Contains(hint, "--allow-host") {
			t.Errorf("%s: %s", address, hint)
		}
	}
}
