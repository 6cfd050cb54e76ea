package wasmjs

import (
	"context"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// job is one stay of the host inside the guest: booting, loading a tool, or a call. The goroutine that drives the
// instance owns it; only answers of host functions come from elsewhere, through a channel.
type job struct {
	ctx     context.Context //nolint:containedctx // host functions started by the guest run under the call's context
	budget  budget
	loading bool
	now     time.Time // guest clock at the start
	zone    *time.Location
	file    string // the tool's, as stack traces name it
	logs    logBook
	tell    func(Log) // of what the book gets; nil tells nobody
	host    hostCalls
}

// newBootJob is the job under which the engine itself and its library start: no tool is there yet, so the limits are
// wide.
func newBootJob() *job {
	limits := tool.Limits{Timeout: time.Minute, Fuel: tool.MaxLimits.Fuel}.WithDefaults()
	return newJob(context.Background(), limits, loadClock, time.UTC)
}

// loadClock is the guest's time while it boots and loads: fixed, so that an image depends on nothing but its source.
var loadClock = time.Unix(0, 0)

func newJob(ctx context.Context, limits tool.Limits, now time.Time, zone *time.Location) *job {
	return &job{ctx: ctx, budget: newBudget(ctx, limits, time.Now(), nil), loading: true, now: now, zone: zone}
}

// elapsed is the guest time since the job began; none passes while loading.
func (in *instance) elapsed() time.Duration {
	if in.job.loading {
		return 0
	}
	return in.job.budget.elapsed(int64(in.fuel.Get())) //nolint:gosec // an i64 as wasm hands it over
}

func hostClock(in *instance, stack []uint64) {
	stack[0] = uint64(in.job.now.UnixMicro() + in.elapsed().Microseconds()) //nolint:gosec // an i64 as wasm takes it
}

func hostElapsed(in *instance, stack []uint64) { stack[0] = uint64(in.elapsed()) } //nolint:gosec // never negative

func hostZone(in *instance, stack []uint64) {
	_, offset := time.Unix(int64(stack[0]), 0).In(in.job.zone).Zone() //nolint:gosec // an i64 as wasm hands it over
	stack[0] = uint64(uint32(offset))                                 //nolint:gosec // an i32 as wasm takes it
}

// unitsPerLine is what a console line costs in fuel, besides the guest's own work.
const unitsPerLine = 20

func hostLog(in *instance, stack []uint64) {
	level, at, length := uint32(stack[0]), uint32(stack[1]), uint32(stack[2]) //nolint:gosec // i32 values
	j := in.job
	j.budget.charge(unitsPerLine)
	known := len(j.logs.lines)
	j.logs.add(level, in.bytes(at, length), j.budget.limits.LogBytes)
	j.tellLogs(known)
	j.budget.look("logs", uint64(j.logs.bytes), uint64(j.budget.limits.LogBytes)) //nolint:gosec // both are positive
}

// tellLogs tells of the lines behind those that are known.
func (j *job) tellLogs(known int) {
	if j.tell == nil {
		return
	}
	for _, line := range j.logs.lines[known:] {
		j.tell(line)
	}
}

// begin readies the instance for a job.
func (in *instance) begin(j *job) {
	j.budget.memory, j.budget.turns = in.memoryBytes, in.turns
	in.job = j
	in.setMemoryLimit(j.budget.limits.MemoryBytes)
	in.setShared32(sharedOutputLimit, uint32(j.budget.limits.OutputBytes)) //nolint:gosec // capped by the limits
}

// stats are what the job has cost so far.
func (in *instance) stats() Stats {
	b := &in.job.budget
	return Stats{
		Fuel:            b.used(int64(in.fuel.Get())), //nolint:gosec // an i64 as wasm hands it over
		Wall:            time.Since(b.start),
		PeakMemoryBytes: in.memoryBytes(),
		HostCalls:       in.job.host.count,
	}
}

// timerDue is when the guest's next timer fires, in guest time since the call began.
func (in *instance) timerDue() (time.Duration, bool) {
	due := time.Duration(in.shared64(sharedTimerDue)) //nolint:gosec // bounded by the guest's largest delay
	return due, in.shared32(sharedHasTimer) != 0
}
