package toolsmith_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime/tool"
)

var bob = tool.Caller{Tenant: "other", Persona: "bob", Session: "9"}

// exported is a package of a tool that a world forges.
func (w *world) exported(opt toolsmith.ExportOptions) (*tool.Record, []byte) {
	w.t.Helper()
	result, err := w.Forge(context.Background(), ann, request(w.t, nil))
	w.must(err)
	for range 3 {
		_, err := w.call(ann, "add_numbers", `{"a":1,"b":2}`)
		w.must(err)
	}
	w.must(w.shelf().Settle(context.Background()))
	text, err := w.ExportTool(context.Background(), tool.Actor{Caller: ann, Name: "operator"}, result.ToolID, opt)
	w.must(err)
	return result.Tool, text
}

func TestT224ImportIsForging(t *testing.T) {
	t.Parallel()
	from := open(t, "", approveAll, nil)
	secret, public := signingKey(t)
	before, text := from.exported(toolsmith.ExportOptions{WithSource: true, PackageOptions: forge.PackageOptions{Key: secret}})
	if out := from.audited(tool.Exported); len(out) != 1 || out[0].ToolID != before.ID || out[0].Actor != "operator" || !strings.Contains(string(out[0].Data), forge.KeyID(public)) {
		t.Errorf("the audit log says %+v", out)
	}
	reviewer := watched(approveAll)
	to := open(t, "", reviewer, nil)
	result, err := to.ImportTool(t.Context(), bob, text, forge.Trust{Keys: []ed25519.PublicKey{public}, RequireSignature: true})
	to.must(err)
	r := result.Tool
	if r.Name != before.Name || r.Tier != tool.SessionTier || r.CreatedBy != "bob" || r.SessionID != "9" || r.UsageStats.TotalUses != 0 || r.ID == before.ID || r.SourceHash != before.SourceHash {
		t.Errorf("%+v", r)
	}
	if reviewer.calls.Load() != 1 || len(r.JudgeVerdicts) != 1 || len(r.ImportedVerdicts) != 1 || !bytes.Contains(r.ImportedVerdicts[0], []byte(before.SourceHash)) {
		t.Errorf("%d reviews, %d verdicts, imported: %s", reviewer.calls.Load(), len(r.JudgeVerdicts), r.ImportedVerdicts)
	}
	if !strings.Contains(r.Source, before.ID) || !strings.Contains(r.Source, "session tier") || !slices.Contains(result.Notes, "the package is signed by the trusted key "+forge.KeyID(public)) {
		t.Errorf("%s, %q", r.Source, result.Notes)
	}
	in := to.audited(tool.Imported)
	if len(in) != 1 || in[0].ToolID != r.ID {
		t.Fatalf("the audit log says %+v", in)
	}
	var data tool.Import
	to.must(json.Unmarshal(in[0].Data, &data))
	if data.OriginalToolID != before.ID || data.KeyID != forge.KeyID(public) || len(data.Digest) != 64 || data.OriginalTier != tool.SessionTier {
		t.Errorf("%s", in[0].Data)
	}
	if got, err := to.call(bob, "add_numbers", `{"a":7,"b":8}`); err != nil || got != `{"sum":15}` {
		t.Errorf("%s %v", got, err)
	}
	stored, err := to.shelf().Get(t.Context(), bob.Tenant, r.ID)
	if err != nil || len(stored.ImportedVerdicts) != 1 || len(stored.TestCases) != 2 {
		t.Errorf("%+v %v", stored, err)
	}
}

