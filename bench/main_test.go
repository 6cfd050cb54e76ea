package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/bench/peers"
	"example.com/toolsmith/bench/report"
)

// TestMain lets the test binary be the engines too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == peers.Command {
		main()
	}
	os.Exit(m.Run())
}

func run(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, notices bytes.Buffer
	err = command(t.Context(), append(args, "--cache", t.TempDir()), &out, &notices)
	return out.String(), notices.String(), err
}

func TestSmoke(t *testing.T) {
	stdout, stderr, err := run(t, "--output", "json", "--peers", "goja,modernc", "--scale", "0.001",
		"--measure", "hermetic_call,warm_call,compute", "--measure", "metering,throughput,cold_start",
		"--measure", "forge,call_path,audit_append,list")
	if err != nil {
		t.Fatal(err, stderr)
	}
	var got report.Report
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	results := map[string]report.Result{}
	for _, r := range got.Results {
		results[r.Measure] = r
		if r.Ours.P50 <= 0 || r.Ours.N == 0 {
			t.Errorf("%s has no figures of ours: %+v", r.Measure, r.Ours)
		}
	}
	for measure, peer := range map[string]string{
		"hermetic_call": "goja", "warm_call": "modernc", "compute": "goja", "compute/fib": "modernc",
		"metering": "unmetered", "metering/json": "unmetered", "throughput": "goja", "throughput/1": "modernc", "cold_start": "goja",
		"call_path": "sandbox",
	} {
		if results[measure].Ratio[peer] <= 0 || results[measure].Peers[peer].P50 <= 0 {
			t.Errorf("%s says nothing about %s: %+v", measure, peer, results[measure])
		}
	}
	for _, measure := range []string{"forge", "audit_append", "list", "list/tenant"} {
		if _, taken := results[measure]; !taken {
			t.Errorf("%s is missing", measure)
		}
	}
	if path := results["call_path"]; path.Ours.Allocs <= path.Peers["sandbox"].Allocs || path.Ours.Bytes <= path.Peers["sandbox"].Bytes {
		t.Errorf("the whole path allocates no more than the sandbox in it: %+v", path)
	}
	if got, want := results["list"].Note, "509 tools of 10000"; got != want {
		t.Errorf("the caller sees %s, want %s", got, want)
	}
	if !strings.Contains(stderr, "hermetic_call") || !strings.Contains(stderr, "100 % done") {
		t.Errorf("the progress reads %q", stderr)
	}
}

func TestSmokeOverHTTP(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the host and serves it")
	}
	stdout, stderr, err := run(t, "--output", "json", "--peers", "goja", "--scale", "0.1", "--measure", "http")
	if err != nil {
		t.Fatal(err, stderr)
	}
	var got report.Report
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	results := map[string]report.Result{}
	for _, r := range got.Results {
		results[r.Measure] = r
	}
	for _, measure := range []string{"http", "http_small"} {
		loads := results[measure].Load
		if len(loads) != 15 || loads[0].Served <= 0 || loads[0].P95 <= 0 || loads[14].Offered <= loads[7].Offered {
			t.Errorf("%s: %+v", measure, loads)
		}
	}
	if quiet := results["http_neighbour"].Load; len(quiet) != 2 || quiet[0].N == 0 || !strings.Contains(results["http_neighbour"].Note, "wanted at most") {
		t.Errorf("the noisy neighbour: %+v", results["http_neighbour"])
	}
	if call := results["http_call"]; call.Ratio["in_process"] <= 1 || !strings.Contains(call.Note, "p95 over HTTP") {
		t.Errorf("beside a call in process: %+v", call)
	}
}

func TestWrongFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--measure speed", `no measure "speed"; there are hermetic_call`},
		{"--peers deno", `no peer "deno"; there are goja`},
		{"--output xml", `--output is "xml"`},
		{"fast", `"fast" is not a flag`},
		{"--fast", "not defined: -fast"},
	} {
		_, _, err := run(t, strings.Fields(c.args)...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.args, err, c.want)
		}
		if _, usage := err.(usageError); !usage { //nolint:errorlint // it is returned as it is
			t.Errorf("%s is not taken for a mistake in the flags", c.args)
		}
	}
}

func TestHelp(t *testing.T) {
	_, stderr, err := run(t, "--help")
	if err != nil || !strings.Contains(stderr, "go run . --quick") || !strings.Contains(stderr, "hermetic_call") {
		t.Errorf("got %v and\n%s", err, stderr)
	}
}

func TestProgressLinesAreSparse(t *testing.T) {
	var out bytes.Buffer
	show := lines(&out, time.Hour)
	for i := range 100 {
		show("compute", float64(i)/100)
	}
	show("overrun", 1)
	if got, want := out.String(), "  0 % compute\n100 % overrun\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
