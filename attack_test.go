package toolsmith_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// attack is a case of testdata/attacks: a hostile request, the outcomes that are right, and facts that must hold besides.
type attack struct {
	ID, Kind, Title    string
	Expect             string
	ExpectAny          []string
	Output             map[string]json.RawMessage
	OutputAny          []json.RawMessage
	OutputMustNotMatch []string
	Judge, Marker      string

	Request      json.RawMessage
	RequestJSON  string `json:"requestJson"`
	RequestParts []part
	Existing     []json.RawMessage
	ThenCall     *struct {
		Input, Output json.RawMessage
		Times         int
	}
	RaceMutation    string
	EffectiveLimits map[string]int64

	Name      *string
	NameJSON  string `json:"nameJson"`
	NameParts []part

	Input              json.RawMessage
	InputParts         []part
	ComposeSteps       json.RawMessage
	ComposeStepsRepeat *struct {
		Step  json.RawMessage
		Count int
	}
	SelfName, Revoke, Call string
	Tools                  map[string]json.RawMessage
	Tools2                 map[string]struct {
		OutputSchema, Returns json.RawMessage
	}
	ToolsRepeat *struct{ Levels, Width int }
}

// part is text, or text many times.
type part struct {
	text   string
	Repeat string
	Count  int
}

func (p *part) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &p.text)
	}
	type plain part
	return json.Unmarshal(text, (*plain)(p))
}

func joined(parts []part) string {
	var all strings.Builder
	for _, p := range parts {
		all.WriteString(p.text + strings.Repeat(p.Repeat, p.Count))
	}
	return all.String()
}

func readAttacks(t *testing.T, name string) (list []attack) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "attacks", name+".json"))
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil || len(list) == 0 {
		t.Fatal(len(list), err)
	}
	return list
}

// attackCodes are the names that the corpus has for outcomes beside error:CODE.
var attackCodes = map[string]tool.Code{"error:exception": tool.GuestError, "error:fuel": tool.OutOfFuel, "error:memory": tool.OutOfMemory}

// right reports whether an outcome is one that the case allows. Refusals before anything is registered all count as a
// rejection at validation.
func (a attack) right(err error, registering bool) bool {
	for _, want := range append([]string{a.Expect}, a.ExpectAny...) {
		switch {
		case want == "ok" && err == nil:
			return true
		case err == nil || want == "ok":
		case want == "reject-at-validation" && registering:
			return !errors.Is(err, tool.Internal)
		case errors.Is(err, attackCodes[want]) || errors.Is(err, tool.Code(strings.TrimPrefix(want, "error:"))):
			return true
		}
	}
	return false
}

// stub is the judge of a case.
func (a attack) stub(t *testing.T) model.Model {
	t.Helper()
	m, known := judgetest.ByName(cmp.Or(a.Judge, "approve-all"), a.Marker)
	if !known {
		t.Fatalf("there is no judge %q", a.Judge)
	}
	return m
}

// text is the request of a case.
func (a attack) text() []byte {
	switch {
	case a.RequestParts != nil:
		return []byte(joined(a.RequestParts))
	case a.RequestJSON != "":
		return []byte(a.RequestJSON)
	}
	return slices.Clone(a.Request)
}

func TestForgeAttacks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"forge-gaming", "judge-injection"} {
		for _, a := range readAttacks(t, name) {
			t.Run(a.ID+" "+a.Title, func(t *testing.T) { t.Parallel(); a.forge(t) })
		}
	}
}

