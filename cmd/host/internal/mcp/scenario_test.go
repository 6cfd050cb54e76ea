package mcp_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/mcp"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// spin runs until something ends it, when it is told the word.
const spin = `function execute(input) { if (input.word === "spin until the end") { while (true) {} } return { length: input.word.length }; }`

// steps are the scripted scenario. H is replaced by the handle of add_numbers.
var steps = []struct {
	name, tool string
	arguments  string
}{
	{"forge", "forge_tool", ""},
	{"search", "search_tools", `{"query":"add two numbers","limit":1}`},
	{"describe", "describe_tool", `{"tool":"H"}`},
	{"list", "list_my_tools", `{}`},
	{"call by handle", "call_tool", `{"tool":"H","input":{"a":1,"b":2}}`},
	{"call by name", "call_tool", `{"tool":"add_numbers","input":{"a":9007199254740993,"b":0}}`},
	{"wrong input", "call_tool", `{"tool":"H","input":{"a":"1","b":2}}`},
	{"wrong arguments", "call_tool", `{"input":{}}`},
	{"unknown argument", "search_tools", `{"query":"x","colour":"red"}`},
	{"unknown tool", "call_tool", `{"tool":"no_such_tool","input":{}}`},
	{"forge one that fetches", "forge_tool", `fetch`},
	{"denied", "call_tool", `{"tool":"fetch_title","input":{"url":"http://example.com/"}}`},
	{"forge one that can spin", "forge_tool", `spin`},
	{"killed", "call_tool", `{"tool":"word_length","input":{"word":"spin until the end"}}`},
	{"a request that does not parse", "forge_tool", `{"name":"half of it"}`},
	{"promote", "promote_tool", `{"tool":"H","to":"agent"}`},
	{"promote again", "promote_tool", `{"tool":"H","to":"agent"}`},
	{"audit", "audit_log", `{"limit":1}`},
}

func stepArguments(text, handle string) any {
	switch text {
	case "":
		return request(nil)
	case "fetch":
		return request(map[string]any{
			"name": "fetch_title", "description": "Uses fetch to say whether a page is there.",
			"inputSchema":    json.RawMessage(`{"type":"object","properties":{"url":{"type":"string","maxLength":200}},"required":["url"]}`),
			"outputSchema":   json.RawMessage(`{"type":"object","properties":{"there":{"type":"boolean"}},"required":["there"]}`),
			"implementation": sandbox(`async function execute(input) { if (input.url === "") { return { there: false }; } if (input.url === "none") { return { there: false }; } const r = await fetch(input.url); return { there: r.ok }; }`, "fetch"),
			"testCases":      cases(`{"url":""}`, `{"there":false}`, `{"url":"none"}`, `{"there":false}`),
		})
	case "spin":
		return request(map[string]any{
			"name": "word_length", "description": "The length of a word.",
			"inputSchema":    json.RawMessage(`{"type":"object","properties":{"word":{"type":"string","maxLength":200}},"required":["word"]}`),
			"outputSchema":   json.RawMessage(`{"type":"object","properties":{"length":{"type":"integer"}},"required":["length"]}`),
			"implementation": sandbox(spin), "testCases": cases(`{"word":"a"}`, `{"length":1}`, `{"word":"abc"}`, `{"length":3}`),
		})
	}
	return json.RawMessage(strings.ReplaceAll(text, `"H"`, fmt.Sprintf("%q", handle)))
}

// littleFuel has tools run out of fuel soon, on any machine before they run out of time.
func littleFuel(opt *toolsmith.Options) {
	c := opt.Config
	c.Limits.Fuel, c.Limits.Wall, c.SessionTools.Wall = 20_000_000, wire.Period(patience), wire.Period(patience)
	c.EmergentConfig.SandboxTimeoutMs = int(patience.Milliseconds()) // the same as Limits.Wall
}

