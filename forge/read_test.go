package forge_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime/tool"
)

const (
	addCode  = `function execute(input) { return { sum: input.a + input.b }; }`
	addIn    = `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"],"additionalProperties":false}`
	addOut   = `{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"],"additionalProperties":false}`
	addImpl  = `{"mode":"sandbox","code":"` + addCode + `"}`
	addCases = `[{"input":{"a":1,"b":2},"expectedOutput":{"sum":3}},{"input":{"a":-1,"b":5},"expectedOutput":{"sum":4}}]`
)

// arguments is the request of a tool that adds, with some members replaced: name, JSON, name, JSON. "" leaves one out.
func arguments(replaced ...string) string {
	members := []string{
		"name", `"add_numbers"`, "description", `"Adds two numbers."`, "inputSchema", addIn, "outputSchema", addOut,
		"implementation", addImpl, "testCases", addCases,
	}
	for pair := range slices.Chunk(replaced, 2) {
		if at := slices.Index(members, pair[0]); at >= 0 && at%2 == 0 {
			members = slices.Replace(members, at, at+2, pair...)
		} else {
			members = append(members, pair...)
		}
	}
	var b strings.Builder
	for pair := range slices.Chunk(members, 2) {
		if pair[1] != "" {
			b.WriteString(`,"` + pair[0] + `":` + pair[1])
		}
	}
	return "{" + strings.TrimPrefix(b.String(), ",") + "}"
}

func quoted(text string) string {
	q, _ := json.Marshal(text)
	return string(q)
}

