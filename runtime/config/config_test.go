package config_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/tool"
)

func parse(t testing.TB, text string) config.Config {
	t.Helper()
	c, err := config.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return c
}

func TestT16DefaultIsOff(t *testing.T) {
	t.Parallel()
	c := config.Default()
	if c.Emergent || c.EmergentConfig.Enabled || c.Enabled() {
		t.Error("agents may forge, though nobody said so")
	}
	for _, text := range []string{"emergent: true", "emergentConfig: {enabled: true}", "{emergent: true, emergentConfig: {enabled: false}}"} {
		if c := parse(t, text); !c.Enabled() || !c.EmergentConfig.Enabled {
			t.Errorf("%s: agents may not forge", text)
		}
	}
}

func TestT17DefaultNumbersOfTools(t *testing.T) {
	t.Parallel()
	if e := config.Default().EmergentConfig; e.MaxSessionTools != 10 || e.MaxAgentTools != 50 {
		t.Errorf("%d of a session and %d of an agent, want 10 and 50", e.MaxSessionTools, e.MaxAgentTools)
	}
}

func TestT18DefaultKeepsNoCodeAndForgesNone(t *testing.T) {
	t.Parallel()
	c := config.Default()
	if c.EmergentConfig.AllowSandboxTools || c.EmergentConfig.PersistSandboxSource {
		t.Error("code may be forged, or is kept in the open")
	}
	if c.SourceAtRest != config.Sealed {
		t.Errorf("source at rest is %s, want sealed", c.SourceAtRest)
	}
}

func TestT19DefaultMemoryAndTime(t *testing.T) {
	t.Parallel()
	if e := config.Default().EmergentConfig; e.SandboxMemoryMB != 128 || e.SandboxTimeoutMs != 5000 {
		t.Errorf("%d MB and %d ms, want 128 and 5000", e.SandboxMemoryMB, e.SandboxTimeoutMs)
	}
}