// The scenario comes to the same over every version of the protocol and both transports; the transcript is the golden file.
func TestScenario(t *testing.T) {
	t.Parallel()
	for _, version := range sdk.SupportedProtocolVersions() {
		for _, transport := range []string{"stdio", "http"} {
			t.Run(version+" "+transport, func(t *testing.T) {
				t.Parallel()
				w := open(t, setting{host: littleFuel})
				compare(t, filepath.Join("testdata", "transcripts", version+".txt"), transcript(t, w, scenarioPeer(w, version, transport), version))
			})
		}
	}
}

func scenarioPeer(w *world, version, transport string) peer {
	approve := func(json.RawMessage) any {
		return map[string]any{"action": "accept", "content": map[string]any{"approve": true}}
	}
	if transport == "http" {
		return w.overHTTP(w.serve(), version, "acme/ann", approve)
	}
	who := mcp.Local{Principal: principal("acme", "ann")} // so that both are keyed, and promote alike
	return w.overStdio(version, who, approve)
}

func transcript(t *testing.T, w *world, p peer, version string) string {
	t.Helper()
	out := "A golden transcript: what clients of version " + version + " see of the scenario, over standard input and output and over HTTP.\n"
	write := func(name string, m message) {
		text := string(m.Result)
		if m.Error != nil {
			text = fmt.Sprintf("protocol error %d: %s", m.Error.Code, m.Error.Message)
		}
		out += "\n-- " + name + " --\n" + stable(text) + "\n"
	}
	if version == current {
		write("server/discover", p.call("server/discover", map[string]any{}))
	} else {
		write("initialize", p.common().begun)
	}
	write("tools/list", names(t, p.call("tools/list", map[string]any{})))
	handle := ""
	for _, s := range steps {
		m := p.call("tools/call", map[string]any{"name": s.tool, "arguments": stepArguments(s.arguments, handle)})
		write(s.name, m)
		if s.name == "forge" {
			var r struct {
				Structured struct{ Handle string } `json:"structuredContent"`
			}
			if err := json.Unmarshal(m.Result, &r); err != nil {
				t.Fatal(err)
			}
			handle = r.Structured.Handle
		}
	}
	out += "\n-- canceled --\n" + cmp.Or(cancels(t, w, p), "(no answer)") + "\n"
	write("no such tool of the face", p.call("tools/call", map[string]any{"name": "no_such_tool", "arguments": map[string]any{}}))
	write("no such resource", p.call("resources/read", map[string]any{"uri": "file:///etc/passwd"}))
	return out
}

// names makes of a list of tools one of their names.
func names(t *testing.T, m message) message {
	t.Helper()
	var r struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(m.Result, &r); err != nil {
		t.Fatal(err)
	}
	list := ""
	for _, n := range r.Tools {
		list += n.Name + " "
	}
	m.Result = json.RawMessage(list)
	return m
}

// stable puts an ellipsis in place of what is another in each run.
func stable(text string) string {
	for _, pattern := range []string{
		`(emergent:)[0-9a-f-]{36}()`, `(\\?"id\\?":\\?")[0-9a-f-]{36}()`, `(\\?"timestamp\\?":)\d+()`, `(\\?"(?:hash|previous|sourceHash)\\?":\\?")[0-9a-f]+()`,
		`(mcp-)[A-Z2-7]{32}()`, `(\\?"score\\?":)[0-9.]+()`, `(after )[0-9.]+(m?s)`, `(\\?"(?:sessionId)\\?":\\?")[^"\\]+()`,
	} {
		text = regexp.MustCompile(pattern).ReplaceAllString(text, "$1…$2")
	}
	var indented bytes.Buffer
	if json.Indent(&indented, []byte(text), "", " ") == nil {
		return indented.String()
	}
	return text
}

func compare(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil { //nolint:gosec // G301: as all folders of the repository
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		a, b := strings.Split(string(want), "\n"), strings.Split(got, "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("%s, line %d:\n got %s\nwant %s", golden, i+1, b[i], a[i])
			}
		}
		t.Errorf("%s has %d lines, and there are %d", golden, len(a), len(b))
	}
}

