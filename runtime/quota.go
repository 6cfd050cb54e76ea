package runtime

import (
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// Quota bounds what callers may do. A zero field is its default.
type Quota struct {
	Concurrent int // calls of one tenant at once, steps of pipelines not counted; 0 is 64
	PerMinute  int // calls of one session within a minute; 0 is 6,000
}

const (
	defaultConcurrent = 64
	defaultPerMinute  = 6000
)

func (q Quota) withDefaults() Quota {
	if q.Concurrent <= 0 {
		q.Concurrent = defaultConcurrent
	}
	if q.PerMinute <= 0 {
		q.PerMinute = defaultPerMinute
	}
	return q
}

// quota counts against a Quota.
type quota struct {
	most Quota

	mu      sync.Mutex
	running map[string]int // by tenant
	minute  int64          // since the Unix epoch
	calls   map[tool.Caller]int
}

// take lets a call begin, or says why not; whoever takes calls free when the call has ended.
func (q *quota) take(c tool.Caller, now time.Time) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if minute := now.Unix() / 60; minute != q.minute || q.calls == nil {
		q.minute, q.calls = minute, map[tool.Caller]int{}
	}
	if q.running == nil {
		q.running = map[string]int{}
	}
	switch {
	case q.running[c.Tenant] >= q.most.Concurrent:
		return overQuota("%d calls are running, which is all that a tenant may have at once", q.most.Concurrent, "wait for one to end, or raise maxConcurrentCalls")
	case q.calls[c] >= q.most.PerMinute:
		return overQuota("%d calls were made in this minute, which is all that a session may make", q.most.PerMinute, "wait a minute, or raise maxCallsPerMinute")
	}
	q.running[c.Tenant]++
	q.calls[c]++
	return nil
}

func (q *quota) free(tenant string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running[tenant]--; q.running[tenant] == 0 {
		delete(q.running, tenant)
	}
}

func overQuota(format string, most int, hint string) error {
	e := tool.Errorf(tool.OverQuota, format, most)
	e.Hint = hint
	return e
}
