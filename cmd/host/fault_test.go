package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// soak is how long TestSoak loads a server: go test ./cmd/host -run TestSoak -soak 30m -timeout 40m.
var soak = flag.Duration("soak", 10*time.Second, "how long TestSoak loads a server")

// faulty is a host serve on a directory, which ends and begins again.
type faulty struct {
	t       *testing.T
	dir     string
	key     string
	cmd     *exec.Cmd
	address string
	client  *http.Client

	mu    sync.Mutex
	made  map[string]*madeTool // by id: all that was acknowledged
	asked int                  // requests to forge
}

// madeTool is a tool whose forging was acknowledged.
type madeTool struct {
	key      string // of the request
	request  string
	promoted bool
	calls    []time.Time // when they were acknowledged, since the last start
	known    int         // calls that counted at the last start
}

// faultConfig lets the tests do what they do as often as they like.
const faultConfig = `emergent: true
emergentConfig:
  allowSandboxTools: true
  allowDuplicates: true
  maxSessionTools: 1000
  maxAgentTools: 10000
  maxForgeAttemptsPerSession: 10000
  maxCallsPerMinute: 1000000
  maxFailuresInARow: 1000
  sandboxTimeoutMs: %d
log: {level: "off"}
quotas:
  tenant: {callsPerMinute: 10000000, fuelPerMinute: 1000000G, forgesPerDay: 1000000}
  persona: {callsPerMinute: 10000000, fuelPerMinute: 1000000G, forgesPerDay: 1000000}
`

// ample is a timeout in milliseconds that no call of the tests comes near, on any machine.
const ample = 10_000

// newFaulty starts one whose calls may take so many milliseconds.
func newFaulty(t *testing.T, timeout int) *faulty {
	t.Helper()
	f := &faulty{t: t, dir: t.TempDir(), client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}, made: map[string]*madeTool{}}
	approval := json.RawMessage(`{"approved":true,"confidence":0.9,"reasoning":"nothing speaks against it","safety":{"passed":true},
		"correctness":{"passed":true},"determinism":{"likely":true},"bounded":{"likely":true}}`)
	judge, err := json.Marshal(map[string]any{"creation": slices.Repeat([]json.RawMessage{approval}, 1000)})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"config.yaml": fmt.Sprintf(faultConfig, timeout), "judge.json": string(judge)} {
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	key, err := f.command("tenant", "key", "create", "local", "--persona", "clerk", "--key-name", "grace", "--scopes", "call,forge,approve,admin").Output()
	if err != nil {
		t.Fatal(err)
	}
	f.key = strings.TrimSpace(string(key))
	f.start()
	t.Cleanup(func() {
		if f.cmd != nil {
			_ = f.end(syscall.SIGKILL)
		}
	})
	return f
}

func (f *faulty) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.WithoutCancel(f.t.Context()), "host",
		append(args, "--config", filepath.Join(f.dir, "config.yaml"), "--data", filepath.Join(f.dir, "data"))...)
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+f.dir, "XDG_DATA_HOME="+f.dir)
	return cmd
}

