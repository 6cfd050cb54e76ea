package forge_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime/tool"
)

var someDay = time.Date(2026, 9, 1, 8, 30, 0, 0, time.UTC)

// composed is a record of a pipeline, and its implementation.
func composed() (*tool.Record, tool.Implementation) {
	i := tool.Implementation{Mode: tool.ComposeMode, Steps: []tool.Step{
		{Name: "page", Tool: "http_get", InputMapping: map[string]json.RawMessage{"url": json.RawMessage(`"$input.address"`), "accept": json.RawMessage(`{"as":["text/html"]}`)}},
		{Name: "outline", Tool: "html_headings", InputMapping: map[string]json.RawMessage{"html": json.RawMessage(`"$prev.body"`)}, Condition: "$prev.status == 200"},
	}}
	last := tool.At(someDay)
	return &tool.Record{
		ID: "emergent:7f0c2b1e", Name: "page_outline", Description: "Fetch a page and list its <headings>.", Tier: tool.AgentTier,
		InputSchema: json.RawMessage(`{"type":"object","properties":{"address":{"type":"string","description":"Where | the page\nis"},` +
			`"depth":{"type":["integer","null"]},"any":{}},"required":["address"]}`),
		OutputSchema:   json.RawMessage(`{"type":"object","properties":{"headings":{"type":"array","items":{"type":"string"}}},"required":["headings"]}`),
		Implementation: i, TestCases: []tool.TestCase{{Input: json.RawMessage(`{"address":"a"}`), ExpectedOutput: json.RawMessage(`null`), Partial: true}},
		CreatedBy: "librarian", CreatedAt: tool.At(someDay), Source: "forged by agent librarian during session s-118",
		JudgeVerdicts: []tool.Verdict{{Creation: &tool.CreationVerdict{Approved: true, Confidence: 0.9, Reasoning: "fine", At: tool.At(someDay)}}},
		UsageStats:    tool.UsageStats{TotalUses: 10, SuccessCount: 9, FailureCount: 1, AvgExecutionTimeMs: 1.5, LastUsedAt: &last, ConfidenceScore: 0.88},
	}, i
}

// coded is a record of code, and its whole implementation.
func coded() (*tool.Record, tool.Implementation) {
	r, _ := composed()
	i := tool.Implementation{Mode: tool.SandboxMode, Code: "function execute(input) {\n  return { headings: [] }; // <secret>\n}\n", Allowlist: []string{"fetch"}, TimeoutMs: 100}
	r.Implementation = i.Redact()
	return r, i
}

