package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/slogtest"
	"time"

	"github.com/hashicorp/go-hclog"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"example.com/toolsmith"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/judge"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
	"example.com/toolsmith/wasmjs"
)

const request = `{"name":"twice","description":"Doubles a number.",
	"inputSchema":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]},
	"outputSchema":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"],"additionalProperties":false},
	"implementation":{"mode":"sandbox","code":"function execute(input) { while (input.n > 1e6) {} return { n: input.n * 2 }; }","allowlist":[]},
	"testCases":[{"input":{"n":1},"expectedOutput":{"n":2}},{"input":{"n":-3},"expectedOutput":{"n":-6}}]}`

// told runs a small scenario on a host that a Telemetry watches.
func told(t *testing.T, tel *Telemetry) {
	t.Helper()
	approves := judgetest.ApproveAll()
	reviewer, err := judge.New(judge.Options{Creation: approves, Safety: approves, Correctness: approves})
	if err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.Emergent, c.EmergentConfig.AllowSandboxTools = true, true
	c.SessionTools.Wall = wire.Period(2 * time.Second)
	c.Limits.Fuel, c.SessionTools.Fuel = 1e10, 1e10 // so that the clock ends what does not end
	opt := toolsmith.Options{Config: &c, Judge: reviewer}
	if cache, err := os.UserCacheDir(); err == nil {
		opt.Engine.Engine.CacheDir = filepath.Join(cache, "toolsmith")
	}
	tel.Observe(&opt)
	h, err := toolsmith.Open(t.Context(), "", opt)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	ann := tool.Caller{Tenant: "acme", Persona: "ann", Session: "1"}
	forged, err := h.Forge(t.Context(), ann, []byte(request))
	if err != nil {
		t.Fatal(err)
	}
	for input, want := range map[string]tool.Code{`{"n":2}`: "", `{"n":"x"}`: tool.InvalidInput, `{"n":2000000}`: tool.Timeout} {
		if _, err := h.Call(t.Context(), ann, "twice", json.RawMessage(input)); want != "" && !errors.Is(err, want) {
			t.Errorf("%s: %v", input, err)
		}
	}
	if _, _, err := h.Promote(t.Context(), tool.Actor{Caller: ann, Name: "eve"}, forged.ToolID, tool.AgentTier, "eve"); err != nil {
		t.Fatal(err)
	}
}

func newTelemetry(t *testing.T, opt Options) *Telemetry {
	t.Helper()
	tel, err := New(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tel.Close(context.Background()) })
	return tel
}

// served returns the metrics as a scraper gets them.
func served(t *testing.T, tel *Telemetry) string {
	t.Helper()
	w := httptest.NewRecorder()
	tel.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	tel := newTelemetry(t, Options{})
	if err := tel.Engine(func() wasmjs.EngineStats { return wasmjs.EngineStats{Instances: 5, IdleInstances: 2, ImageBytes: 7} }); err != nil {
		t.Fatal(err)
	}
	if err := tel.Disk(func() (uint64, error) { return 11, nil }); err != nil {
		t.Fatal(err)
	}
	told(t, tel)
	text := served(t, tel)
	for _, want := range []string{
		`toolsmith_tool_calls_total{outcome="ok",tier="session"} 1`, `toolsmith_tool_calls_total{outcome="timeout",tier="session"} 1`,
		`toolsmith_tool_calls_total{outcome="invalid_input",tier="session"} 1`, `toolsmith_terminations_total{reason="timeout"} 1`,
		`toolsmith_tool_call_seconds_count 2`, `toolsmith_forge_total{outcome="approved",stage=""} 1`,
		`toolsmith_promotions_total{from="session",outcome="ok",to="agent"} 1`, `toolsmith_sandbox_starts_total{kind="loaded"}`,
		`toolsmith_sandbox_starts_total{kind="warm"}`, `toolsmith_sandbox_start_seconds_count`, `toolsmith_fuel_used_total`,
		`toolsmith_sandbox_memory_bytes_count`, `toolsmith_audit_append_seconds_count`, `toolsmith_sandbox_active 3`,
		`toolsmith_sandbox_instances 5`, `toolsmith_sandbox_image_bytes 7`, `toolsmith_disk_free_bytes 11`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics lack %q:\n%s", want, text)
		}
	}
	for _, no := range []string{"acme", "ann", "twice"} {
		if strings.Contains(text, no) {
			t.Errorf("the metrics tell of %q", no)
		}
	}
}