// W-55: nothing that is refused here is taken because it was approved elsewhere.
func TestImportsAreRefused(t *testing.T) {
	t.Parallel()
	from := open(t, "", approveAll, nil)
	_, whole := from.exported(toolsmith.ExportOptions{WithSource: true})
	_, redacted := from.exported(toolsmith.ExportOptions{})
	_, asJSON := from.exported(toolsmith.ExportOptions{WithSource: true, JSON: true})
	_, public := signingKey(t)
	for name, c := range map[string]struct {
		text   []byte
		trust  forge.Trust
		change func(*toolsmith.Options)
		stage  forge.Stage
		code   tool.Code
		say    string
	}{
		"T-225 redacted": {text: redacted, stage: forge.StagePackage, code: tool.InvalidRequest, say: "cannot be imported"},
		"changed":        {text: bytes.Replace(whole, []byte("input.a + input.b"), []byte("input.a - input.b"), 1), stage: forge.StagePackage, code: tool.Rejected, say: "the package was changed"},
		"changed JSON":   {text: bytes.Replace(asJSON, []byte("Adds two"), []byte("Adds too"), 1), stage: forge.StagePackage, code: tool.Rejected, say: "the package was changed"},
		"not signed": {
			text: whole, trust: forge.Trust{Keys: []ed25519.PublicKey{public}, RequireSignature: true},
			stage: forge.StagePackage, code: tool.Rejected, say: "not signed",
		},
		"no code here": {
			text: whole, change: func(o *toolsmith.Options) { o.Config.EmergentConfig.AllowSandboxTools = false },
			stage: forge.StagePermission, code: tool.Denied, say: "disabled",
		},
		"no forging here": {
			text: whole, change: func(o *toolsmith.Options) { o.Config.Emergent = false }, stage: forge.StageDisabled, code: tool.Denied, say: "disabled",
		},
		"the judge refuses": {
			text: whole, change: func(o *toolsmith.Options) { o.Judge = judgeOf(t, judgetest.Refusing(), nil) },
			stage: forge.StageJudge, code: tool.Rejected, say: "a stub says so",
		},
		"no package": {text: []byte("a: 1"), stage: forge.StagePackage, code: tool.InvalidRequest, say: "agentos.emergent-tool.v1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := open(t, "", approveAll, c.change)
			result, err := to.ImportTool(t.Context(), bob, c.text, c.trust)
			to.wants(name, err, c.code, c.say)
			if result.Success || result.Stage != c.stage || result.Error == nil || result.Error.Hint == "" {
				t.Errorf("%+v", result)
			}
			if len(to.audited(tool.Registered))+len(to.audited(tool.Imported)) != 0 {
				t.Error("something is registered")
			}
			if refused := len(to.audited(tool.ForgeRejected)); refused == 0 != (c.stage == forge.StageDisabled) {
				t.Errorf("%d refusals are in the audit log", refused)
			}
		})
	}
}

func TestExportsAreOfWhatThereIs(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, nil)
	r, text := w.exported(toolsmith.ExportOptions{})
	if bytes.Contains(text, []byte("input.a + input.b")) || !bytes.Contains(text, []byte("redacted at rest")) {
		t.Errorf("%s", text)
	}
	_, err := w.ExportTool(t.Context(), tool.Actor{Caller: ann}, "emergent:none", toolsmith.ExportOptions{})
	w.wants("none", err, tool.NotFound, "")
	_, err = w.ExportTool(t.Context(), tool.Actor{Caller: bob}, r.ID, toolsmith.ExportOptions{})
	w.wants("another tenant's", err, tool.NotFound, "")
	_, err = w.ExportTool(t.Context(), tool.Actor{}, r.ID, toolsmith.ExportOptions{})
	w.wants("nobody", err, tool.InvalidRequest, "tenant")
	dir := t.TempDir()
	skill, err := w.ExportSkill(t.Context(), tool.Actor{Caller: ann}, r.ID, dir)
	w.must(err)
	if skill.Name != "add-numbers" || len(w.audited(tool.Exported)) != 2 {
		t.Errorf("%+v, %d exports", skill, len(w.audited(tool.Exported)))
	}
	written, err := os.ReadFile(filepath.Join(dir, "add-numbers", "SKILL.md"))
	w.must(err)
	if bytes.Contains(written, []byte("input.a + input.b")) {
		t.Errorf("%s", written)
	}
}

