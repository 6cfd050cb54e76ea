package report

import (
	"fmt"

	"example.com/toolsmith/bench/load"
)

// Load is what became of requests under one load. Rates are per second; times are in nanoseconds, and zero where nothing took any.
type Load struct {
	Name       string  `json:"name"`              // such as "8 clients", or "2.00 of capacity"
	Offered    float64 `json:"offered,omitempty"` // requests that arrive, where that is fixed
	Served     float64 `json:"served"`
	Refused    float64 `json:"refused"`
	Failed     int     `json:"failed,omitempty"`    // in all
	Complaint  string  `json:"complaint,omitempty"` // of the first that failed
	P50        float64 `json:"p50,omitempty"`       // of those served
	P95        float64 `json:"p95,omitempty"`
	P99        float64 `json:"p99,omitempty"`
	RefusedP95 float64 `json:"refusedP95,omitempty"`
	LateP95    float64 `json:"lateP95,omitempty"` // of the generator itself, which is not within the times
	N          int     `json:"n"`                 // served
	CPU        float64 `json:"cpu,omitempty"`     // of the server for each answer, where it is known
}

// DescribeLoad returns what a tally comes to.
func DescribeLoad(name string, offered float64, t *load.Tally) Load {
	l := Load{Name: name, Offered: offered, Served: t.PerSecond(t.Served.N()), Refused: t.PerSecond(t.Refused.N()), Failed: t.Failed, Complaint: t.Complaint, N: t.Served.N()}
	if offered > 0 && t.Late.N() > 0 {
		l.LateP95 = t.Late.Percentile(0.95)
	}
	if l.N > 0 {
		l.P50, l.P95, l.P99 = t.Served.Percentile(0.50), t.Served.Percentile(0.95), t.Served.Percentile(0.99)
	}
	if t.Refused.N() > 0 {
		l.RefusedP95 = t.Refused.Percentile(0.95)
	}
	return l
}

// loads shows a line for each load.
func loads(out *printer, list []Load) {
	rows := [][]string{{"", "offered/s", "served/s", "p50", "p95", "p99", "refused/s", "p95", "late p95", "cpu", "failed"}}
	for _, l := range list {
		row := []string{l.Name, CallsPerSecond.Show(l.Offered), CallsPerSecond.Show(l.Served)}
		for _, v := range []float64{l.P50, l.P95, l.P99} {
			row = append(row, Nanoseconds.Show(v))
		}
		row = append(row, CallsPerSecond.Show(l.Refused), Nanoseconds.Show(l.RefusedP95), Nanoseconds.Show(l.LateP95), Nanoseconds.Show(l.CPU), "")
		if l.Failed > 0 {
			row[len(row)-1] = fmt.Sprint(l.Failed)
		}
		rows = append(rows, row)
	}
	out.table(rows)
}