func (a attack) forge(t *testing.T) {
	t.Helper()
	first := approveAll
	stub := a.stub(t)
	if len(a.Existing) == 0 {
		first = stub
	}
	w := open(t, "", first, nil)
	for _, existing := range a.Existing {
		if _, err := w.Forge(t.Context(), ann, existing); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if a.Judge == "timeout" {
		ctx, cancel = context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
	}
	text := a.text()
	result, err := w.Forge(ctx, ann, text)
	if a.RaceMutation != "" { // what was judged is what is kept, whatever becomes of the caller's bytes
		for i := range text {
			text[i] = 'x'
		}
	}
	if a.Judge == "timeout" && (errors.Is(err, tool.Timeout) || errors.Is(err, tool.Canceled)) {
		err = tool.Rejected
	}
	if !a.right(err, true) {
		t.Fatalf("got %v; want %s or one of %q", err, a.Expect, a.ExpectAny)
	}
	if err != nil {
		a.notRegistered(w, result)
		return
	}
	a.facts(w, result)
}

func (a attack) notRegistered(w *world, result *forge.Result) {
	w.t.Helper()
	if result.Success || result.Tool != nil || result.Error == nil || result.Stage == "" {
		w.t.Errorf("the result of a refusal is %+v", result)
	}
	if refused := w.audited(tool.ForgeRejected); len(refused) != 1 {
		w.t.Errorf("%d refusals are in the audit log", len(refused))
	}
	for _, existing := range a.Existing {
		var old struct{ Name string }
		w.must(json.Unmarshal(existing, &old))
		if r, err := w.shelf().Find(context.Background(), ann, old.Name); err != nil || r.Version != 1 {
			w.t.Errorf("the old version: %+v, %v", r, err)
		}
	}
}

// facts confirms what the case says of a tool that was registered.
func (a attack) facts(w *world, result *forge.Result) {
	w.t.Helper()
	r := result.Tool
	for name, want := range a.Output {
		var got any
		switch name {
		case "registered":
			got = r != nil
		case "tier":
			got = r.Tier
		case "mode":
			got = r.Implementation.Mode
		case "allowlist":
			got = append([]string{}, r.Implementation.Allowlist...)
		case "createdBy":
			got = map[bool]string{true: "caller"}[r.CreatedBy == ann.Persona]
		case "asserting":
			got = map[bool]int{true: 0, false: 1}[slices.Contains(result.Report.Flags, tool.FlagNoAssertions)]
		case "outputSchemaInferred":
			got = strings.Contains(string(r.OutputSchema), `"sum"`)
		case "hashOfJudgedCode":
			whole, err := w.shelf().Implementation(context.Background(), ann.Tenant, r.ID)
			w.must(err)
			hash, err := whole.Hash()
			w.must(err)
			got = hash == r.SourceHash && hash == r.JudgeVerdicts[0].Creation.SourceHash
		case "flagged":
			var flags []tool.Flag
			w.must(json.Unmarshal(want, &flags))
			for _, flag := range flags {
				if !slices.Contains(result.Report.Flags, flag) {
					w.t.Errorf("the flag %s is missing: %v", flag, result.Report.Flags)
				}
			}
			continue
		default:
			w.t.Fatalf("nothing is known of the fact %s", name)
		}
		text, err := json.Marshal(got)
		w.must(err)
		if string(text) != string(want) {
			w.t.Errorf("%s is %s, want %s", name, text, want)
		}
	}
	if then := a.ThenCall; then != nil {
		for range then.Times {
			if got, err := w.call(ann, r.Name, string(then.Input)); err != nil || !alike(got, string(then.Output)) {
				w.t.Errorf("called later: %s, %v; want %s", got, err, then.Output)
			}
		}
	}
}

// alike compares two JSON texts.
func alike(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

func TestForgeNameAttacks(t *testing.T) {
	t.Parallel()
	for _, a := range readAttacks(t, "tool-names") {
		t.Run(a.ID+" "+a.Title, func(t *testing.T) { t.Parallel(); a.forgeName(t) })
	}
}

func (a attack) forgeName(t *testing.T) {
	t.Helper()
	w := open(t, "", approveAll, nil)
	for _, existing := range a.Existing {
		var old struct{ Name, Tier, By string }
		w.must(json.Unmarshal(existing, &old))
		c := ann
		if old.By == "other tenant" {
			c.Tenant = "other"
		}
		_, err := w.Forge(t.Context(), c, request(t, map[string]string{"name": quoted(old.Name)}))
		w.must(err)
	}
	name := a.NameJSON
	switch {
	case a.NameParts != nil:
		name = quoted(joined(a.NameParts))
	case a.Name != nil:
		name = quoted(*a.Name)
	}
	result, err := w.Forge(t.Context(), ann, request(t, map[string]string{"name": name}))
	if !a.right(err, true) {
		t.Fatalf("got %v; want %s or one of %q", err, a.Expect, a.ExpectAny)
	}
	if err == nil && a.Output["name"] != nil && quoted(result.Tool.Name) != string(a.Output["name"]) {
		t.Errorf("the name is %q", result.Tool.Name)
	}
	if err != nil && len(err.Error()) > 4<<10 {
		t.Errorf("the error has %d bytes", len(err.Error()))
	}
}

func quoted(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(out)
}

func TestComposeAttacks(t *testing.T) {
	t.Parallel()
	for _, a := range readAttacks(t, "compose") {
		t.Run(a.ID+" "+a.Title, func(t *testing.T) { t.Parallel(); a.compose(t) })
	}
}

func (a attack) compose(t *testing.T) {
	t.Helper()
	w := open(t, "", approveAll, func(opt *toolsmith.Options) { opt.Tools = a.tools() })
	w.denied["priv"] = true
	err := a.forgeAll(w)
	registering := true
	output := ""
	if err == nil {
		registering = false
		name, input := a.names(), string(a.Input)
		if a.InputParts != nil {
			input = joined(a.InputParts)
		}
		if a.Revoke != "" {
			w.mu.Lock()
			w.denied[a.Revoke] = true
			w.mu.Unlock()
		}
		output, err = w.call(ann, name, input)
	}
	if !a.right(err, registering) {
		t.Fatalf("got %s, %v; want %s or one of %q", output, err, a.Expect, a.ExpectAny)
	}
	for _, pattern := range a.OutputMustNotMatch {
		if regexp.MustCompile(pattern).MatchString(fmt.Sprint(output, err)) {
			t.Errorf("%q shows in %s %v", pattern, output, err)
		}
	}
	if err != nil || a.Output == nil && a.OutputAny == nil {
		return
	}
	want := a.OutputAny
	if a.Output != nil {
		text, err := json.Marshal(a.Output)
		w.must(err)
		want = append(want, text)
	}
	if !slices.ContainsFunc(want, func(one json.RawMessage) bool { return alike(output, string(one)) }) {
		t.Errorf("got %s, want one of %s", output, want)
	}
}

// names is what is called in the end.
func (a attack) names() string {
	switch {
	case a.Call != "":
		return a.Call
	case a.SelfName != "":
		return a.SelfName
	}
	return "pipeline"
}

// tools are those of the corpus.
func (a attack) tools() []runtime.Tool {
	list := []runtime.Tool{
		ownTool("echo", "", func(_ context.Context, c *runtime.Invocation) (json.RawMessage, error) {
			var in struct{ Value json.RawMessage }
			if err := json.Unmarshal(c.Input, &in); err != nil || in.Value == nil {
				return json.RawMessage(`{}`), err
			}
			return fmt.Appendf(nil, `{"value":%s}`, in.Value), nil
		}),
		ownTool("upper", "", func(_ context.Context, c *runtime.Invocation) (json.RawMessage, error) {
			var in struct{ Value string }
			if err := json.Unmarshal(c.Input, &in); err != nil {
				return nil, err
			}
			return json.Marshal(map[string]string{"value": strings.ToUpper(in.Value)})
		}),
		ownTool("failing", "", func(context.Context, *runtime.Invocation) (json.RawMessage, error) {
			return nil, tool.Errorf(tool.GuestError, "service unavailable")
		}),
		ownTool("priv", "", func(context.Context, *runtime.Invocation) (json.RawMessage, error) { return json.RawMessage(`{}`), nil }),
	}
	for name, t := range a.Tools2 {
		list = append(list, ownTool(name, string(t.OutputSchema), func(context.Context, *runtime.Invocation) (json.RawMessage, error) { return t.Returns, nil }))
	}
	return list
}

// forgeAll forges the pipelines of a case, those that others call first.
func (a attack) forgeAll(w *world) error {
	switch {
	case a.Tools != nil:
		for _, name := range []string{"tool_b", "tool_a"} { // the second closes the circle
			if _, err := w.Forge(context.Background(), ann, a.pipeline(w, name, a.Tools[name])); err != nil && name == "tool_a" {
				return err
			}
		}
		return nil
	case a.ToolsRepeat != nil:
		for level := a.ToolsRepeat.Levels - 1; level >= 0; level-- {
			next := "echo"
			if level < a.ToolsRepeat.Levels-1 {
				next = fmt.Sprintf("level_%d", level+1)
			}
			var steps []string
			for i := range a.ToolsRepeat.Width {
				steps = append(steps, fmt.Sprintf(`{"name":"s%d","tool":%q,"inputMapping":{}}`, i, next))
			}
			name := fmt.Sprintf("level_%d", level)
			if _, err := w.Forge(context.Background(), ann, a.pipeline(w, name, []byte("["+strings.Join(steps, ",")+"]"))); err != nil {
				return err
			}
		}
		return nil
	case a.ComposeStepsRepeat != nil:
		var steps []string
		for i := range a.ComposeStepsRepeat.Count {
			steps = append(steps, strings.ReplaceAll(string(a.ComposeStepsRepeat.Step), "%d", fmt.Sprint(i)))
		}
		a.ComposeSteps = []byte("[" + strings.Join(steps, ",") + "]")
	}
	_, err := w.Forge(context.Background(), ann, a.pipeline(w, a.names(), a.ComposeSteps))
	return err
}

// pipeline is a request for a composed tool whose test cases assert nothing.
func (a attack) pipeline(w *world, name string, steps json.RawMessage) []byte {
	input := string(a.Input)
	if a.InputParts != nil {
		input = joined(a.InputParts)
	}
	other := `{"text":"other","token":"x"}`
	if strings.Contains(input, "__proto__") {
		other = `{"__proto__":{"x":"other"}}`
	}
	if input == "{}" {
		input = `{"text":"some"}`
	}
	return request(w.t, map[string]string{
		"name": quoted(name), "description": `"Calls other tools."`,
		"inputSchema":    `{"type":"object","properties":{"text":{"type":"string"}}}`,
		"outputSchema":   `{"type":"object","properties":{"value":{}}}`,
		"implementation": `{"mode":"compose","steps":` + string(steps) + `}`,
		"testCases":      `[{"input":` + input + `},{"input":` + other + `}]`,
	})
}
