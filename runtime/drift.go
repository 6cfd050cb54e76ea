package runtime

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// drift remembers how forged tools used to behave, to tell when one begins to behave otherwise. What it remembers is lost
// with the process; the counts of uses and failures are kept on the shelf.
type drift struct {
	mu    sync.Mutex
	tools map[[2]string]*habit // by tenant and id
}

// habit is how a tool used to behave.
type habit struct {
	uses     int
	shapes   map[uint64]bool // of its outputs
	mean, m2 float64         // of the milliseconds its calls took: Welford's running mean and sum of squared differences
	failures float64         // part of the calls that failed, with later ones weighing more
}

const (
	maxHabits   = 10_000
	maxShapes   = 32
	driftAfter  = 20   // uses until anything counts as unusual
	driftSigmas = 6    // standard deviations from the mean
	driftMillis = 50   // and so many milliseconds at least
	failureRate = 0.5  // of late
	failureStep = 0.05 // weight of the latest call
)

// look takes a call into account, and says in its verdict what was unusual about it. shape is that of its output.
func (d *drift) look(tenant, id string, shape uint64, result *CallResult, failure error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tools == nil || len(d.tools) >= maxHabits {
		d.tools = map[[2]string]*habit{}
	}
	k := [2]string{tenant, id}
	if d.tools[k] == nil {
		d.tools[k] = &habit{shapes: map[uint64]bool{}}
	}
	reasons := d.tools[k].unusual(shape, tool.Millis(result.Duration), failure)
	d.tools[k].learn(shape, result.Duration, failure)
	result.Reuse.Anomaly, result.Reuse.AnomalyReason = len(reasons) > 0, strings.Join(reasons, "; ")
}

func (h *habit) unusual(shape uint64, millis float64, failure error) (reasons []string) {
	if h.uses < driftAfter {
		return nil
	}
	if failure == nil && len(h.shapes) < maxShapes && !h.shapes[shape] {
		reasons = append(reasons, "an output of a shape that none had before")
	}
	deviation := math.Sqrt(h.m2 / float64(h.uses))
	if millis > h.mean+max(driftSigmas*deviation, driftMillis) {
		reasons = append(reasons, fmt.Sprintf("it took %.0f ms, and %.0f ms on average before", millis, h.mean))
	}
	if h.failures >= failureRate {
		reasons = append(reasons, fmt.Sprintf("%.0f %% of its latest calls failed", 100*h.failures))
	}
	return reasons
}

func (h *habit) learn(shape uint64, took time.Duration, failure error) {
	h.uses++
	delta := tool.Millis(took) - h.mean
	h.mean += delta / float64(h.uses)
	h.m2 += delta * (tool.Millis(took) - h.mean)
	failed := 0.0
	if failure != nil {
		failed = 1
	} else if len(h.shapes) < maxShapes {
		h.shapes[shape] = true
	}
	h.failures += failureStep * (failed - h.failures)
}