// The server's metrics have one series for each route, whatever Host a client sends.
func TestMiddlewareHasFewSeries(t *testing.T) {
	t.Parallel()
	tel := newTelemetry(t, Options{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/tools", func(http.ResponseWriter, *http.Request) {})
	for _, host := range []string{"a.example", "b.example", "c.example"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/tools", http.NoBody)
		r.Host = host
		tel.Middleware(mux).ServeHTTP(httptest.NewRecorder(), r)
	}
	text := served(t, tel)
	if n := len(regexp.MustCompile(`(?m)^toolsmith_http_server_request_duration_seconds_count\{`).FindAllString(text, -1)); n != 1 || strings.Contains(text, "b.example") {
		t.Errorf("%d series:\n%s", n, text)
	}
}

// recorded makes a Telemetry whose spans a test can look at.
func recorded(t *testing.T) (*Telemetry, *tracetest.SpanRecorder) {
	t.Helper()
	tel, recorder := newTelemetry(t, Options{}), tracetest.NewSpanRecorder()
	tel.traces = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
	tel.tracer = tel.provider().Tracer(scope)
	return tel, recorder
}

// asked sends requests of each method to a server that has the routes.
func asked(t *testing.T, tel *Telemetry, routes []string, requests [][2]string) {
	t.Helper()
	mux := http.NewServeMux()
	for _, route := range routes {
		mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	}
	server := httptest.NewServer(tel.Middleware(mux))
	defer server.Close()
	for _, request := range requests {
		r, err := http.NewRequestWithContext(t.Context(), request[0], server.URL+request[1], strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
	}
}

// A span of a request is named by its method and its route, whichever way the route was written, and by nothing that a client chooses.
func TestSpanNames(t *testing.T) {
	t.Parallel()
	tel, recorder := recorded(t)
	asked(t, tel, []string{"/mcp", "GET /healthz", "POST /v1/tools/{tool}/call"}, [][2]string{
		{"GET", "/healthz"}, {"POST", "/v1/tools/twice/call"}, {"POST", "/mcp"}, {"GET", "/nowhere"}, {"MINE", "/nowhere"},
	})
	var got []string
	for _, span := range recorder.Ended() {
		got = append(got, span.Name())
	}
	if want := []string{"GET /healthz", "POST /v1/tools/{tool}/call", "POST /mcp", "GET", "HTTP"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTraces(t *testing.T) {
	var posts atomic.Int32
	var body bytes.Buffer
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" {
			posts.Add(1)
			_, _ = io.Copy(&body, r.Body)
		}
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL) // which the exporter reads by itself
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
	tel, err := New(t.Context(), Options{Getenv: os.Getenv})
	if err != nil {
		t.Fatal(err)
	}
	told(t, tel)
	tel.Close(t.Context())
	if posts.Load() == 0 {
		t.Fatal("nothing was exported")
	}
	for _, want := range []string{"execute_tool twice", "gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.operation.name", "toolsmith.tenant", "forge"} {
		if !bytes.Contains(body.Bytes(), []byte(want)) {
			t.Errorf("the spans lack %q", want)
		}
	}
	if bytes.Contains(body.Bytes(), []byte("2000000")) {
		t.Error("the spans hold an argument")
	}
}

// collected is what a collector got of spans that come of requests with the worst of headers, and what was logged meanwhile.
func collected(t *testing.T, tel *Telemetry, body *bytes.Buffer) string {
	t.Helper()
	ann := tool.Caller{Tenant: "acme", Persona: "ann", Session: "1"}
	_, ended := tel.call(t.Context(), ann, "a\xffb"+strings.Repeat("c", 1<<20))
	ended(&runtime.CallResult{}, &tool.Error{Code: tool.NotFound})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(http.ResponseWriter, *http.Request) {})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/%ff", http.NoBody)
	r.URL.Path += strings.Repeat("d", 1<<20)
	r.Header.Set("User-Agent", "agent\xff")
	r.Host = strings.Repeat("h", 300)
	tel.Middleware(mux).ServeHTTP(httptest.NewRecorder(), r)
	scrape := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody)
	scrape.Header.Set("Accept", "application/openmetrics-text")
	w := httptest.NewRecorder()
	tel.Handler().ServeHTTP(w, scrape)
	tel.Close(t.Context())
	if n := body.Len(); n == 0 || n > 64<<10 {
		t.Errorf("%d bytes were exported", n)
	}
	return w.Body.String()
}

// However a request is spelled, the spans of all are exported, and nobody's words stand in the metrics.
func TestTracesOfBadText(t *testing.T) {
	var body, logged bytes.Buffer
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(&body, r.Body) }))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
	tel, err := New(t.Context(), Options{Getenv: os.Getenv, Log: NewLogger(config.Log{Level: "warn"}, &logged)})
	if err != nil {
		t.Fatal(err)
	}
	metrics := collected(t, tel, &body)
	for _, want := range []string{"execute_tool a\uFFFDb", "agent\uFFFD"} {
		if !bytes.Contains(body.Bytes(), []byte(want)) {
			t.Errorf("the spans lack %q", want)
		}
	}
	if !strings.Contains(metrics, "trace_id=") || strings.Contains(metrics, "user_agent") || strings.Contains(metrics, "hhh") {
		t.Errorf("the metrics are\n%s", metrics)
	}
	if logged.Len() > 0 {
		t.Errorf("what was logged is %s", &logged)
	}
}

