package report_test

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/bench/load"
	"example.com/toolsmith/bench/report"
	"example.com/toolsmith/bench/stats"
)

// example is a report with a whole measure, a divided one, an absent peer and a failure.
func example(t *testing.T) *report.Report {
	t.Helper()
	call := report.Result{Measure: "hermetic_call", Unit: report.Nanoseconds, Ours: report.Describe([]float64{40_000, 50_000, 60_000})}
	call.Compare("goja", &stats.Pairs{Ours: []float64{50_000, 60_000}, Peer: []float64{100_000, 150_000}})
	part := report.Result{Measure: "compute/fib", Unit: report.Nanoseconds, Ours: report.Describe([]float64{2e6})}
	part.Compare("goja", &stats.Pairs{Ours: []float64{2e6}, Peer: []float64{8e6}})
	return &report.Report{
		Machine: report.ThisMachine(t.Context()),
		Contenders: []report.Contender{
			{Name: "ours", What: "us"},
			{Name: "goja", What: "them", Version: "v1"},
			{Name: "native", Absent: "no compiler"},
		},
		Results: []report.Result{call, report.Mean("compute", []report.Result{part}), part},
		Failed:  map[string]string{"density": "no /proc"},
	}
}

func TestJSONHasTheAgreedMembers(t *testing.T) {
	var out bytes.Buffer
	if err := example(t).WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Machine map[string]any
		Results []struct {
			Measure, Unit string
			Ours          map[string]float64
			Peers         map[string]map[string]float64
			Ratio         map[string]float64
		}
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, member := range []string{"cpu", "cores", "goos", "goarch", "go", "date"} {
		if got.Machine[member] == nil {
			t.Errorf("the machine has no %q", member)
		}
	}
	call := got.Results[0]
	if call.Measure != "hermetic_call" || call.Unit != "ns" {
		t.Errorf("the first result is %s in %s", call.Measure, call.Unit)
	}
	if call.Ours["p50"] != 50_000 || call.Ours["p99"] != 60_000 || call.Ours["n"] != 3 {
		t.Errorf("ours: %v", call.Ours)
	}
	if call.Peers["goja"]["p50"] != 125_000 || call.Peers["goja"]["p99"] != 150_000 {
		t.Errorf("goja: %v", call.Peers["goja"])
	}
	if r := call.Ratio["goja"]; math.Abs(r-0.45) > 1e-12 {
		t.Errorf("ratio %v, want 0.45", r)
	}
}

func TestTextShowsEverything(t *testing.T) {
	var out bytes.Buffer
	if err := example(t).WriteText(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"hermetic_call", "50.0 µs", "125.0 µs", "0.45", "compute, by part", "fib", "2.00 ms", "0.25",
		"native did not take part: no compiler", "density failed: no /proc",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing from\n%s", want, out.String())
		}
	}
}

func TestAllocationsShow(t *testing.T) {
	r := report.Report{Results: []report.Result{{
		Measure: "call_path", Unit: report.Nanoseconds, Ours: report.Figures{P50: 30, Bytes: 2305.6, Allocs: 21.1},
		Peers: map[string]report.Figures{"sandbox": {P50: 20, Bytes: 728, Allocs: 7}}, Ratio: map[string]float64{"sandbox": 1.5},
	}}}
	var out bytes.Buffer
	if err := r.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ours: 2,305 bytes in 21 allocations a call", "sandbox: 728 bytes in 7 allocations a call"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing from\n%s", want, out.String())
		}
	}
	out.Reset()
	if err := r.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), `"bytes": 728,`) || !strings.Contains(out.String(), `"allocs": 7`) {
		t.Errorf("the JSON lacks allocations: %s", out.String())
	}
}

func TestLoadsShow(t *testing.T) {
	tally := load.Tally{Took: 2 * time.Second, Failed: 3}
	for range 100 {
		tally.Served.Add(time.Millisecond)
		tally.Refused.Add(2 * time.Microsecond)
	}
	r := report.Report{Results: []report.Result{{
		Measure: "http", Unit: report.CallsPerSecond, Load: []report.Load{report.DescribeLoad("2.00 of capacity", 100, &tally), report.DescribeLoad("idle", 0, &load.Tally{Took: 1})},
		Note: "as wanted",
	}}}
	var out bytes.Buffer
	if err := r.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`2\.00 of capacity +100 +50 +1\.\d\d ms +1\.\d\d ms +1\.\d\d ms +50 +2\.0 µs +3\b`)
	if !line.MatchString(out.String()) || !strings.Contains(out.String(), "as wanted") {
		t.Errorf("it reads\n%s", out.String())
	}
	out.Reset()
	if err := r.WriteJSON(&out); err != nil || !strings.Contains(out.String(), `"refused": 50,`) {
		t.Errorf("%v: %s", err, out.String())
	}
}

func TestMean(t *testing.T) {
	part := func(ours, goja, native float64) report.Result {
		r := report.Result{Unit: report.Nanoseconds, Ours: report.Describe([]float64{ours})}
		r.Compare("goja", &stats.Pairs{Ours: []float64{ours}, Peer: []float64{goja}})
		if native > 0 {
			r.Compare("native", &stats.Pairs{Ours: []float64{ours}, Peer: []float64{native}})
		}
		return r
	}
	sum := report.Mean("compute", []report.Result{part(2, 4, 1), part(8, 64, 0)})
	if math.Abs(sum.Ours.P50-4) > 1e-9 {
		t.Errorf("ours %v, want 4", sum.Ours.P50)
	}
	if math.Abs(sum.Ratio["goja"]-0.25) > 1e-9 || math.Abs(sum.Peers["goja"].P50-16) > 1e-9 {
		t.Errorf("goja %v at %v, want 0.25 at 16", sum.Ratio["goja"], sum.Peers["goja"].P50)
	}
	if _, ok := sum.Ratio["native"]; ok {
		t.Error("a peer that lacks one part has a mean")
	}
}

func TestUnitsShow(t *testing.T) {
	for _, c := range []struct {
		unit report.Unit
		v    float64
		want string
	}{
		{report.Nanoseconds, 0, ""},
		{report.Nanoseconds, 999, "999 ns"},
		{report.Nanoseconds, 36_700, "36.7 µs"},
		{report.Nanoseconds, 1_250_000, "1.25 ms"},
		{report.Nanoseconds, 2.5e9, "2.50 s"},
		{report.CallsPerSecond, 26_999.5, "26,999"},
		{report.PerGiB, 1_234_567, "1,234,567"},
	} {
		if got := c.unit.Show(c.v); got != c.want {
			t.Errorf("%v %s shows as %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}