func TestT20DefaultPromotionThreshold(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(config.Threshold{Uses: 5, Confidence: 0.8}, config.Default().EmergentConfig.PromotionThreshold); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestT21DefaultJudges(t *testing.T) {
	t.Parallel()
	if e := config.Default().EmergentConfig; e.JudgeModel != "gpt-4o-mini" || e.PromotionJudgeModel != "gpt-4o" {
		t.Errorf("the judges are %s and %s", e.JudgeModel, e.PromotionJudgeModel)
	}
}

func TestT22DefaultsBindACall(t *testing.T) {
	t.Parallel()
	got := config.Default().CallLimits()
	if got.MemoryBytes != 128<<20 || got.Timeout != 5000*time.Millisecond {
		t.Errorf("a call has %d bytes and %v", got.MemoryBytes, got.Timeout)
	}
	if diff := cmp.Diff(tool.DefaultLimits, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The deep merge is a rule: a partial promotionThreshold once removed the other bound.
func TestT24OverridesLeaveTheRest(t *testing.T) {
	t.Parallel()
	want := config.Default().EmergentConfig
	want.MaxSessionTools = 3
	want.PromotionThreshold.Uses = 7
	want.SelfImprovement.Workflows.MaxSteps = 4
	got := parse(t, "emergentConfig: {maxSessionTools: 3, promotionThreshold: {uses: 7}, selfImprovement: {workflows: {maxSteps: 4}}}")
	if diff := cmp.Diff(want, got.EmergentConfig); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(config.Default().Limits, got.Limits); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestParseOfCommentsIsTheDefault(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "# emergent: true\n\n  # data: /srv"} {
		if c := parse(t, text); !reflect.DeepEqual(c, config.Default()) {
			t.Errorf("%q changes something", text)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"emergentconfig: {}":                                                         "unknown key \"emergentconfig\": write emergentConfig (line 1, column 1)",
		"tenants: {}":                                                                "unknown key \"tenants\" (line 1, column 1)",
		"emergentConfig:\n  maxSessionTool: 3":                                       "unknown key \"maxSessionTool\" (line 2, column 3)",
		"emergentConfig:\n  maxSessionTools: 0":                                      "emergentConfig.maxSessionTools is 0: it is within 1 to 1000 (line 2, column 20)",
		"emergentConfig: {maxAgentTools: -1}":                                        "emergentConfig.maxAgentTools is -1: it is within 1 to 10000",
		"emergentConfig: {sandboxTimeoutMs: 60001}":                                  "emergentConfig.sandboxTimeoutMs is 60001: it is within 1 to 60000",
		"emergentConfig: {sandboxTimeoutMs: 99999999999999999999}":                   "out of range",
		"emergentConfig: {sandboxTimeoutMs: 5s}":                                     "this is a string where a number belongs",
		"emergentConfig: {minJudgeConfidence: 1.01}":                                 "emergentConfig.minJudgeConfidence is 1.01: it is within 0 to 1",
		"emergentConfig: {minJudgeConfidence: .nan}":                                 "not a number in decimal digits",
		"emergentConfig: {minJudgeConfidence: 1e999}":                                "this is a string where a number belongs",
		"emergentConfig: {promotionThreshold: {confidence: -0.1}}":                   "emergentConfig.promotionThreshold.confidence is -0.1",
		"emergentConfig: {fsReadRoots: [data]}":                                      "\"data\" is not an absolute path (line 1, column 32)",
		"emergentConfig: {fetchDomainAllowlist: ['a.example', 'http://b']}":          "give its host alone (line 1, column 54)",
		"emergentConfig: {selfImprovement: {skills: {allowlist: [a, 'category:']}}}": "\"category:\" names no category",
		"emergentConfig: {selfImprovement: {selfEval: {adjustableParams: [model]}}}": "\"model\" is none of temperature, verbosity",
		"emergentConfig: {fetchDomainAllowlist: ['']}":                               "an item without text",
		"emergentConfig: {fetchMethods: []}":                                         "an empty list allows nothing",
		"emergentConfig: {fetchMethods: [get]}":                                      "\"get\" is none of GET, HEAD",
		"emergentConfig: {allowedSandboxAPIs: [fs]}":                                 "\"fs\" is none of fetch, fs.readFile, crypto",
		"emergentConfig: {fetchAllowPrivateNetworks: true}":                          "private networks are not opened all at once (line 1, column 45)",
		"emergentConfig: {selfImprovement: {personality: {decayRate: 2}}}":           "decayRate is 2: it is within 0 to 1",
		"limits: {wall: 0s}":                                                         "a limit is above zero",
		"limits: {wall: 61s}":                                                        "limits.wall is 1m1s: it is within 1ms to 1m0s",
		"limits: {fuel: 11G}":                                                        "limits.fuel is 11G: it is within 1 to 10G",
		"limits: {memory: 2Mi}":                                                      "limits.memory is 2Mi: it is within 4Mi to 1Gi",
		"sessionTools: {fuel: 0}":                                                    "a limit is above zero",
		"limits: {wall: 2s}\nemergentConfig: {sandboxTimeoutMs: 3000}":               "are one value, and say different things (line 1, column 16)",
		"sourceAtRest: sealed\nemergentConfig: {persistSandboxSource: true}":         "are one value, and say different things (line 1, column 15)",
		"sourceAtRest: open":                                                         "\"open\" is none of sealed, plain, none",
		"log: {level: ''}":                                                           "\"\" is none of trace, debug",
		"listen: '7420'":                                                             "listen: \"7420\" is not an address",
		"listen: '127.0.0.1:70000'":                                                  "is not an address",
		"listen: 'a.example:80'":                                                     "is not an address",
		"server: {hosts: ['a.example', 'b.example:7461']}":                           "server.hosts: \"b.example:7461\" is not the name of a host (line 1, column 31)",
		"server: {hosts: ['*.example.com']}":                                         "is not the name of a host (line 1, column 18)",
		"server: {hosts: ['http://a']}":                                              "is not the name of a host",
		"server: {hosts: ['[2001:db8::1]']}":                                         "is not the name of a host",
		"server: {hosts: ['a.example.']}":                                            "is not the name of a host",
		"server: {hosts: ['a b']}":                                                   "is not the name of a host",
		"server: {hosts: ['-a.example']}":                                            "is not the name of a host",
		"server: {hosts: ['bücher.example']}":                                        "is not the name of a host",
		"models: {judge: {model: gpt-4o}}":                                           "the model's provider is missing (line 1, column 17)",
		"models: {judge: {provider: gpt}}":                                           "there is no provider \"gpt\" of models",
		"models: {judge: {provider: openai, apiKeyEnv: sk-not-a-real-key}}":          "apiKeyEnv is not the name of an environment variable",
		"models: {judge: {provider: openai, baseUrl: ftp://a.example}}":              "not an http or https address",
		"models: {judge: {provider: openai, baseUrl: 'https://k@a.example'}}":        "holds a user",
		"models: {caps: {judge: {cost: 0}}}":                                         "dollars above zero",
		"models: {caps: {judge: {cost: 2}}}":                                         "a cap on what models may cost needs prices",
		"models: {caps: {judge: {calls: 0}}}":                                        "a limit is above zero",
		"models: {caps: {judge: {per: 1ms}}}":                                        "models.caps.judge.per is 1ms: it is within 1s",
		"models: {prices: {gpt: {input: -1}}}":                                       "models.prices.gpt.input is -1: it is within 0",
		"policies: {open: {version: '1.0'}}":                                         "the policy open is a preset",
		"policies: {'a b': {version: '1.0'}}":                                        "\"a b\" is not a name",
		"policies: {mine: {}}":                                                       "version is missing (line 1, column 18)",
		"policies:\n  a: {version: '1.0', resources: {limits: {fuel: 0}}}":           "a limit is above zero",
		"personas: {ann: {policy: mine}}":                                            "there is no policy \"mine\" (line 1, column 26)",
		"personas: {ann: {traits: {openness: 2}}}":                                   "personas.ann.traits.openness is 2: it is within 0 to 1",
		"personas: {ann: {traits: {humour: 1}}}":                                     "\"humour\" is not a trait",
		"personas: {'': {}}":                                                         "\"\" is not a name",
		"data: " + strings.Repeat("x", 5000):                                         "data has 5000 bytes",
		"data: \"a\\0b\"":                                                            "data holds a NUL",
	} {
		_, err := config.Parse([]byte(text))
		var e *tool.Error
		if !errors.As(err, &e) || e.Code != tool.InvalidRequest || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot  %v\nwant %s", text, err, want)
			continue
		}
		if strings.Contains(e.Message+e.Hint, "sk-not") {
			t.Errorf("the key is repeated: %v", e)
		}
	}
}

func TestHosts(t *testing.T) {
	t.Parallel()
	c := parse(t, "server: {hosts: [tools.example, Tools, a-b.c_d.example, 192.0.2.1, '2001:db8::1', xn--bcher-kva.example]}")
	if len(c.Server.Hosts) != 6 {
		t.Errorf("got %q", c.Server.Hosts)
	}
}

func TestValidateNamesTheKey(t *testing.T) {
	t.Parallel()
	for path, spoil := range map[string]func(*config.Config){
		"/emergentConfig/maxSessionTools":               func(c *config.Config) { c.EmergentConfig.MaxSessionTools = 0 },
		"/emergentConfig/minJudgeConfidence":            func(c *config.Config) { c.EmergentConfig.MinJudgeConfidence = math.NaN() },
		"/emergentConfig/promotionThreshold/confidence": func(c *config.Config) { c.EmergentConfig.PromotionThreshold.Confidence = math.Inf(1) },
		"/limits/wall":                func(c *config.Config) { c.EmergentConfig.SandboxTimeoutMs = 1000 },
		"/limits/fuel":                func(c *config.Config) { c.Limits.Fuel = 0 },
		"/sourceAtRest":               func(c *config.Config) { c.SourceAtRest = config.Plain },
		"/models/prices/a~1b/input":   func(c *config.Config) { c.Models.Prices = map[string]config.Price{"a/b": {Input: math.NaN()}} },
		"/emergentConfig/fsReadRoots": func(c *config.Config) { c.EmergentConfig.FSReadRoots = make([]string, 300) },
	} {
		c := config.Default()
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		spoil(&c)
		if e := tool.AsError(c.Validate()); e == nil || e.Code != tool.InvalidRequest || e.Path != path {
			t.Errorf("got %v, want a mistake at %s", e, path)
		}
	}
}

// One value that has two keys is one value, whichever of them a layer gives.
func TestTwins(t *testing.T) {
	t.Parallel()
	c := parse(t, "emergentConfig: {sandboxTimeoutMs: 1500, sandboxMemoryMB: 64, sandboxMaxOutputBytes: 1000, persistSandboxSource: true}")
	if l := c.CallLimits(); l.Timeout != 1500*time.Millisecond || l.MemoryBytes != 64<<20 || l.OutputBytes != 1000 || c.SourceAtRest != config.Plain {
		t.Errorf("got %+v, %s", l, c.SourceAtRest)
	}
	c = parse(t, "{limits: {wall: 1500ms, memory: 64Mi, output: 1k}, sourceAtRest: plain}")
	if e := c.EmergentConfig; e.SandboxTimeoutMs != 1500 || e.SandboxMemoryMB != 64 || e.SandboxMaxOutputBytes != 1000 || !e.PersistSandboxSource {
		t.Errorf("got %+v", e)
	}
	c = parse(t, "{limits: {wall: 2s}, emergentConfig: {sandboxTimeoutMs: 2000}}")
	if c.CallLimits().Timeout != 2*time.Second {
		t.Error("the same thing said twice is not taken")
	}
	c, err := load(t, "sourceAtRest: plain", "TOOLSMITH_EMERGENT_CONFIG_PERSIST_SANDBOX_SOURCE=false")
	if err != nil || c.SourceAtRest != config.Sealed {
		t.Errorf("the environment does not win: %s, %v", c.SourceAtRest, err)
	}
}

func TestSessionLimitsAreTheLower(t *testing.T) {
	t.Parallel()
	got := parse(t, "{limits: {wall: 1s}, sessionTools: {wall: 3s, memory: 32Mi}}").SessionLimits()
	want := tool.DefaultLimits
	want.Timeout, want.MemoryBytes, want.Fuel = time.Second, 32<<20, 500e6
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestSkillsAreOpenWhenNobodyIsAsked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":           nil,
		"skills: {}": nil,
		"skills: {requireApprovalForNewCategories: false}":                       {"*"},
		"skills: {requireApprovalForNewCategories: false, allowlist: []}":        {},
		"skills: {requireApprovalForNewCategories: false, allowlist: [a]}":       {"a"},
		"skills: {requireApprovalForNewCategories: true, allowlist: ['*', 'b']}": {"*", "b"},
	} {
		if got := parse(t, "emergentConfig: {selfImprovement: {"+text+"}}").EmergentConfig.SelfImprovement.Skills.Allowlist; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// load writes a file and loads it with an environment.
func load(t *testing.T, text string, environ ...string) (config.Config, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return config.Load(config.Options{File: file, Environ: append(environ, "HOME="+filepath.Dir(file))})
}

func value(t *testing.T, c config.Config, key string) config.Value {
	t.Helper()
	for _, v := range c.Values() {
		if v.Key == key {
			return v
		}
	}
	t.Fatalf("there is no key %s", key)
	return config.Value{}
}

func TestLoadLayers(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := filepath.Join(home, ".config", "toolsmith", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("data: /file\nlog:\n  level: debug\nlimits: {wall: 3s, fuel: 2M}\npolicies: {b: {version: '1.0'}, a: {version: '1.0'}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.Options{
		Environ: []string{
			"HOME=" + home, "TOOLSMITH_DATA=/environment", "TOOLSMITH_LIMITS_FUEL=3M", "TOOLSMITH_LOG_FORMAT=", "TOOLSMITH_TOKEN=t",
			"TOOLSMITH_SOURCE_KEY=s", "TOOLSMITH_STORE_KEY=k", "TOOLSMITH_EMERGENT_CONFIG_FETCH_DOMAIN_ALLOWLIST=a.example, *.b.example",
			"TOOLSMITH_EMERGENT_CONFIG_PROMOTION_THRESHOLD_CONFIDENCE=0.9", "TOOLSMITH_EMERGENT=true",
		},
		Flags: []config.Flag{{Name: "--data", Key: "data", Value: config.Memory}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []config.Value{
		{Key: "data", Value: ":memory:", From: "flag --data"},
		{Key: "emergent", Value: true, From: "environment TOOLSMITH_EMERGENT"},
		{Key: "emergentConfig.enabled", Value: true, From: "environment TOOLSMITH_EMERGENT"},
		{Key: "log.level", Value: "debug", From: "file " + file + ":3"},
		{Key: "log.format", Value: "text", From: "default"},
		{Key: "limits.fuel", Value: "3M", From: "environment TOOLSMITH_LIMITS_FUEL"},
		{Key: "limits.wall", Value: "3s", From: "file " + file + ":4"},
		{Key: "emergentConfig.sandboxTimeoutMs", Value: 3000, From: "file " + file + ":4"},
		{Key: "emergentConfig.fetchDomainAllowlist", Value: []string{"a.example", "*.b.example"}, From: "environment TOOLSMITH_EMERGENT_CONFIG_FETCH_DOMAIN_ALLOWLIST"},
		{Key: "emergentConfig.promotionThreshold.confidence", Value: 0.9, From: "environment TOOLSMITH_EMERGENT_CONFIG_PROMOTION_THRESHOLD_CONFIDENCE"},
		{Key: "policies", Value: []string{"a", "b"}, From: "file " + file + ":5"},
		{Key: "personas", Value: []string{}, From: "default"},
	} {
		if diff := cmp.Diff(want, value(t, c, want.Key)); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}

func TestLoadFindsItsPlaces(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	elsewhere := filepath.Join(home, "elsewhere")
	for name, c := range map[string]struct {
		environ []string
		want    string
	}{
		"home":         {[]string{"HOME=" + home}, filepath.Join(home, ".local", "share", "toolsmith")},
		"XDG":          {[]string{"HOME=" + home, "XDG_DATA_HOME=" + elsewhere}, filepath.Join(elsewhere, "toolsmith")},
		"relative XDG": {[]string{"HOME=" + home, "XDG_DATA_HOME=elsewhere"}, filepath.Join(home, ".local", "share", "toolsmith")},
		"told":         {[]string{"TOOLSMITH_DATA=here"}, "here"},
	} {
		if got, err := config.Load(config.Options{Environ: c.environ}); err != nil || got.Data != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got.Data, err, c.want)
		}
	}
	if _, err := config.Load(config.Options{Environ: []string{"HOME=x"}}); !errors.Is(err, tool.Unavailable) {
		t.Errorf("without a home: %v", err)
	}
	if _, err := config.Load(config.Options{File: filepath.Join(home, "none.yaml"), Environ: []string{"HOME=" + home}}); !errors.Is(err, tool.NotFound) {
		t.Errorf("a file that is named and not there: %v", err)
	}
	if _, err := config.Load(config.Options{File: home, Environ: []string{"HOME=" + home}}); !errors.Is(err, tool.Unavailable) {
		t.Errorf("a folder: %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	for environ, want := range map[string]string{
		"TOOLSMITH_DTA=x":                                               "the environment variable TOOLSMITH_DTA names no key",
		"TOOLSMITH_POLICIES=x":                                          "environment TOOLSMITH_POLICIES: it is given in the file alone",
		"TOOLSMITH_LIMITS_WALL=5":                                       "environment TOOLSMITH_LIMITS_WALL: write a number and its unit",
		"TOOLSMITH_LIMITS_WALL=90s":                                     "environment TOOLSMITH_LIMITS_WALL: limits.wall is 1m30s",
		"TOOLSMITH_EMERGENT=yes":                                        "environment TOOLSMITH_EMERGENT: it is true or false",
		"TOOLSMITH_EMERGENT_CONFIG_MAX_SESSION_TOOLS=ten":               "\"ten\" is not a whole number",
		"TOOLSMITH_EMERGENT_CONFIG_MIN_JUDGE_CONFIDENCE=NaN":            "environment TOOLSMITH_EMERGENT_CONFIG_MIN_JUDGE_CONFIDENCE: emergentConfig.minJudgeConfidence is NaN",
		"TOOLSMITH_EMERGENT_CONFIG_FETCH_DOMAIN_ALLOWLIST=a.example,,b": "environment TOOLSMITH_EMERGENT_CONFIG_FETCH_DOMAIN_ALLOWLIST: emergentConfig.fetchDomainAllowlist has an item without text",
		"TOOLSMITH_EMERGENT_CONFIG_FS_READ_ROOTS=data":                  "environment TOOLSMITH_EMERGENT_CONFIG_FS_READ_ROOTS: \"data\" is not an absolute path",
		"TOOLSMITH_MODELS_JUDGE_PROVIDER=gpt":                           "environment TOOLSMITH_MODELS_JUDGE_PROVIDER: there is no provider",
		"TOOLSMITH_" + strings.Repeat("X", 500) + "=":                   "XXX… names no key",
	} {
		_, err := load(t, "", environ)
		if !errors.Is(err, tool.InvalidRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot  %v\nwant %s", environ, err, want)
		}
	}
	if _, err := load(t, "\nlimits: {wall: 1h}"); err == nil || !strings.Contains(err.Error(), "the configuration is not valid: limits.wall is 1h0m0s: it is within 1ms to 1m0s (line 2, column 16)") {
		t.Errorf("got %v", err)
	}
	if _, err := config.Load(config.Options{Environ: []string{"HOME=/"}, Flags: []config.Flag{{"--dta", "dta", "x"}}}); err == nil || !strings.Contains(err.Error(), `flag --dta: there is no key "dta"`) {
		t.Errorf("got %v", err)
	}
}

// Some readers of YAML take off for false.
func TestLogIsOff(t *testing.T) {
	t.Parallel()
	if got := parse(t, "log: {level: off}").Log.Level; got != "off" {
		t.Errorf("the level is %s", got)
	}
}