// What goes wrong with exporting is logged as all else is.
func TestExportErrorsAreLogged(t *testing.T) {
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
	lines := make(lineWriter, 100)
	tel, err := New(t.Context(), Options{Getenv: os.Getenv, Log: NewLogger(config.Log{Level: "warn", Format: "json"}, lines)})
	if err != nil {
		t.Fatal(err)
	}
	_, ended := tel.call(t.Context(), tool.Caller{Tenant: "acme", Persona: "ann", Session: "1"}, "x")
	ended(&runtime.CallResult{}, nil)
	select {
	case line := <-lines:
		if !strings.Contains(line, `"@level":"warn"`) || !strings.Contains(line, "400") {
			t.Error(line)
		}
	case <-time.After(30 * time.Second):
		t.Error("nothing was logged")
	}
	tel.Close(t.Context())
}

// A collector that answers nothing costs the traces that are left, which is told to the log.
func TestWhatIsLostAtTheEndIsLogged(t *testing.T) {
	closed := make(chan struct{})
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-closed }))
	defer collector.Close()
	defer close(closed)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	lines := make(lineWriter, 100)
	tel, err := New(t.Context(), Options{Getenv: os.Getenv, Log: NewLogger(config.Log{Level: "warn", Format: "json"}, lines)})
	if err != nil {
		t.Fatal(err)
	}
	_, ended := tel.call(t.Context(), tool.Caller{Tenant: "acme", Persona: "ann", Session: "1"}, "x")
	ended(&runtime.CallResult{}, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	tel.Close(ctx)
	select {
	case line := <-lines:
		if !strings.Contains(line, `"@level":"warn"`) || !strings.Contains(line, context.DeadlineExceeded.Error()) {
			t.Error(line)
		}
	default:
		t.Error("nothing was logged")
	}
}

// Who leaves and what a quota refuses is nothing to complain of; what the host fails at is.
func TestLevels(t *testing.T) {
	t.Parallel()
	for code, want := range map[tool.Code]struct{ call, forge string }{
		"":             {"debug", "info"},
		tool.Canceled:  {"debug", "info"},
		tool.OverQuota: {"debug", "debug"},
		tool.Rejected:  {"debug", "info"},
		tool.Timeout:   {"warn", "info"},
		tool.Denied:    {"warn", "info"},
		tool.Internal:  {"error", "error"},
	} {
		var out bytes.Buffer
		tel := newTelemetry(t, Options{Log: NewLogger(config.Log{Level: "debug", Format: "json"}, &out)})
		var err error
		if code != "" {
			err = &tool.Error{Code: code}
		}
		tel.logCall(tool.Caller{}, "x", &runtime.CallResult{}, err)
		tel.logForge(tool.Caller{}, &forge.Result{Success: err == nil}, 0, err)
		tel.metrics.countCall(t.Context(), &runtime.CallResult{}, err)
		call, forged, _ := strings.Cut(out.String(), "\n")
		if !strings.Contains(call, `"@level":"`+want.call+`"`) || !strings.Contains(forged, `"@level":"`+want.forge+`"`) {
			t.Errorf("%q: %s%s", code, call, forged)
		}
		if ended := strings.Contains(served(t, tel), "toolsmith_terminations_total{"); ended != (code == tool.Timeout) {
			t.Errorf("%q counts as ended by a limit: %v", code, ended)
		}
	}
}