// keyed sends a key with every request.
type keyed string

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(k))
	return http.DefaultTransport.RoundTrip(r)
}

// The protocol library's own client, which asks its user by itself.
func TestLibraryClient(t *testing.T) {
	t.Parallel()
	w := open(t, asking(t))
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	go func() {
		_ = w.face.ServeStdio(ctx, inRead, outWrite, mcp.Local{Principal: tool.Principal{Tenant: "acme", Persona: "ann", Scopes: tool.AllScopes()}})
	}()
	for name, transport := range map[string]sdk.Transport{
		"http":  &sdk.StreamableClientTransport{Endpoint: w.serve(), HTTPClient: &http.Client{Transport: keyed("acme/ann")}},
		"stdio": &sdk.IOTransport{Reader: outRead, Writer: inWrite},
	} {
		asked := 0
		client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
			ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				asked++
				return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"approve": true}}, nil
			},
		})
		session, err := client.Connect(ctx, transport, nil)
		if err != nil {
			t.Fatal(err)
		}
		call := func(tool string, arguments any) string {
			t.Helper()
			r, err := session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
			if err != nil || r.IsError {
				t.Fatalf("%s over %s: %+v, %v", tool, name, r, err)
			}
			text, _ := json.Marshal(r.StructuredContent)
			return string(text)
		}
		call("forge_tool", request(map[string]any{"name": "add_over_" + name}))
		if got := call("call_tool", map[string]any{"tool": "add_over_" + name, "input": map[string]int{"a": 1, "b": 2}}); !strings.Contains(got, `"output":{"sum":3}`) {
			t.Error(got)
		}
		call("promote_tool", map[string]any{"tool": "add_over_" + name, "to": "agent"})
		if asked != 2 {
			t.Errorf("asked %d times over %s", asked, name)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestListsAreAnsweredWithoutAHost(t *testing.T) {
	t.Parallel()
	for _, version := range []string{current, "2025-06-18"} {
		w := open(t, setting{})
		p := w.overStdio(version, mcp.Local{}, nil)
		for _, method := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
			if m := p.call(method, map[string]any{}); m.Error != nil {
				t.Errorf("%s: %+v", method, m.Error)
			}
		}
		if w.wasted {
			t.Errorf("%s: the host was opened", version)
		}
		use(t, p, "list_my_tools", map[string]any{})
		if !w.wasted {
			t.Error("the host was not opened")
		}
	}
}

// waiting are the params of a call that goes on until it is canceled.
var waiting = map[string]any{"name": "call_tool", "arguments": map[string]any{"tool": "wait_for_end"}}

// cancels calls a tool that waits, cancels that as the version says, and returns what the client was told of it.
func cancels(t *testing.T, w *world, p peer) string {
	t.Helper()
	switch p := p.(type) {
	case *stdio:
		p.n++
		id := p.n
		p.raw(string(p.encode(id, "tools/call", waiting)))
		receive(t, w.began, "the tool that waits")
		p.notify("notifications/cancelled", map[string]any{"requestId": id, "reason": "for a test"})
		w.over()
		before := len(p.seen())
		use(t, p, "list_my_tools", map[string]any{})
		for _, m := range p.seen()[before:] {
			if m.Method == "" {
				return string(m.Result)
			}
		}
	case *web:
		p.n++
		id := p.n
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		answered := make(chan message, 1)
		go func() { m, _ := p.asks(ctx, id, "tools/call", waiting); answered <- m }()
		receive(t, w.began, "the tool that waits")
		if p.version == current {
			leave()
		} else {
			p.notify("notifications/cancelled", map[string]any{"requestId": id, "reason": "for a test"})
		}
		w.over()
		return string(receive(t, answered, "the end of the answer").Result)
	}
	return ""
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	for _, version := range sdk.SupportedProtocolVersions() {
		for _, transport := range []string{"stdio", "http"} {
			t.Run(version+" "+transport, func(t *testing.T) {
				t.Parallel()
				w := open(t, setting{})
				p := scenarioPeer(w, version, transport)
				if got := cancels(t, w, p); got != "" {
					t.Errorf("it is answered: %s", got)
				}
				use(t, p, "list_my_tools", map[string]any{}) // the connection goes on
			})
		}
	}
}