// written is a request as JSON, nothing escaped that need not be.
func written(t testing.TB, r *forge.Request) string {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func mustRead(t testing.TB, text string) *forge.Request {
	t.Helper()
	r, err := forge.Read([]byte(text), forge.ReadRules{})
	if err != nil {
		t.Fatalf("%.300s: %v", text, err)
	}
	return r
}

// refusal is the error of a request that is refused, with its problems.
func refusal(t testing.TB, text string) (*tool.Error, forge.Problems) {
	t.Helper()
	r, err := forge.Read([]byte(text), forge.ReadRules{})
	if err == nil {
		t.Fatalf("%.300s was read as %s", text, written(t, r))
	}
	problems, _ := errors.AsType[forge.Problems](err)
	if !errors.Is(err, tool.InvalidRequest) || len(problems) == 0 || r == nil || r.Name != "" || r.TestCases != nil {
		t.Errorf("%.300s: %#v, %d problems", text, err, len(problems))
	}
	for _, p := range problems {
		if p.Code != tool.InvalidRequest || p.Message == "" {
			t.Errorf("%.300s: the problem %+v", text, p)
		}
	}
	return tool.AsError(err), problems
}

func TestReadAddsNothing(t *testing.T) {
	t.Parallel()
	text := arguments()
	r := mustRead(t, text)
	if got := written(t, r); got != text {
		t.Errorf("got %s\nwant %s", got, text)
	}
	if len(r.Notes) != 0 {
		t.Errorf("notes: %q", r.Notes)
	}
}

func TestReadKeepsNumbersAndOrder(t *testing.T) {
	t.Parallel()
	r := mustRead(t, arguments(
		"inputSchema", `{"type":"object","properties":{"z":{"type":"number","default":9007199254740993},"a":{"type":"number"}}}`,
		"testCases", `[{"input":{"z":12345678901234567890,"a":1.10},"expectedOutput":{"sum":1e2}},{"input":{"z":-0,"a":1},"expectedOutput":{"sum":3}}]`,
	))
	for got, want := range map[string]string{
		string(r.TestCases[0].Input):          `{"z":12345678901234567890,"a":1.10}`,
		string(r.TestCases[0].ExpectedOutput): `{"sum":1e2}`,
		string(r.TestCases[1].Input):          `{"z":-0,"a":1}`,
		string(r.InputSchema):                 `{"type":"object","properties":{"z":{"type":"number","default":9007199254740993},"a":{"type":"number"}}}`,
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestReadLeavesTheArgumentsAlone(t *testing.T) {
	t.Parallel()
	text := []byte(arguments("inputSchema", "", "testCases", quoted(addCases), "implementation", ` { "mode" : "JS", "code" : "return {sum: input.a + input.b}" } `))
	before := bytes.Clone(text)
	r, err := forge.Read(text, forge.ReadRules{})
	if err != nil || !bytes.Equal(text, before) {
		t.Fatalf("%v; the arguments became %s", err, text)
	}
	first := written(t, r)
	for i := range text {
		text[i] = 'x'
	}
	if written(t, r) != first {
		t.Error("the request changes with the bytes it was read from")
	}
}

// Each is a request as a model may write it that is read as the plain one. A member is given instead of, or besides, the
// plain request's.
func TestReadTakesWhatModelsWrite(t *testing.T) {
	t.Parallel()
	code := func(text string) string { return `{"mode":"sandbox","allowlist":[],"code":` + quoted(text) + `}` }
	for name, c := range map[string]struct {
		text string
		note string // within one of the notes; "" when there is none
	}{
		"the whole as text":              {quoted(arguments()), "the request was text"},
		"the whole in a fence":           {quoted("```json\n" + arguments() + "\n```"), "the request was text"},
		"implementation as text":         {arguments("implementation", quoted(addImpl)), "/implementation was text"},
		"input schema as text":           {arguments("inputSchema", quoted(addIn)), "/inputSchema was text"},
		"output schema as text":          {arguments("outputSchema", quoted(addOut)), "/outputSchema was text"},
		"test cases as text":             {arguments("testCases", quoted(addCases)), "/testCases was text"},
		"test cases in a fence":          {arguments("testCases", quoted("```\n"+addCases+"\n```")), "/testCases was text"},
		"one test case as text":          {arguments("testCases", `[`+quoted(`{"input":{"a":1,"b":2},"expectedOutput":{"sum":3}}`)+`,{"input":{"a":-1,"b":5},"expectedOutput":{"sum":4}}]`), "/testCases/0 was text"},
		"an input as text":               {arguments("testCases", `[{"input":"{\"a\":1,\"b\":2}","expectedOutput":{"sum":3}},{"input":{"a":-1,"b":5},"expectedOutput":{"sum":4}}]`), "/testCases/0/input was text"},
		"snake case":                     {arguments("inputSchema", "", "outputSchema", "", "testCases", "", "input_schema", addIn, "output_schema", addOut, "test_cases", addCases), "/input_schema is read as inputSchema"},
		"tests":                          {arguments("testCases", "", "tests", addCases), "/tests is read as testCases"},
		"parameters":                     {arguments("inputSchema", "", "parameters", addIn), "/parameters is read as inputSchema"},
		"other case":                     {arguments("inputSchema", "", "InputSchema", addIn), "/InputSchema is read as inputSchema"},
		"null beside the right one":      {arguments("input_schema", "null", "tier", "null"), ""},
		"expected":                       {arguments("testCases", strings.ReplaceAll(addCases, "expectedOutput", "expected")), "/testCases/0/expected is read as expectedOutput"},
		"expected_output":                {arguments("testCases", strings.ReplaceAll(addCases, "expectedOutput", "expected_output")), "expected_output is read"},
		"output":                         {arguments("testCases", strings.ReplaceAll(addCases, "expectedOutput", "output")), "output is read"},
		"named test cases":               {arguments("testCases", strings.ReplaceAll(addCases, `{"input"`, `{"name":"usual","input"`)), "ignored member /testCases/0/name"},
		"mode code":                      {arguments("implementation", strings.Replace(addImpl, "sandbox", "code", 1)), `the mode "code" is read as sandbox`},
		"mode JavaScript":                {arguments("implementation", strings.Replace(addImpl, "sandbox", "JavaScript", 1)), `the mode "JavaScript" is read as sandbox`},
		"mode with spaces":               {arguments("implementation", strings.Replace(addImpl, "sandbox", " Sandbox ", 1)), "is read as sandbox"},
		"no mode":                        {arguments("implementation", strings.Replace(addImpl, `"mode":"sandbox",`, "", 1)), "code makes it sandbox"},
		"language":                       {arguments("implementation", `{"mode":"sandbox","code":`+quoted(addCode)+`,"steps":[],"timeoutMs":null}`), ""},
		"no allowlist":                   {arguments("implementation", `{"mode":"sandbox","code":`+quoted(addCode)+`,"allowlist":null}`), ""},
		"allowlist is empty text":        {arguments("implementation", `{"mode":"sandbox","code":`+quoted(addCode)+`,"allowlist":""}`), "/implementation/allowlist was text"},
		"spread implementation":          {arguments("implementation", "", "mode", `"sandbox"`, "code", quoted(addCode)), "code, mode are taken for the implementation"},
		"fenced code":                    {arguments("implementation", code("```js\n"+addCode+"```")), "Markdown fence"},
		"unknown members":                {arguments("version", "2", "tags", `["math"]`, "$schema", `"x"`), "ignored member /version"},
		"unknown implementation members": {arguments("implementation", `{"type":"function","mode":"sandbox","entrypoint":"execute","code":`+quoted(addCode)+`}`), "ignored member /implementation/entrypoint"},
		"open input schema":              {arguments("inputSchema", `{"type":"object"}`), "inputSchema declares no properties"},
		"shorthand input schema":         {arguments("inputSchema", `{"a":"number","b":"number"}`), "inputSchema declares no properties"},
		"no input schema":                {arguments("inputSchema", ""), "inputSchema declares no properties"},
		"output schema true":             {arguments("outputSchema", "true"), "outputSchema declares no properties"},
		"output schema null":             {arguments("outputSchema", "null"), "outputSchema declares no properties"},
		"spaces everywhere":              {strings.NewReplacer(`":`, "\" :\r\n\t", `,"`, ` , "`).Replace(arguments()), ""},
	} {
		r := mustRead(t, c.text)
		if got, want := written(t, r), arguments(); got != want {
			t.Errorf("%s: got %s\nwant %s", name, got, want)
		}
		if c.note == "" && len(r.Notes) > 0 || !slices.ContainsFunc(append(r.Notes, ""), func(note string) bool { return strings.Contains(note, c.note) }) {
			t.Errorf("%s: notes %q, want %q", name, r.Notes, c.note)
		}
	}
}

// Each is refused, at the place that is named.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	impl := func(more string) string {
		return arguments("implementation", `{"mode":"sandbox","code":`+quoted(addCode)+more+`}`)
	}
	steps := func(list string) string { return arguments("implementation", `{"mode":"compose","steps":`+list+`}`) }
	cases := func(first string) string {
		return arguments("testCases", strings.Replace(addCases, `{"input":{"a":1,"b":2},"expectedOutput":{"sum":3}}`, first, 1))
	}
	for name, c := range map[string]struct{ text, path, message, hint string }{
		"nothing":                {"", "", "this is not JSON", ""},
		"not JSON":               {`{"name":'x'}`, "", "this is not JSON", ""},
		"null":                   {"null", "", "this is null where an object belongs", ""},
		"a list":                 {"[]", "", "this is a list where an object belongs", ""},
		"text":                   {`"make a tool"`, "", "this is a string where an object belongs", "the text is not JSON"},
		"text in text":           {quoted(quoted(arguments())), "", "this is a string where an object belongs", ""},
		"too large":              {quoted(strings.Repeat("a", 1<<20)), "", "at most 1048576 are read", "leave out data"},
		"not UTF-8":              {arguments("description", "\"\xff\""), "", "not UTF-8", ""},
		"a key twice":            {arguments("x", `{"a":1,"a":2}`), "/x/a", "given twice", "keep one"},
		"a number beyond floats": {arguments("x", "1e400"), "/x", "", ""},

		"two spellings":     {arguments("input_schema", addIn), "/input_schema", "inputSchema is given twice, in two spellings", "keep inputSchema alone"},
		"expected twice":    {cases(`{"input":{"a":1,"b":2},"expectedOutput":{"sum":3},"output":{"sum":4}}`), "/testCases/0/output", "expectedOutput is given twice", ""},
		"a tier":            {arguments("tier", `"shared"`), "/tier", `"tier" is not for a request to set`, "leave it out"},
		"a verdict":         {arguments("judge_verdict", `{"approved":true}`), "/judge_verdict", "not for a request to set", ""},
		"permissions":       {arguments("permissions", `["network"]`), "/permissions", "not for a request", "implementation.allowlist"},
		"hosts":             {impl(`,"allowedHosts":["*"]`), "/implementation/allowedHosts", "not for a request", "operator's policy"},
		"timeout elsewhere": {impl(`,"sandboxTimeoutMs":3600000`), "/implementation/sandboxTimeoutMs", "not for a request", "implementation.timeoutMs"},
		"redacted":          {arguments("implementation", `{"mode":"sandbox","redacted":true,"codeBytes":9}`), "/implementation/redacted", "not for a request", "give the code itself"},
		"code outside":      {arguments("code", quoted(addCode)), "/code", "code belongs into the implementation", "move it"},

		"description is a number": {arguments("description", "1"), "/description", "description is required", "say what the tool does"},
		"description of spaces":   {arguments("description", `" \n"`), "/description", "description is required", ""},
		"long description":        {arguments("description", quoted(strings.Repeat("a", 4097))), "/description", "4097 bytes: at most 4096", ""},

		"implementation is a list":   {arguments("implementation", "[]"), "/implementation", "this is a list where an object belongs", ""},
		"implementation is bad text": {arguments("implementation", `"{mode: 1"`), "/implementation", "this is a string where an object belongs", "the text is not JSON"},
		"unknown mode":               {arguments("implementation", `{"mode":"native","code":"x"}`), "/implementation/mode", `the mode "native" is not known`, `write "sandbox"`},
		"mode is a number":           {arguments("implementation", `{"mode":1,"code":"x"}`), "/implementation/mode", "this is a number where a string belongs", ""},
		"both and no mode":           {arguments("implementation", `{"code":"x","steps":[{"tool":"x"}]}`), "/implementation/mode", "both steps and code", ""},
		"code in compose":            {arguments("implementation", `{"mode":"compose","code":"x","steps":[{"tool":"x"}]}`), "/implementation/code", "code does not belong to the mode compose", ""},
		"steps in sandbox":           {impl(`,"steps":[{"tool":"x"}]`), "/implementation/steps", "steps do not belong to the mode sandbox", ""},
		"powers in compose":          {arguments("implementation", `{"mode":"compose","allowlist":["fetch"],"steps":[{"tool":"x"}]}`), "/implementation/allowlist", "has no allowlist", ""},
		"code is a list":             {arguments("implementation", `{"mode":"sandbox","code":["x"]}`), "/implementation/code", "this is a list where a string belongs", ""},
		"no code":                    {arguments("implementation", `{"mode":"sandbox"}`), "/implementation/code", "the implementation has no code", "write function execute"},
		"code of spaces":             {arguments("implementation", `{"mode":"sandbox","code":" \n"}`), "/implementation/code", "has no code", ""},
		"an empty fence":             {arguments("implementation", "{\"mode\":\"sandbox\",\"code\":\"```js\\n```\"}"), "/implementation/code", "has no code", ""},
		"no steps":                   {steps("[]"), "/implementation/steps", "has no steps", ""},
		"empty implementation":       {arguments("implementation", "{}"), "/implementation", "neither code nor a list of steps", ""},
		"unknown language":           {impl(`,"language":"python"`), "/implementation/language", `the language "python" is not known`, `give "js" or "ts"`},

		"unknown API":      {impl(`,"allowlist":["child_process"]`), "/implementation/allowlist/0", `names "child_process", which is no API`, "the APIs are fetch, fs.readFile, crypto"},
		"API in text":      {impl(`,"allowlist":"fetch, fs"`), "/implementation/allowlist", `names "fs"`, "write fs.readFile"},
		"API misspelled":   {impl(`,"allowlist":["readFile"]`), "/implementation/allowlist/0", `names "readFile"`, "write fs.readFile"},
		"API in caps":      {impl(`,"allowlist":["FETCH"]`), "/implementation/allowlist/0", `names "FETCH"`, "write fetch"},
		"API with a space": {impl(`,"allowlist":["fs.readFile "]`), "/implementation/allowlist/0", `which is no API`, "write fs.readFile"},
		"API is a number":  {impl(`,"allowlist":["fetch",1]`), "/implementation/allowlist/1", "this is a number where the name of an API belongs", ""},
		"many APIs":        {impl(`,"allowlist":[` + strings.Repeat(`"fetch",`, 20) + `"fetch"]`), "/implementation/allowlist", "has 21 entries: at most 20", ""},
		"allowlist object": {impl(`,"allowlist":{"0":"fetch","length":1}`), "/implementation/allowlist", "this is an object where a list belongs", ""},
		"no time":          {impl(`,"timeoutMs":0`), "/implementation/timeoutMs", "0 is no such limit", "from 1 to 60000"},
		"negative time":    {impl(`,"timeoutMs":-5`), "/implementation/timeoutMs", "-5 is no such limit", ""},
		"much time":        {impl(`,"timeoutMs":60001`), "/implementation/timeoutMs", "60001 is no such limit", ""},
		"time as text":     {impl(`,"timeoutMs":"5s"`), "/implementation/timeoutMs", "is no such limit", ""},
		"no memory":        {impl(`,"memoryMB":0`), "/implementation/memoryMB", "0 is no such limit", "from 4 to 1024"},
		"much memory":      {impl(`,"memory_mb":9007199254740992`), "/implementation/memoryMB", "is no such limit", ""},

		"steps are an object": {steps(`{"a":{"tool":"x"}}`), "/implementation/steps", "this is an object where a list belongs", ""},
		"a step is text":      {steps(`[{"tool":"x"},"web_search"]`), "/implementation/steps/1", "this is a string where an object belongs", ""},
		"a step is null":      {steps(`[null]`), "/implementation/steps/0", "this is null where an object belongs", ""},
		"a step without tool": {steps(`[{"name":"a"}]`), "/implementation/steps/0/tool", "the step names no tool", "registered tool"},
		"a mapping as a list": {steps(`[{"tool":"x","args":["a"]}]`), "/implementation/steps/0/inputMapping", "this is a list where an object belongs", ""},
		"many steps":          {steps("[" + strings.Repeat(`{"tool":"x"},`, 20) + `{"tool":"x"}]`), "/implementation/steps", "there are 21 steps: maxStepsPerTool is 20", ""},

		"test cases by name":    {arguments("testCases", `{"usual":{"input":{"a":1,"b":2}}}`), "/testCases", "this is an object where a list belongs", ""},
		"a test case is a list": {cases("[1]"), "/testCases/0", "this is a list where an object belongs", ""},
		"an input is text":      {cases(`{"input":"a b"}`), "/testCases/0/input", "this is a string where an object belongs", `write {"text": …}`},
		"an output is text": {
			arguments("outputSchema", "", "testCases", `[{"input":{"a":1,"b":2},"expectedOutput":"A"},{"input":{"a":1,"b":1},"expectedOutput":"B"}]`),
			"/outputSchema", "no declared properties", "inferred only from test cases whose expectedOutput is a whole object",
		},
		"an input is a list":    {cases(`{"input":[1,2]}`), "/testCases/0/input", "this is a list where an object belongs", ""},
		"partial is a word":     {cases(`{"input":{"a":1,"b":2},"partial":"yes"}`), "/testCases/0/partial", "a string where true or false belongs", ""},
		"a large input":         {cases(`{"input":{"a":1,"b":` + quoted(strings.Repeat("a", 64<<10)) + `}}`), "/testCases/0/input", "at most 65536", ""},
		"many test cases":       {arguments("testCases", "["+strings.Repeat(`{"input":{"a":1,"b":2}},`, 10_000)+`{"input":{"a":2,"b":2}}]`), "/testCases", "there are 10001 testCases: at most 100", ""},
		"copies":                {arguments("testCases", `[{"input":{"a":1,"b":2}},{"input":{"b":2,"a":1}}]`), "/testCases", "all testCases have the same input", "different results"},
		"an input that misfits": {cases(`{"input":{"a":"1","b":2}}`), "/testCases/0/input/a", "does not fit its own schema: Expected type", "the schema at /properties/a/type"},
		"an output that misfits": {
			cases(`{"input":{"a":1,"b":2},"expectedOutput":{"sum":"3"}}`),
			"/testCases/0/expectedOutput/sum", "does not fit its own schema", "",
		},
		"null for a wild card": {cases(`{"input":{"a":1,"b":2},"expectedOutput":null}`), "/testCases/0/expectedOutput", "does not fit its own schema", ""},

		"schema is a list":     {arguments("inputSchema", "[]"), "/inputSchema", "this is a list where an object belongs", ""},
		"schema is false":      {arguments("outputSchema", "false"), "/outputSchema", "this is true or false where an object belongs", ""},
		"schema is refused":    {arguments("inputSchema", `{"type":"object","properties":{"a":{"$id":"x"},"b":{}}}`), "/inputSchema/properties/a/$id", "the keyword $id is not allowed", "leave it out"},
		"a schema never fits":  {arguments("outputSchema", `{"properties":{"sum":{"type":"nunber"}}}`), "/outputSchema/properties/sum/type", "", ""},
		"output of all shapes": {arguments("outputSchema", "", "testCases", `[{"input":{"a":1,"b":2},"expectedOutput":1},{"input":{"a":1,"b":1},"expectedOutput":2}]`), "/outputSchema", "outputSchema has no declared properties", "give its type when it is no object"},
	} {
		_, problems := refusal(t, c.text)
		if !slices.ContainsFunc(problems, func(p *tool.Error) bool {
			return p.Path == c.path && strings.Contains(p.Message, c.message) && strings.Contains(p.Hint, c.hint)
		}) {
			t.Errorf("%s: %v\nwant %q at %q, with the hint %q; the first hint is %q", name, problems, c.message, c.path, c.hint, problems[0].Hint)
		}
	}
}

func TestDeepArgumentsAreRefusedBriefly(t *testing.T) {
	t.Parallel()
	e, _ := refusal(t, arguments("x", strings.Repeat("[", 2000)+strings.Repeat("]", 2000)))
	if !strings.Contains(e.Message, "nest deeper than 1000") || len(e.Message) > 500 {
		t.Error(e.Message)
	}
}

func TestReadSaysEverythingAtOnce(t *testing.T) {
	t.Parallel()
	e, problems := refusal(t, `{"name":"1","implementation":{"mode":"sandbox","code":1,"allowlist":["fs"],"timeoutMs":-1},"testCases":[{"input":{}}]}`)
	var places []string
	for _, p := range problems {
		places = append(places, p.Path)
	}
	want := []string{
		"/name", "/description", "/implementation/allowlist/0", "/implementation/timeoutMs", "/implementation/code",
		"/inputSchema", "/outputSchema", "/testCases", "/testCases",
	}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !strings.HasPrefix(e.Message, "Shape check failed: ") || e.Path != "/name" || e.Hint == "" {
		t.Errorf("%+v", e)
	}
	if _, problems := refusal(t, arguments("testCases", "["+strings.Repeat("1,", 80)+"1]")); len(problems) != 50 {
		t.Errorf("%d problems", len(problems))
	} else if text := problems.Error(); !strings.HasSuffix(text, "; and 40 more") || len(text) > 2000 {
		t.Error(text)
	}
}

func TestReadRulesBound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		rules forge.ReadRules
		want  string
	}{
		"one is enough": {arguments("testCases", `[{"input":{"a":1,"b":2}}]`), forge.ReadRules{MinTestCases: 1}, ""},
		"three":         {arguments(), forge.ReadRules{MinTestCases: 3}, "need at least 3 testCases, got 2"},
		"at most one":   {arguments(), forge.ReadRules{MaxTestCases: 1}, "there are 2 testCases: at most 1"},
		"one step":      {arguments("implementation", `{"mode":"compose","steps":[{"tool":"a"},{"tool":"b"}]}`), forge.ReadRules{MaxSteps: 1}, "maxStepsPerTool is 1"},
		"negative":      {arguments(), forge.ReadRules{MinTestCases: -1, MaxTestCases: -1, MaxSteps: -1, MaxSourceBytes: -1}, ""},
	} {
		_, err := forge.Read([]byte(c.text), c.rules)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestReadsAllowlists(t *testing.T) {
	t.Parallel()
	for list, want := range map[string][]string{
		`"fetch"`:                      {"fetch"},
		`"crypto, fs.readFile"`:        {"crypto", "fs.readFile"},
		`"[\"fetch\"]"`:                {"fetch"},
		`["fetch","fetch","crypto"]`:   {"fetch", "crypto"},
		`[]`:                           nil,
		`" , "`:                        nil,
		`["fs.readFile","\u0066etch"]`: {"fs.readFile", "fetch"},
	} {
		for _, member := range []string{"allowlist", "allow_list", "allowedApis", "allowList"} {
			r := mustRead(t, arguments("implementation", `{"mode":"sandbox","code":"function run() {}","`+member+`":`+list+`}`))
			if diff := cmp.Diff(want, r.Implementation.Allowlist); diff != "" {
				t.Errorf("%s %s: (-want +got)\n%s", member, list, diff)
			}
		}
	}
}

func TestReadsLimitsAndLanguages(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]tool.Implementation{
		`"mode":"sandbox","timeoutMs":60000,"memoryMB":4`:   {TimeoutMs: 60000, MemoryMB: 4},
		`"mode":"sandbox","timeout_ms":1,"memory_mb":1024`:  {TimeoutMs: 1, MemoryMB: 1024},
		`"mode":"TypeScript"`:                               {Language: "ts"},
		`"mode":"ts","language":"js"`:                       {Language: "js"},
		`"mode":"js","lang":"typescript"`:                   {Language: "ts"},
		`"mode":"sandbox","language":null,"timeoutMs":null`: {},
	} {
		want.Mode, want.Code = tool.SandboxMode, "function run() {}"
		r := mustRead(t, arguments("implementation", `{"code":"function run() {}",`+text+`}`))
		if diff := cmp.Diff(want, r.Implementation); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", text, diff)
		}
	}
}