// lineWriter hands on what is written.
type lineWriter chan string

func (w lineWriter) Write(line []byte) (int, error) {
	w <- string(line)
	return len(line), nil
}

func TestNoTracesUnlessAskedFor(t *testing.T) {
	t.Parallel()
	for _, env := range []map[string]string{
		{},
		{"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"},
		{"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"},
	} {
		if tel := newTelemetry(t, Options{Getenv: func(name string) string { return env[name] }}); tel.traces != nil {
			t.Errorf("%v exports traces", env)
		}
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := NewLogger(config.Log{Level: "warn", Format: "json"}, &out)
	tel := newTelemetry(t, Options{Log: log})
	told(t, tel)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 1 {
		t.Fatalf("%d lines at the level of warnings: %s", len(lines), out.String())
	}
	var line map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &line); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{"@level": "warn", "@message": "call", "tenant": "acme", "persona": "ann", "session": "1", "tool": "twice", "tier": "session", "outcome": "timeout"} {
		if line[key] != want {
			t.Errorf("%s is %v, want %v", key, line[key], want)
		}
	}
	for _, key := range []string{"hash", "duration_ms", "fuel", "memory_peak_bytes", "host_calls", "reason"} {
		if _, there := line[key]; !there {
			t.Errorf("the line lacks %s: %s", key, lines[0])
		}
	}
}

func TestRedaction(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	Slog(hclog.New(&hclog.LoggerOptions{Output: &out, JSONFormat: true})).Info("said",
		"apiKey", "s3cr3t-1", "key_id", "k1", slog.Group("http", "Authorization", "s3cr3t-2", "path", "/v1"), "input_tokens", 3)
	text := out.String()
	if strings.Contains(text, "s3cr3t") || !strings.Contains(text, `"key_id":"k1"`) || !strings.Contains(text, `"http.path":"/v1"`) || !strings.Contains(text, `"input_tokens":3`) {
		t.Error(text)
	}
}

// What speaks slog gets its attributes and groups through.
func TestSlog(t *testing.T) {
	t.Parallel()
	var out *bytes.Buffer
	err := slogtest.TestHandler(func() slog.Handler {
		out = &bytes.Buffer{}
		return Slog(hclog.New(&hclog.LoggerOptions{Output: out, JSONFormat: true, Level: hclog.Trace})).Handler()
	}(), func() (all []map[string]any) {
		for line := range strings.Lines(out.String()) {
			all = append(all, nested(t, line))
		}
		return all
	})
	for _, problem := range problems(err) {
		if !strings.Contains(problem, "zero Record.Time") && !strings.Contains(problem, "ignore a zero") {
			t.Error(problem)
		}
	}
}

// nested is a line of the log with the names that slogtest looks for, and with groups instead of dots.
func nested(t *testing.T, line string) map[string]any {
	t.Helper()
	var flat map[string]any
	if err := json.Unmarshal([]byte(line), &flat); err != nil {
		t.Fatal(err)
	}
	all := map[string]any{slog.LevelKey: flat["@level"], slog.MessageKey: flat["@message"], slog.TimeKey: flat["@timestamp"]}
	for key, value := range flat {
		if strings.HasPrefix(key, "@") {
			continue
		}
		at := all
		parts := strings.Split(key, ".")
		for _, part := range parts[:len(parts)-1] {
			inner, there := at[part].(map[string]any)
			if !there {
				inner = map[string]any{}
				at[part] = inner
			}
			at = inner
		}
		at[parts[len(parts)-1]] = value
	}
	return all
}

func problems(err error) []string {
	if err == nil {
		return nil
	}
	return slices.DeleteFunc(strings.Split(err.Error(), "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
}