// Ids are the same however they are written: what is answered makes room, and what runs is not begun twice.
func TestIDsHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	w := open(t, setting{})
	p := w.overStdio("2025-06-18", mcp.Local{}, nil)
	for i := range 70 {
		p.raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":"<\u0061%d>","method":"ping"}`, i))
		if m, err := p.next(); err != nil || m.Error != nil || m.ID != fmt.Sprintf("<a%d>", i) {
			t.Fatalf("%d: %+v, %v", i, m, err)
		}
	}
	p.raw(strings.Replace(string(p.encode("x", "tools/call", waiting)), `"x"`, `"\u0078"`, 1))
	receive(t, w.began, "the tool that waits")
	p.raw(`{"jsonrpc":"2.0","id":"x","method":"ping"}`)
	if m, err := p.next(); err != nil || m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("a second time: %+v, %v", m, err)
	}
	p.notify("notifications/cancelled", map[string]any{"requestId": "x"})
	w.over()
}

// A call that has the id of one that runs is refused, and takes nothing from that: who cancels it gets no answer.
func TestIDsThatAreTaken(t *testing.T) {
	t.Parallel()
	w := open(t, setting{})
	p := w.overHTTP(w.serve(), "2025-06-18", "acme/ann", nil)
	answered := make(chan message, 1)
	go func() { m, _ := p.asks(t.Context(), 99, "tools/call", waiting); answered <- m }()
	receive(t, w.began, "the tool that waits")
	if m, status := p.asks(t.Context(), 99, "tools/list", map[string]any{}); status != http.StatusBadRequest {
		t.Errorf("%d %+v", status, m)
	}
	p.notify("notifications/cancelled", map[string]any{"requestId": 99})
	w.over()
	if m := receive(t, answered, "the end of the answer"); m.Result != nil || m.Error != nil {
		t.Errorf("it is answered: %s", m.Result)
	}
}

// In older versions a client that is gone may come back: its call goes on until it says that it is canceled.
func TestWhoIsGoneCancelsNothingInOlderVersions(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		w := open(t, setting{})
		p := w.overHTTP(w.serve(), version, "acme/ann", nil)
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan struct{})
		go func() { defer close(left); p.asks(ctx, 99, "tools/call", waiting) }()
		receive(t, w.began, "the tool that waits")
		leave()
		receive(t, left, "the end of the client's request")
		use(t, p, "list_my_tools", map[string]any{}) // the server has had time to see it
		select {
		case err := <-w.ended:
			t.Errorf("%s: it was canceled: %v", version, err)
		default:
		}
		p.notify("notifications/cancelled", map[string]any{"requestId": 99})
		w.over()
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	w := open(t, setting{face: func(o *mcp.Options) { o.Tick = time.Hour }})
	url := w.serve()
	for name, p := range map[string]peer{
		"old stdio": w.overStdio("2025-06-18", mcp.Local{}, nil), "new stdio": w.overStdio(current, mcp.Local{}, nil),
		"old http": w.overHTTP(url, "2025-11-25", "acme/ann", nil), "new http": w.overHTTP(url, current, "acme/ben", nil),
	} {
		members := map[string]any{"name": "add_" + strings.ReplaceAll(name, " ", "_")}
		useWith(t, p, map[string]any{"name": "forge_tool", "arguments": request(members), "_meta": map[string]any{"progressToken": "tok"}})
		var told []string
		last := 0.0
		for _, m := range p.seen() {
			var n struct {
				ProgressToken, Message string
				Progress               float64
			}
			if err := json.Unmarshal(m.Params, &n); err != nil || m.Method != "notifications/progress" || n.ProgressToken != "tok" || n.Progress <= last {
				t.Errorf("%s: %+v, %v", name, m, err)
			}
			last = n.Progress
			told = append(told, n.Message)
		}
		if got := strings.Join(told, ", "); got != "checking the code, running the test cases, under review, registering" {
			t.Errorf("%s: told of %s", name, got)
		}
	}
}