func (f *faulty) start() {
	f.t.Helper()
	f.cmd = f.command("serve", "--listen", "127.0.0.1:0", "--judge", "script:"+filepath.Join(f.dir, "judge.json"))
	said, err := f.cmd.StderrPipe()
	if err == nil {
		err = f.cmd.Start()
	}
	if err != nil {
		f.t.Fatal(err)
	}
	lines := bufio.NewReader(said)
	for f.address = ""; f.address == ""; {
		line, err := lines.ReadString('\n')
		if err != nil {
			f.t.Fatalf("host serve ended before it served: %q", line)
		}
		if _, address, ok := strings.Cut(strings.TrimSpace(line), "serving "); ok {
			f.address = address
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
}

// end ends the server with a signal, and waits.
func (f *faulty) end(signal syscall.Signal) error {
	err := f.cmd.Process.Signal(signal)
	if err == nil {
		err = f.cmd.Wait()
	}
	f.cmd = nil
	f.client.CloseIdleConnections()
	return err
}

// ask sends a request. The error is one of the connection.
func (f *faulty) ask(method, path, body string, headers ...string) (status int, header http.Header, answer []byte, err error) {
	r, err := http.NewRequestWithContext(f.t.Context(), method, f.address+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+f.key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w, err := f.client.Do(r)
	if err != nil {
		return 0, nil, nil, err
	}
	defer func() { _ = w.Body.Close() }()
	answer, err = io.ReadAll(w.Body)
	return w.StatusCode, w.Header, answer, err
}

// get asks for something that is there, into a value.
func (f *faulty) get(path string, into any) {
	f.t.Helper()
	status, _, answer, err := f.ask(http.MethodGet, path, "")
	if err != nil || status != http.StatusOK || json.Unmarshal(answer, into) != nil {
		f.t.Fatalf("%s: status %d, %v: %.300s", path, status, err, answer)
	}
}

// faultRequest asks for a tool that doubles a number, and never ends for 13.
func faultRequest(name string) string {
	code, _ := json.Marshal("function execute(input) { while (input.n === 13); return { n: input.n * 2 } } // " + name)
	const schema = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`
	return `{"name":"` + name + `","description":"Doubles a number.","inputSchema":` + schema + `,"outputSchema":` + schema +
		`,"implementation":{"mode":"sandbox","code":` + string(code) + `},"testCases":[{"input":{"n":1},"expectedOutput":{"n":2}},
		{"input":{"n":2},"expectedOutput":{"n":4}},{"input":{"n":-3},"expectedOutput":{"n":-6}}]}`
}

// work forges a tool, calls it and lets it rise, over and over, until the server is gone or will not any more.
func (f *faulty) work() {
	for f.forgeOne() {
	}
}

func (f *faulty) forgeOne() (more bool) {
	f.mu.Lock()
	f.asked++
	name := fmt.Sprintf("double_%d", f.asked)
	f.mu.Unlock()
	made := &madeTool{key: "forge-" + name, request: faultRequest(name)}
	status, _, answer, err := f.ask(http.MethodPost, "/v1/forge", made.request, "Idempotency-Key", made.key)
	id, is := idOf(answer)
	if err != nil || status != http.StatusOK || !is {
		f.odd("forging", status, answer, err)
		return false
	}
	f.mu.Lock()
	f.made[id] = made
	f.mu.Unlock()
	for range 3 {
		status, _, answer, err := f.ask(http.MethodPost, "/v1/tools/"+name+"/call", `{"n":4}`)
		if err != nil || status != http.StatusOK || !bytes.Contains(answer, []byte(`{"n":8}`)) {
			f.odd("calling", status, answer, err)
			return false
		}
		f.mu.Lock()
		made.calls = append(made.calls, time.Now())
		f.mu.Unlock()
	}
	status, _, answer, err = f.ask(http.MethodPost, "/v1/tools/"+id+"/promote", `{"to":"agent"}`)
	if err != nil || status != http.StatusOK {
		f.odd("promoting", status, answer, err)
		return false
	}
	f.mu.Lock()
	made.promoted = true
	f.mu.Unlock()
	return true
}

// odd complains of an answer that is no sign of a server that ends.
func (f *faulty) odd(what string, status int, answer []byte, err error) {
	if err == nil && status != http.StatusServiceUnavailable {
		f.t.Errorf("%s: status %d: %.500s", what, status, answer)
	}
}

func idOf(answer []byte) (id string, is bool) {
	var result struct {
		Tool struct {
			ID string `json:"id"`
		} `json:"tool"`
	}
	err := json.Unmarshal(answer, &result)
	return result.Tool.ID, err == nil && result.Tool.ID != ""
}

// endUnderLoad lets several clients work for a while, and ends the server meanwhile.
func (f *faulty) endUnderLoad(after time.Duration, signal syscall.Signal) (ended time.Time, err error) {
	var working sync.WaitGroup
	for range 4 {
		working.Go(f.work)
	}
	time.Sleep(after)
	ended = time.Now()
	err = f.end(signal)
	working.Wait()
	return ended, err
}

// check starts the server again and looks for all that was acknowledged; calls count once they were so for a second.
func (f *faulty) check(ended time.Time) {
	f.t.Helper()
	f.start()
	var chain struct {
		OK      bool
		Entries int
	}
	f.get("/v1/audit/verify", &chain)
	if !chain.OK {
		f.t.Errorf("the chain is broken: %+v", chain)
	}
	told := f.log()
	for id, made := range f.made {
		var whole struct {
			Tool struct {
				Tier       string
				UsageStats struct{ TotalUses int }
			}
		}
		f.get("/v1/tools/"+id, &whole)
		shown := whole.Tool
		if made.promoted && (shown.Tier != "agent" || !told[id+" promote"]) || !told[id+" register"] {
			f.t.Errorf("%s was made, promoted: %v; it is %+v", id, made.promoted, shown)
		}
		sure := made.known
		for _, at := range made.calls {
			if ended.Sub(at) > time.Second {
				sure++
			}
		}
		if shown.UsageStats.TotalUses < sure {
			f.t.Errorf("%s was used %d times or more, of which %d are known", id, sure, shown.UsageStats.TotalUses)
		}
		made.known, made.calls = shown.UsageStats.TotalUses, nil // what came just before the end may be lost, and stays so
		f.again(id, made)
	}
}

// again repeats a request that was answered, under its key.
func (f *faulty) again(id string, made *madeTool) {
	f.t.Helper()
	status, header, answer, err := f.ask(http.MethodPost, "/v1/forge", made.request, "Idempotency-Key", made.key)
	if same, _ := idOf(answer); err != nil || status != http.StatusOK || same != id || header.Get("Idempotency-Replayed") != "true" {
		f.t.Errorf("%s was answered; asked again, it is status %d, %v: %.300s", made.key, status, err, answer)
	}
}

// log is what the log says, each entry as the tool and what happened to it.
func (f *faulty) log() map[string]bool {
	f.t.Helper()
	told := map[string]bool{}
	for after, more := 0, true; more; {
		var page struct {
			Items []struct {
				ToolID    string
				EventType string
			}
			Last int
		}
		f.get(fmt.Sprintf("/v1/audit?limit=1000&after=%d", after), &page)
		for _, e := range page.Items {
			told[e.ToolID+" "+e.EventType] = true
		}
		after, more = page.Last, page.Last > 0
	}
	return told
}

func TestKillsUnderLoadLoseNothingAcknowledged(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes many starts")
	}
	t.Parallel()
	f := newFaulty(t, ample)
	for round := range 4 {
		ended, err := f.endUnderLoad(time.Duration(1500+333*round)*time.Millisecond, syscall.SIGKILL)
		if err == nil {
			t.Error("it ended by itself")
		}
		f.check(ended)
	}
	if len(f.made) == 0 {
		t.Error("nothing was made")
	}
}

func TestEndUnderLoadLosesNothingAcknowledged(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes many starts")
	}
	t.Parallel()
	f := newFaulty(t, ample)
	for range 2 {
		if _, err := f.endUnderLoad(1500*time.Millisecond, syscall.SIGTERM); err != nil {
			t.Error("it ended with ", err)
		}
		f.check(time.Now().Add(time.Minute)) // an end in order counts every call
	}
	if len(f.made) == 0 {
		t.Error("nothing was made")
	}
}

// After a while of mixed load a server has as many goroutines, and no more than a tenth more memory, than after the first part of
// it, when everything has been used once.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a while")
	}
	f := newFaulty(t, 200)
	_, _, answer, err := f.ask(http.MethodPost, "/v1/forge", faultRequest("double"))
	id, is := idOf(answer)
	if err != nil || !is {
		t.Fatalf("%v: %s", err, answer)
	}
	if status, _, answer, err := f.ask(http.MethodPost, "/v1/tools/"+id+"/promote", `{"to":"agent"}`); err != nil || status != http.StatusOK {
		t.Fatalf("status %d, %v: %s", status, err, answer)
	}
	f.mix(*soak / 5)
	idle := f.goroutines()
	first, calls := f.mix(*soak * 2 / 5)
	last, more := f.mix(*soak * 2 / 5)
	after := f.goroutines()
	t.Logf("%d and %d requests; goroutines %v, then %v; memory %.1f MiB, then %.1f MiB", calls, more, idle, after, first/(1<<20), last/(1<<20))
	const others = 2 // that work now and then, such as on the store; what requests leave behind would be hundreds
	if after > idle+others {
		t.Errorf("%v goroutines, then %v", idle, after)
	}
	const noise = 4 << 20 // of the collector, within seconds
	if last > 1.1*first+noise {
		t.Errorf("%.1f MiB of memory, then %.1f MiB", first/(1<<20), last/(1<<20))
	}
}

// mix puts all kinds of requests on the server for a while. It returns the median of the memory that the server has meanwhile, and how
// many requests that were.
func (f *faulty) mix(during time.Duration) (memory float64, asked int64) {
	kinds := []struct {
		path, body string
		status     int
	}{
		{"/v1/tools/double/call", `{"n":4}`, 200},
		{"/v1/tools/double/call", `{"n":13}`, 504},
		{"/v1/tools/double/call", `{"n":"x"}`, 422},
		{"/v1/tools/double/call", `{"n":` + strings.Repeat("1", 2<<20) + `}`, 413},
		{"/v1/tools/nothing/call", `{}`, 404},
		{"/v1/forge", strings.Replace(faultRequest("wrong"), "* 2", "* 3", 1), 422},
	}
	var count, starved atomic.Int64
	var working sync.WaitGroup
	end := time.Now().Add(during)
	for i := range 8 {
		working.Go(func() {
			for n := i; time.Now().Before(end); n++ {
				k := kinds[n%len(kinds)]
				status, _, answer, err := f.ask(http.MethodPost, k.path, k.body, "Toolsmith-Session", fmt.Sprint("s", n%4))
				switch {
				case err != nil, status == k.status, status == http.StatusTooManyRequests:
				case k.status == http.StatusOK && status == http.StatusGatewayTimeout:
					starved.Add(1) // a call has 200 ms, whatever else the machine does meanwhile
				default:
					f.t.Errorf("%s %.40s: status %d, want %d: %.300s", k.path, k.body, status, k.status, answer)
				}
				count.Add(1)
			}
		})
	}
	var samples []float64
	for time.Now().Before(end) {
		samples = append(samples, f.memory())
		time.Sleep(during / 40)
	}
	working.Wait()
	if starved.Load() > 1+count.Load()/1000 {
		f.t.Errorf("%d of %d requests took longer than they may", starved.Load(), count.Load())
	}
	slices.Sort(samples)
	return samples[len(samples)/2], count.Load()
}

// memory is what the server has of its own, in bytes: what it maps of files, such as the tables of its store, grows with them, and the
// system takes it back when it needs to. Where that is not told apart, it is all that is resident.
func (f *faulty) memory() float64 {
	f.t.Helper()
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", f.cmd.Process.Pid))
	for line := range strings.Lines(string(text)) {
		var kibibytes float64
		if n, _ := fmt.Sscanf(line, "RssAnon: %f kB", &kibibytes); n == 1 {
			return kibibytes * (1 << 10)
		}
	}
	return f.metric("process_resident_memory_bytes")
}

// goroutines is how many the server has when nobody is connected but who asks, once those that were have gone.
func (f *faulty) goroutines() float64 {
	f.client.CloseIdleConnections()
	least := f.metric("go_goroutines")
	for range 20 {
		time.Sleep(100 * time.Millisecond)
		least = min(least, f.metric("go_goroutines"))
	}
	return least
}

func (f *faulty) metric(name string) (value float64) {
	f.t.Helper()
	_, _, answer, err := f.ask(http.MethodGet, "/metrics", "")
	if err != nil {
		f.t.Fatal(err)
	}
	for line := range strings.Lines(string(answer)) {
		if text, ok := strings.CutPrefix(line, name+" "); ok {
			if _, err := fmt.Sscan(text, &value); err == nil {
				return value
			}
		}
	}
	f.t.Fatalf("there is no metric %s", name)
	return 0
}