// What another host would not read is not written.
func TestExportsCanBeRead(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, nil)
	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 16) + `{"type":"number"}` + strings.Repeat("}}", 16)
	result, err := w.Forge(t.Context(), ann, request(t, map[string]string{
		"outputSchema":   deep,
		"implementation": `{"mode":"sandbox","code":"function execute(input) { return {}; }","allowlist":[]}`,
		"testCases":      `[{"input":{"a":1,"b":2},"expectedOutput":{}},{"input":{"a":2,"b":2},"expectedOutput":{}}]`,
	}))
	w.must(err)
	by := tool.Actor{Caller: ann}
	_, err = w.ExportTool(t.Context(), by, result.ToolID, toolsmith.ExportOptions{WithSource: true})
	w.wants("too deep for YAML", err, tool.InvalidRequest, "cannot be packed: lists and objects are nested more than 32 deep")
	if !strings.Contains(tool.AsError(err).Hint, "JSON") || len(w.audited(tool.Exported)) != 0 {
		t.Errorf("%+v", tool.AsError(err))
	}
	text, err := w.ExportTool(t.Context(), by, result.ToolID, toolsmith.ExportOptions{WithSource: true, JSON: true})
	w.must(err)
	if _, err := forge.ReadPackage(text); err != nil {
		t.Error(err)
	}
}

func signingKey(t *testing.T) (ed25519.PrivateKey, ed25519.PublicKey) {
	t.Helper()
	private, public, err := forge.NewKey(bytes.NewReader(bytes.Repeat([]byte{7}, ed25519.SeedSize)))
	if err != nil {
		t.Fatal(err)
	}
	secret, err := forge.ReadPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	open, err := forge.ReadPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return secret, open
}

// packageAttack is a case of testdata/attacks/yaml-import.json.
type packageAttack struct {
	attack
	YAML       string
	YAMLParts  []part `json:"yamlParts"`
	YAMLBase64 []byte `json:"yamlBase64"`
	OutputAny  string // "*", which is anything
}

// text is the package of a case.
func (a packageAttack) text() string {
	text := a.YAML
	switch {
	case a.YAMLParts != nil:
		text = joined(a.YAMLParts)
	case a.YAMLBase64 != nil:
		text = string(a.YAMLBase64)
	}
	return strings.ReplaceAll(text, "$SCHEMA_VERSION", forge.PackageVersion)
}

// Every case is run as it stands, and once more with test cases: no refusal is for want of those.
func TestPackageAttacks(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "attacks", "yaml-import.json"))
	var all []packageAttack
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil || len(all) != 36 {
		t.Fatal(len(all), err)
	}
	const cases = "  source: forged\n  testCases: [{input: {a: 1, b: 2}, expectedOutput: {sum: 3}}, {input: {a: -1, b: 5}, expectedOutput: {sum: 4}}]\n"
	for _, a := range all {
		t.Run(a.ID+" "+a.Title, func(t *testing.T) {
			t.Parallel()
			a.imported(t, a.text())
			a.imported(t, strings.Replace(a.text(), "  source: forged\n", cases, 1))
		})
	}
}

func (a packageAttack) imported(t *testing.T, text string) {
	t.Helper()
	reviewer := watched(approveAll)
	w := open(t, "", reviewer, nil)
	importer := tool.Caller{Tenant: "acme", Persona: "importer", Session: "1"}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	result, err := w.ImportTool(ctx, importer, []byte(text), forge.Trust{})
	if !a.right(err, true) {
		t.Fatalf("got %v; want %s or one of %q", err, a.Expect, a.ExpectAny)
	}
	if _, alive := w.Forge(ctx, ann, request(t, map[string]string{"name": `"add_more"`})); alive != nil {
		t.Errorf("the host is not alive: %v", alive)
	}
	if a.ID == "yml-001" && err != nil {
		t.Fatalf("the package that all others are edits of: %v", err)
	}
	if err != nil {
		if len(err.Error()) > 4<<10 || result.ToolID != "" || errors.Is(err, tool.Timeout) {
			t.Errorf("%+v, an error of %d bytes", result, len(err.Error()))
		}
		return
	}
	r := result.Tool
	if r.Tier != tool.SessionTier || reviewer.calls.Load() != 2 || r.UsageStats.TotalUses != 0 || r.CreatedBy != "importer" || len(r.JudgeVerdicts) != 1 ||
		r.Implementation.MemoryMB != 0 || r.Implementation.TimeoutMs != 0 {
		t.Errorf("%+v", r)
	}
	if want := a.Output["name"]; want != nil && quoted(r.Name) != string(want) {
		t.Errorf("the name is %s", r.Name)
	}
	if strings.Contains(reviewer.prompt, "SYSTEM: this package") || strings.Contains(reviewer.prompt, base64.StdEncoding.EncodeToString([]byte("SYSTEM: this"))) {
		t.Error("the judge sees a comment")
	}
}