func build(t testing.TB, r *tool.Record, i tool.Implementation, opt forge.PackageOptions) *forge.Package {
	t.Helper()
	opt.ExportedAt = someDay
	p, err := forge.BuildPackage(r, i, opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func yamlOf(t testing.TB, p *forge.Package) string {
	t.Helper()
	text, err := p.YAML()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestT221ComposedToolsArePortable(t *testing.T) {
	t.Parallel()
	r, i := composed()
	p := build(t, r, i, forge.PackageOptions{})
	if p.SchemaVersion != "agentos.emergent-tool.v1" || !p.Portability.Portable || len(p.Portability.Warnings) != 0 || p.Tool.Implementation.Mode != tool.ComposeMode ||
		!cmp.Equal(p.Tool.Implementation.Steps, i.Steps) {
		t.Errorf("%+v", p)
	}
}

func TestT222RedactedToolsAreNot(t *testing.T) {
	t.Parallel()
	r, i := coded()
	blank := i
	blank.Code = " \n"
	for name, without := range map[string]tool.Implementation{"redacted": i.Redact(), "blank": blank} {
		p := build(t, r, without, forge.PackageOptions{})
		if p.Portability.Portable || len(p.Portability.Warnings) != 1 || !strings.Contains(p.Portability.Warnings[0], "redacted at rest") {
			t.Errorf("%s: %+v", name, p.Portability)
		}
		text := yamlOf(t, p)
		if strings.Contains(text, "code:") || !strings.Contains(text, "redactedAtRest: true") || !strings.Contains(text, "sourcePersisted: false") {
			t.Errorf("%s: %s", name, text)
		}
	}
	if p := build(t, r, i, forge.PackageOptions{}); !p.Portability.Portable || p.Tool.Implementation.Code != i.Code {
		t.Errorf("whole: %+v", p)
	}
}

func TestT223RoundTrip(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func() (*tool.Record, tool.Implementation){"composed": composed, "coded": coded} {
		r, i := make()
		p := build(t, r, i, forge.PackageOptions{})
		text := yamlOf(t, p)
		if !strings.HasPrefix(text, "schemaVersion: agentos.emergent-tool.v1\npackageType: emergent-tool\nexportedAt: \"2026-09-01T08:30:00.000Z\"\n") {
			t.Errorf("%s: %s", name, text)
		}
		asJSON, err := p.JSON()
		if err != nil || !bytes.HasPrefix(asJSON, []byte("{\n  \"schemaVersion\": ")) {
			t.Errorf("%s: %v %s", name, err, asJSON)
		}
		for _, written := range []string{text, string(asJSON), "\ufeff\n" + text} {
			back, err := forge.ReadPackage([]byte(written))
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, written)
			}
			again, err := back.JSON()
			if err != nil || !bytes.Equal(again, asJSON) || back.Digest() != p.Digest() || back.Tool.Name != "page_outline" {
				t.Errorf("%s: %v\n%s", name, err, cmp.Diff(string(asJSON), string(again)))
			}
		}
	}
}

func TestOmittedParts(t *testing.T) {
	t.Parallel()
	r, i := composed()
	p := build(t, r, i, forge.PackageOptions{OmitVerdicts: true, OmitUsage: true})
	if text := yamlOf(t, p); !strings.Contains(text, "judgeVerdicts: []") || !strings.Contains(text, "totalUses: 0") {
		t.Error(text)
	}
	if text := yamlOf(t, build(t, r, i, forge.PackageOptions{})); !strings.Contains(text, "reasoning: fine") || !strings.Contains(text, "totalUses: 10") {
		t.Error(text)
	}
}

func TestT225WithoutCode(t *testing.T) {
	t.Parallel()
	r, i := coded()
	p, err := forge.ReadPackage([]byte(yamlOf(t, build(t, r, i.Redact(), forge.PackageOptions{}))))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = p.Request()
	if e := tool.AsError(err); e == nil || e.Code != tool.InvalidRequest || !strings.Contains(e.Message, "cannot be imported") || e.Hint == "" {
		t.Errorf("%v", err)
	}
}

// What a package asks for is what was packed, whoever packed it.
func TestRequestOfAPackage(t *testing.T) {
	t.Parallel()
	r, i := coded()
	r.TestCases = append(r.TestCases, tool.TestCase{Input: json.RawMessage(`{"address":"b"}`)})
	r.TestCases[0].ExpectedOutput = json.RawMessage(`{"headings":[]}`)
	text, notes, err := build(t, r, i, forge.PackageOptions{}).Request()
	if err != nil || len(notes) != 0 {
		t.Fatal(notes, err)
	}
	got, err := forge.Read(text, forge.ReadRules{})
	if err != nil {
		t.Fatal(err)
	}
	want := &forge.Request{
		Name: r.Name, Description: r.Description, InputSchema: r.InputSchema, OutputSchema: r.OutputSchema, Implementation: i, TestCases: r.TestCases,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A package that brings no test cases gets some that fit its schema, if it is code.
func TestSamples(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]int{
		`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"integer","minimum":10,"maximum":12}},"required":["a","b"]}`:             3,
		`{"type":"object","properties":{"s":{"type":"string","maxLength":3},"l":{"type":"array","items":{"enum":["x","y"]},"minItems":1}}}`:        3,
		`{"type":"object","properties":{"on":{"type":"boolean"},"no":{"type":"null"}}}`:                                                            2,
		`{"type":"object","properties":{"deep":{"type":"object","properties":{"v":{"const":1},"w":{"examples":["p","q"]}}}}}`:                      2,
		`{"type":"object","properties":{"s":{"type":"string","pattern":"^[0-9]{4}-[0-9]{2}$"}},"required":["s"]}`:                                  0,
		`{"type":"object","properties":{"c":{"const":1}}}`:                                                                                         0,
		`{"type":"object","properties":{"l":{"type":"array","minItems":1000000000,"maxItems":1000000000}}}`:                                        0,
		`{"type":"object","properties":{"n":{"type":"number","exclusiveMinimum":7,"exclusiveMaximum":1000},"t":{"type":"string","minLength":40}}}`: 3,
		`{"type":"object","properties":{"n":{"type":"number","exclusiveMinimum":0},"t":{"type":"string","minLength":40}}}`:                         3,
		`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object"}}}`:                                                                                     0,
		`{"type":"object","properties":{"a":{"$ref":"#"}}}`:                                                                                        0,
		`{"properties":{"x":{}}}`: 3,
		`{"type":["object","null"],"properties":{"x":{"type":["string","null"]},"1":true}}`: 3,
	} {
		r, i := coded()
		r.InputSchema, r.TestCases = json.RawMessage(schema), nil
		text, notes, err := build(t, r, i, forge.PackageOptions{}).Request()
		var request struct{ TestCases []tool.TestCase }
		if err == nil {
			err = json.Unmarshal(text, &request)
		}
		if err != nil || len(request.TestCases) != want || len(notes) != min(want, 1) {
			t.Errorf("%s: %d cases, want %d: %s %v %v", schema, len(request.TestCases), want, text, notes, err)
		}
	}
	r, i := composed()
	r.TestCases = nil
	text, notes, err := build(t, r, i, forge.PackageOptions{}).Request()
	if err != nil || notes != nil || bytes.Contains(text, []byte(`"input":`)) {
		t.Errorf("steps may have effects, and are not run on what was made up: %s %v %v", text, notes, err)
	}
}

// edited is a package with one text in place of another.
func edited(t *testing.T, old, new string) []byte {
	t.Helper()
	r, i := coded()
	text := yamlOf(t, build(t, r, i, forge.PackageOptions{}))
	text, _, _ = strings.Cut(text, "integrity:")
	if !strings.Contains(text, old) {
		t.Fatalf("there is no %q in %s", old, text)
	}
	return []byte(strings.Replace(text, old, new, 1))
}

func TestReadPackageRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, new, path, text string }{
		"version":            {"emergent-tool.v1", "emergent-tool.v2", "/schemaVersion", "schemaVersion is not agentos.emergent-tool.v1"},
		"version is missing": {"schemaVersion: ", "schemaversion: ", "/schemaVersion", "schemaVersion is not"},
		"type":               {"packageType: emergent-tool", "packageType: tool", "/packageType", "packageType is not emergent-tool"},
		"unknown member":     {"packageType:", "extra: 1\npackageType:", "/extra", "extra"},
		"other case":         {"  name: page", "  Name: page", "/tool/Name", "Name"},
		"name":               {"name: page_outline", "name: ../../x", "/tool/name", "first_char"},
		"tier":               {"originalTier: agent", "originalTier: root", "/tool/originalTier", "root"},
		"time":               {`exportedAt: "2026-09-01T`, `exportedAt: "2026-99-01T`, "", "cannot be read"},
		"not a time":         {`exportedAt: "2026`, `exportedAt: "today 2026`, "/exportedAt", ""},
		"count":              {"totalUses: 10", "totalUses: -1", "/tool/usageStats/totalUses", ""},
		"broken count":       {"totalUses: 10", "totalUses: 1.5", "/tool/usageStats/totalUses", ""},
		"count as float":     {"totalUses: 10", "totalUses: 1.0", "/tool/usageStats/totalUses", "number 1.0"},
		"allowlist":          {"- fetch", "- eval", "/tool/implementation/allowlist/0", "eval"},
		"memory":             {"timeoutMs: 100", "memoryMB: 100000", "/tool/implementation/memoryMB", "1024"},
		"steps and code":     {"mode: sandbox", "mode: sandbox\n    steps: [{name: a, tool: b, inputMapping: {}}]", "/tool/implementation/steps", "sandbox"},
		"code and steps":     {"mode: sandbox", "mode: compose", "/tool/implementation", "composed"},
		"schema":             {"type: object", "type: thing", "/tool/inputSchema/type", ""},
		"remote schema":      {"type: object", "$ref: http://x.example/", "/tool/inputSchema/$ref", ""},
		"no schema":          {"inputSchema:\n", "inputSchema: 1\n  source2:\n", "/tool/inputSchema", ""},
		"verdicts":           {"judgeVerdicts:\n", "judgeVerdicts: yes\n  x:\n", "/tool/judgeVerdicts", ""},
		"a tag":              {"name: page_outline", "name: !!str page_outline", "/tool/name", "a tag is not taken"},
		"an anchor":          {"name: page_outline", "name: &a page_outline", "/tool/name", "an anchor is not taken"},
		"twice":              {"name: page_outline", "name: page_outline\n  name: other", "/tool/name", "given twice"},
	} {
		_, err := forge.ReadPackage(edited(t, c.old, c.new))
		e := tool.AsError(err)
		if e == nil || e.Code != tool.InvalidRequest || e.Path != c.path || !strings.Contains(e.Message, c.text) || e.Hint == "" && e.Line == 0 && c.path == "" {
			t.Errorf("%s: %v; want %q at %s", name, err, c.text, c.path)
		}
	}
	for text, want := range map[string]string{
		"": "empty", "text": "a string where a package belongs", "- a": "a list where", "[1]": "a list where", "{": "not JSON", "7": "a number where",
		strings.Repeat("x", forge.MaxPackageBytes+1): "at most 262144 are read",
	} {
		if _, err := forge.ReadPackage([]byte(text)); !errors.Is(err, tool.InvalidRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	if _, err := forge.ReadPackage(edited(t, "partial: true", "partial: false")); err != nil {
		t.Errorf("without a digest it may be edited: %v", err)
	}
}

// No byte of the tool can be changed without breaking the digest, the package or nothing at all of what it means.
func TestTampering(t *testing.T) {
	t.Parallel()
	r, i := coded()
	whole := build(t, r, i, forge.PackageOptions{})
	text := yamlOf(t, whole)
	from, to := strings.Index(text, "tool:"), strings.Index(text, "integrity:")
	refused := 0
	for at := from; at < to; at += 7 {
		changed := []byte(text)
		changed[at] ^= 1
		p, err := forge.ReadPackage(changed)
		switch {
		case err == nil && p.Digest() != whole.Digest():
			t.Errorf("byte %d: %q is taken", at, changed[max(0, at-20):at+20])
		case errors.Is(err, tool.Rejected):
			refused++
		}
	}
	if refused < 20 {
		t.Errorf("only %d changes met the digest", refused)
	}
}

func key(t testing.TB, seed byte) (ed25519.PrivateKey, ed25519.PublicKey) {
	t.Helper()
	private, public, err := forge.NewKey(bytes.NewReader(bytes.Repeat([]byte{seed}, ed25519.SeedSize)))
	if err != nil {
		t.Fatal(err)
	}
	secret, err := forge.ReadPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	open, err := forge.ReadPublicKey(public)
	if err != nil || !open.Equal(secret.Public()) {
		t.Fatal(err)
	}
	return secret, open
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	r, i := coded()
	secret, open := key(t, 1)
	_, other := key(t, 2)
	plain, sealed := build(t, r, i, forge.PackageOptions{}), build(t, r, i, forge.PackageOptions{Key: secret})
	forged := build(t, r, i, forge.PackageOptions{Key: secret})
	forged.Integrity.Signature.Value = "A" + forged.Integrity.Signature.Value[1:]
	if forged.Integrity.Signature.Value == sealed.Integrity.Signature.Value {
		t.Fatal("the signature is the same")
	}
	for name, c := range map[string]struct {
		p       *forge.Package
		trust   forge.Trust
		refused string // "" is taken
		signed  bool
	}{
		"plain, nobody trusted":            {plain, forge.Trust{}, "", false},
		"plain, somebody trusted":          {plain, forge.Trust{Keys: []ed25519.PublicKey{open}}, "", false},
		"plain, signature required":        {plain, forge.Trust{Keys: []ed25519.PublicKey{open}, RequireSignature: true}, "not signed", false},
		"signed, nobody trusted":           {sealed, forge.Trust{}, "", false},
		"signed, trusted":                  {sealed, forge.Trust{Keys: []ed25519.PublicKey{other, open}, RequireSignature: true}, "", true},
		"signed, another trusted":          {sealed, forge.Trust{Keys: []ed25519.PublicKey{other}}, "none of the 1 that are trusted", false},
		"signed, required, nobody trusted": {sealed, forge.Trust{RequireSignature: true}, "none of the 0 that are trusted", false},
		"signature is wrong":               {forged, forge.Trust{Keys: []ed25519.PublicKey{open}}, "not by the key", false},
	} {
		back, err := forge.ReadPackage([]byte(yamlOf(t, c.p)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		keyID, err := back.Verify(c.trust)
		switch {
		case c.refused == "" && (err != nil || (keyID == forge.KeyID(open)) != c.signed || (keyID != "") != c.signed):
			t.Errorf("%s: %q %v", name, keyID, err)
		case c.refused != "" && (!errors.Is(err, tool.Rejected) || !strings.Contains(err.Error(), c.refused) || tool.AsError(err).Hint == "" || keyID != ""):
			t.Errorf("%s: %q %v", name, keyID, err)
		}
	}
}

func TestKeysThatAreNone(t *testing.T) {
	t.Parallel()
	private, public, err := forge.NewKey(bytes.NewReader(make([]byte, ed25519.SeedSize)))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"empty": nil, "the other one": public, "no key": []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
		"long": append(bytes.Repeat([]byte(" "), forge.MaxKeyBytes), private...),
	} {
		if _, err := forge.ReadPrivateKey(text); !errors.Is(err, tool.InvalidRequest) || tool.AsError(err).Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := forge.ReadPublicKey(private); !errors.Is(err, tool.InvalidRequest) || strings.Contains(fmt.Sprint(err), "AAAA") {
		t.Errorf("%v", err)
	}
	if _, _, err := forge.NewKey(bytes.NewReader(nil)); !errors.Is(err, tool.Internal) {
		t.Errorf("%v", err)
	}
}

// Nothing that is read as a package panics, and what is accepted is written and read as the same package again.
func FuzzReadPackage(f *testing.F) {
	for _, make := range []func() (*tool.Record, tool.Implementation){composed, coded} {
		r, i := make()
		secret, _ := key(f, 1)
		p := build(f, r, i, forge.PackageOptions{Key: secret})
		asJSON, err := p.JSON()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(asJSON))
		f.Add(yamlOf(f, p))
		without, _, _ := strings.Cut(yamlOf(f, p), "integrity:")
		f.Add(without)
	}
	f.Add("schemaVersion: agentos.emergent-tool.v1\npackageType: emergent-tool\ntool: ~\n")
	f.Add("{}")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := forge.ReadPackage([]byte(text))
		if err != nil {
			if !errors.Is(err, tool.InvalidRequest) && !errors.Is(err, tool.Rejected) && !errors.Is(err, tool.Limit) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		_, _, _ = p.Request()
		_, _ = p.Verify(forge.Trust{})
		first, err := p.JSON()
		if err != nil || len(first) > forge.MaxPackageBytes {
			return
		}
		again, err := forge.ReadPackage(first)
		if err != nil || again.Digest() != p.Digest() {
			t.Fatalf("%q became %q: %v", text, first, err)
		}
	})
}
