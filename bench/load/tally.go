package load

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"example.com/toolsmith/bench/stats"
)

// Tally is what became of requests. The zero value is empty; it is not safe for concurrent use.
type Tally struct {
	Served, Refused stats.Histogram // times until the answer: 200, or that there is too much to do
	Late            stats.Histogram // of the generator itself, between when requests were due and when they were sent: not within the times
	Failed          int             // everything else
	Complaint       string          // of the first that failed
	Took            time.Duration   // from the first request to the last answer
}

// PerSecond is the rate of so many.
func (t *Tally) PerSecond(n int) float64 { return float64(n) / t.Took.Seconds() }

// count enters an answer.
func (t *Tally) count(want []byte, status int, body []byte, err error, took time.Duration) {
	switch {
	case err == nil && status == http.StatusOK && bytes.Contains(body, want):
		t.Served.Add(took)
	case err == nil && (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable):
		t.Refused.Add(took)
	default:
		if t.Failed++; t.Failed == 1 {
			t.Complaint = fmt.Sprintf("status %d, %v: %.200s", status, err, body)
		}
	}
}

// Merge adds what became of other requests, at another time.
func (t *Tally) Merge(other *Tally) {
	t.Took += other.Took
	t.merge(other)
}

func (t *Tally) merge(other *Tally) {
	t.Served.Merge(&other.Served)
	t.Refused.Merge(&other.Refused)
	t.Late.Merge(&other.Late)
	if t.Failed == 0 {
		t.Complaint = other.Complaint
	}
	t.Failed += other.Failed
}