func TestLongCallsTick(t *testing.T) {
	t.Parallel()
	w := open(t, setting{})
	p := w.overStdio("2025-06-18", mcp.Local{}, nil)
	p.raw(string(p.encode(7, "tools/call", map[string]any{
		"name": "call_tool", "arguments": map[string]any{"tool": "wait_for_end"}, "_meta": map[string]any{"progressToken": 1},
	})))
	m, err := p.next()
	if err != nil || m.Method != "notifications/progress" || !strings.Contains(string(m.Params), "running for") {
		t.Errorf("%+v, %v", m, err)
	}
	p.notify("notifications/cancelled", map[string]any{"requestId": 7})
	go func() {
		for range p.lines { // ticks
		}
	}()
	w.over()
}

func TestLargeResultsAreReadInParts(t *testing.T) {
	t.Parallel()
	w := open(t, setting{})
	p := w.overStdio("2025-06-18", mcp.Local{}, nil)
	r := use(t, p, "call_tool", map[string]any{"tool": "large_output"})
	if len(r.Content) != 2 || r.Content[1].Type != "resource_link" {
		t.Fatalf("%+v", r)
	}
	whole, next := "", r.Content[1].URI
	for range 10 {
		m := p.call("resources/read", map[string]any{"uri": next})
		var read struct {
			Contents []struct {
				Text string
				Meta map[string]any `json:"_meta"`
			}
		}
		if err := json.Unmarshal(m.Result, &read); err != nil || len(read.Contents) != 1 {
			t.Fatalf("%s: %+v", next, m)
		}
		whole += read.Contents[0].Text
		next, _ = read.Contents[0].Meta["toolsmith/next"].(string)
		if next == "" {
			break
		}
	}
	var out struct {
		Output struct{ Text string }
	}
	if err := json.Unmarshal([]byte(whole), &out); err != nil || len(out.Output.Text) != 400_000 {
		t.Errorf("%d bytes, %v", len(whole), err)
	}
	other := w.overStdio("2025-06-18", mcp.Local{}, nil)
	if m := other.call("resources/read", map[string]any{"uri": r.Content[1].URI}); m.Error == nil {
		t.Error("another caller reads it")
	}
}

func TestResources(t *testing.T) {
	t.Parallel()
	w := open(t, setting{})
	url := w.serve()
	p, other := w.overHTTP(url, current, "acme/ann", nil), w.overHTTP(url, current, "globex/bob", nil)
	handle := forgeOK(t, p, nil)
	for uri, want := range map[string]string{
		"toolsmith://tools/" + handle + "/source": "input.a + input.b", "toolsmith://tools/" + strings.ReplaceAll(handle, ":", "%3A") + "/source": "input.a",
		"toolsmith://tools/" + handle + "/verdicts": "approved", "toolsmith://audit": "forge_requested", "toolsmith://audit?after=1": "sequence",
	} {
		if m := p.call("resources/read", map[string]any{"uri": uri}); m.Error != nil || !strings.Contains(string(m.Result), want) {
			t.Errorf("%s: %s %+v", uri, m.Result, m.Error)
		}
		if m := other.call("resources/read", map[string]any{"uri": uri}); m.Error == nil && strings.Contains(string(m.Result), want) {
			t.Errorf("%s is read by another tenant", uri)
		}
	}
	unknown := strings.Repeat("0", 36)
	hidden := other.call("resources/read", map[string]any{"uri": "toolsmith://tools/" + handle + "/source"})
	missing := other.call("resources/read", map[string]any{"uri": "toolsmith://tools/emergent:" + unknown + "/source"})
	if hidden.Error == nil || missing.Error == nil || hidden.Error.Code != missing.Error.Code || hidden.Error.Message != missing.Error.Message {
		t.Errorf("what is hidden and what is not there differ: %+v, %+v", hidden.Error, missing.Error)
	}
	for _, uri := range []string{"file:///etc/passwd", "toolsmith://tools/../../etc/passwd", "toolsmith://tools/" + handle + "/../source", "toolsmith://audit?after=x", "toolsmith://" + strings.Repeat("a", 5000)} {
		if m := p.call("resources/read", map[string]any{"uri": uri}); m.Error == nil {
			t.Errorf("%.60s is read: %s", uri, m.Result)
		}
	}
}