func TestReadsSteps(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"mode":"compose","steps":[{"name":"a","tool":"get","inputMapping":{"u":"$input.a"},"condition":"$input.a > 1"}]}`: `[{"name":"a","tool":"get","inputMapping":{"u":"$input.a"},"condition":"$input.a > 1"}]`,
		`{"steps":[{"tool":"get"}]}`: `[{"name":"get","tool":"get","inputMapping":{}}]`,
		`{"mode":"Pipeline","pipeline":[{"tool":"get"},{"tool":"get"},{"tool":"get"}]}`:                                  `[{"name":"get","tool":"get","inputMapping":{}},{"name":"get_2","tool":"get","inputMapping":{}},{"name":"get_3","tool":"get","inputMapping":{}}]`,
		`{"mode":"chain","steps":[{"tool":"get"},{"tool":"x","name":"get"}]}`:                                            `[{"name":"get_2","tool":"get","inputMapping":{}},{"name":"get","tool":"x","inputMapping":{}}]`,
		`{"mode":"composable","steps":[{"toolName":"get","args":{"n":12345678901234567890}}]}`:                           `[{"name":"get","tool":"get","inputMapping":{"n":12345678901234567890}}]`,
		`{"mode":"composed","steps":[{"tool":"get","arguments":"{\"u\":1}"}]}`:                                           `[{"name":"get","tool":"get","inputMapping":{"u":1}}]`,
		`{"mode":"composition","steps":"[{\"tool\":\"get\",\"input\":{\"u\":1}}]"}`:                                      `[{"name":"get","tool":"get","inputMapping":{"u":1}}]`,
		`{"mode":"COMPOSE","code":"","allowlist":[],"steps":[{"tool":"get","params":{},"if":"true","description":"x"}]}`: `[{"name":"get","tool":"get","inputMapping":{},"condition":"true"}]`,
	} {
		r := mustRead(t, arguments("implementation", text))
		got, _ := tool.Canonical(r.Implementation)
		if w, _ := tool.Canonical(json.RawMessage(`{"mode":"compose","steps":` + want + `}`)); string(got) != string(w) {
			t.Errorf("%s: got %s\nwant %s", text, got, w)
		}
	}
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	const yaml = `# adds
name: add_numbers
description: Adds two numbers.
inputSchema:
  type: object
  properties: {a: {type: number}, b: {type: number}}
  required: [a, b]
  additionalProperties: false
outputSchema: {type: object, properties: {sum: {type: number}}, required: [sum], additionalProperties: false}
implementation:
  mode: sandbox
  code: |-
    function execute(input) { return { sum: input.a + input.b }; }
testCases:
  - input: {a: 1, b: 2}
    expectedOutput: {sum: 3}
  - {input: {a: -1, b: 5}, expectedOutput: {sum: 4}}
`
	for name, text := range map[string]string{"YAML": yaml, "JSON": "\n " + arguments(), "a mark of byte order": "\ufeff" + arguments(), "YAML with a mark": "\ufeff" + yaml} {
		r, err := forge.ReadFile([]byte(text), forge.ReadRules{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, want := written(t, r), arguments(); got != want {
			t.Errorf("%s: got %s\nwant %s", name, got, want)
		}
	}
	for text, want := range map[string]string{
		"":                                   "empty",
		"name: &x add":                       "an anchor is not taken here",
		"name: a\nname: b":                   "given twice",
		"name: [":                            "this is not YAML",
		"- a":                                "this is a list where an object belongs",
		strings.Repeat("a", 300<<10):         "at most 262144 are read",
		"{name: add}":                        "this is not JSON",
		strings.Replace(yaml, "2", "0x2", 1): "0x2 is not a number in decimal digits (line 15",
	} {
		if _, err := forge.ReadFile([]byte(text), forge.ReadRules{}); !errors.Is(err, tool.InvalidRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

func TestNotesAreFewAndOneLineEach(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 500 {
		b.WriteString(`,"x\n` + strings.Repeat("y", i) + `":1`)
	}
	r := mustRead(t, strings.TrimSuffix(arguments(), "}")+b.String()+"}")
	if len(r.Notes) != 50 || len(r.Notes[49]) > 200 || strings.ContainsAny(strings.Join(r.Notes, ""), "\n\r\x00") {
		t.Errorf("%d notes: %q", len(r.Notes), r.Notes)
	}
}