// A tool that is suspended is there, by its handle as by its name, for whoever sees it, and for nobody else.
func TestSuspendedToolsAreThere(t *testing.T) {
	t.Parallel()
	w := open(t, setting{})
	url := w.serve()
	p := w.overHTTP(url, current, "acme/ann", nil)
	handle := forgeOK(t, p, nil)
	d, err := w.desk(t.Context(), principal("acme", "ann"), "s")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Suspend(t.Context(), handle, "for a look"); err != nil {
		t.Fatal(err)
	}
	for who, c := range map[string]struct {
		peer peer
		want string
	}{
		"its owner":       {p, "suspended"},
		"another session": {w.overHTTP(url, "2025-11-25", "acme/ann", nil), "not_found"},
		"another persona": {w.overHTTP(url, current, "acme/ben", nil), "not_found"},
		"another tenant":  {w.overHTTP(url, current, "globex/bob", nil), "not_found"},
	} {
		for _, which := range []string{handle, "add_numbers"} {
			for _, name := range []string{"call_tool", "describe_tool"} {
				r := use(t, c.peer, name, map[string]any{"tool": which})
				if r.Error.Code != c.want || strings.Contains(r.Error.Message, "for a look") != (c.want == "suspended") || r.Error.Hint == "" {
					t.Errorf("%s, %s of %s: %+v", who, name, which, r.Error)
				}
			}
		}
	}
}

func TestThePromptsExampleIsForged(t *testing.T) {
	t.Parallel()
	w := open(t, setting{})
	p := w.overStdio(current, mcp.Local{}, nil)
	m := p.call("prompts/get", map[string]any{"name": "write_forge_request", "arguments": map[string]string{"task": "count the vowels"}})
	var r struct {
		Messages []struct{ Content struct{ Text string } }
	}
	if err := json.Unmarshal(m.Result, &r); err != nil || len(r.Messages) != 1 {
		t.Fatalf("%+v", m)
	}
	text := r.Messages[0].Content.Text
	if !strings.Contains(text, mcp.ForgeExample) || !strings.HasSuffix(text, "count the vowels") {
		t.Error("the prompt lacks the example or the task")
	}
	if got := use(t, p, "forge_tool", json.RawMessage(mcp.ForgeExample)); got.IsError {
		t.Errorf("%+v", got)
	}
}

func TestSessionsEndWithTheirConnection(t *testing.T) {
	t.Parallel()
	w := open(t, setting{})
	p := w.overStdio("2025-06-18", mcp.Local{}, nil)
	forgeOK(t, p, nil)
	_ = p.in.Close()
	if _, err := p.next(); err == nil {
		t.Error("there is more")
	}
	p.done <- receive(t, p.done, "the end of the connection")
	if r := use(t, w.overStdio(current, mcp.Local{}, nil), "list_my_tools", map[string]any{}); !strings.Contains(string(r.Structured), `"total":0`) {
		t.Errorf("%s", r.Structured)
	}
	named := mcp.Local{Session: "mine"}
	named.Principal = principal("acme", "ann")
	forgeOK(t, w.overStdio(current, named, nil), nil)
	if r := use(t, w.overStdio(current, named, nil), "list_my_tools", map[string]any{}); !strings.Contains(string(r.Structured), `"total":1`) {
		t.Errorf("%s", r.Structured)
	}
}
