package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// instruments are the metrics, by what they count. Names are in docs/observability.md.
type instruments struct {
	active, instances, imageBytes, diskFree metric.Int64ObservableGauge

	starts, calls, hostCalls, terminations, fuel, forges, tokens, promotions, quotas metric.Int64Counter
	startTime, callTime, forgeTime, judgeTime, appendTime, memory                    metric.Float64Histogram
}

// Bounds of the histograms: seconds from what a warm sandbox takes to the longest call, and bytes up to the most memory.
var (
	seconds   = []float64{0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}
	byteSizes = []float64{1 << 20, 2 << 20, 4 << 20, 8 << 20, 16 << 20, 32 << 20, 64 << 20, 128 << 20, 256 << 20, 512 << 20, 1 << 30}
)

func newInstruments(m metric.Meter) (*instruments, error) {
	var i instruments
	var failed error
	note := func(err error) { failed = errors.Join(failed, err) }
	for _, g := range []struct {
		to               *metric.Int64ObservableGauge
		name, unit, what string
	}{
		{&i.active, "sandbox_active", "", "Sandbox instances that run a call now."},
		{&i.instances, "sandbox_instances", "", "Sandbox instances that are alive, idle ones included."},
		{&i.imageBytes, "sandbox_image_bytes", "", "Memory of the images of tools that are kept."},
		{&i.diskFree, "disk_free_bytes", "", "What is free on the disk of the data directory."},
	} {
		made, err := m.Int64ObservableGauge(g.name, metric.WithDescription(g.what), metric.WithUnit(g.unit))
		*g.to = made
		note(err)
	}
	for _, c := range []struct {
		to         *metric.Int64Counter
		name, what string
	}{
		{&i.starts, "sandbox_starts", "Sandboxes, by how they came to be: loaded, restored or warm."},
		{&i.calls, "tool_calls", "Calls of tools, by tier and outcome."},
		{&i.hostCalls, "host_calls", "Uses of powers by tools, by API and outcome."},
		{&i.terminations, "terminations", "Calls that a limit ended, by which."},
		{&i.fuel, "fuel_used", "Fuel that calls used."},
		{&i.forges, "forge", "Requests to forge, by outcome and the stage that refused them."},
		{&i.tokens, "judge_tokens", "Tokens of models that judged, by direction."},
		{&i.promotions, "promotions", "Promotions, by tiers and outcome."},
		{&i.quotas, "quota_rejections", "What a quota refused, by limit."},
	} {
		made, err := m.Int64Counter(c.name, metric.WithDescription(c.what))
		*c.to = made
		note(err)
	}
	for _, h := range []struct {
		to               *metric.Float64Histogram
		name, unit, what string
		bounds           []float64
	}{
		{&i.startTime, "sandbox_start", "s", "Time until a sandbox is ready.", seconds},
		{&i.callTime, "tool_call", "s", "Time of calls of tools.", seconds},
		{&i.forgeTime, "forge_request", "s", "Time of requests to forge.", seconds},
		{&i.judgeTime, "judge", "s", "Time of models that judged.", seconds},
		{&i.appendTime, "audit_append", "s", "Time of changes with their audit entries, until they are on disk.", seconds},
		{&i.memory, "sandbox_memory", "By", "Peak memory of calls.", byteSizes},
	} {
		made, err := m.Float64Histogram(h.name, metric.WithDescription(h.what), metric.WithUnit(h.unit), metric.WithExplicitBucketBoundaries(h.bounds...))
		*h.to = made
		note(err)
	}
	return &i, failed
}

// allowed keeps the attributes of these names.
func allowed(names ...attribute.Key) attribute.Filter { return attribute.NewAllowKeysFilter(names...) }

func label(name, value string) attribute.KeyValue { return attribute.String(name, value) }

func with(labels ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(labels...))
}

// ok is the outcome of what succeeded; every other one is the code of an error.
const ok = "ok"

func outcomeOf(err error) string {
	if err == nil {
		return ok
	}
	return string(tool.AsError(err).Code)
}

// tierOf is the label of a tool's tier; tools that were not forged are the host's.
func tierOf(f runtime.Face) string {
	switch {
	case f.Tier != "":
		return string(f.Tier)
	case f.Name != "":
		return "host"
	}
	return "none"
}

// limits are the outcomes by which a limit ended a call. That its caller went away is none.
var limits = map[tool.Code]bool{
	tool.Timeout: true, tool.OutOfFuel: true, tool.OutOfMemory: true, tool.StackOverflow: true, tool.OutputTooLarge: true, tool.Limit: true,
}

func (i *instruments) countCall(ctx context.Context, r *runtime.CallResult, err error) {
	outcome := outcomeOf(err)
	i.calls.Add(ctx, 1, with(label("tier", tierOf(r.Tool)), label("outcome", outcome)))
	if r.Duration > 0 { // else it was refused before it ran
		i.callTime.Record(ctx, r.Duration.Seconds())
	}
	for _, use := range r.Uses {
		i.hostCalls.Add(ctx, int64(max(use.Count, 1)), with(label("api", use.API), label("outcome", use.Outcome)))
	}
	if limits[tool.Code(outcome)] {
		i.terminations.Add(ctx, 1, with(label("reason", outcome)))
	}
	if r.Stats.Fuel > 0 {
		i.fuel.Add(ctx, int64(r.Stats.Fuel)) //nolint:gosec // G115: at most the greatest limit
		i.memory.Record(ctx, float64(r.Stats.PeakMemoryBytes))
	}
	i.countQuota(ctx, err)
}

// countQuota counts what a quota refused.
func (i *instruments) countQuota(ctx context.Context, err error) {
	e := tool.AsError(err)
	if e == nil || e.Code != tool.OverQuota {
		return
	}
	i.quotas.Add(ctx, 1, with(label("limit", quotaOf(e))))
}

func (i *instruments) countForge(ctx context.Context, r *forge.Result, took time.Duration, err error) {
	i.forges.Add(ctx, 1, with(label("outcome", forgeOutcome(r, err)), label("stage", string(r.Stage))))
	i.forgeTime.Record(ctx, took.Seconds())
	i.countQuota(ctx, err)
}

func forgeOutcome(r *forge.Result, err error) string {
	if err == nil && r.Success {
		return "approved"
	}
	return outcomeOf(err)
}

func (i *instruments) countModel(ctx context.Context, purpose string, r model.Reply, took time.Duration) {
	if purpose != "judge" && purpose != "promotion" {
		return
	}
	i.judgeTime.Record(ctx, took.Seconds())
	i.tokens.Add(ctx, r.Usage.InputTokens, with(label("direction", "input")))
	i.tokens.Add(ctx, r.Usage.OutputTokens, with(label("direction", "output")))
}

// Started counts a sandbox: it is for wasmjs.Options.
func (t *Telemetry) Started(how wasmjs.Start, took time.Duration) {
	t.metrics.starts.Add(context.Background(), 1, with(label("kind", string(how))))
	t.metrics.startTime.Record(context.Background(), took.Seconds())
}

func (t *Telemetry) appended(_ int, took time.Duration) {
	t.metrics.appendTime.Record(context.Background(), took.Seconds())
}

// audited counts promotions, of which the log tells.
func (t *Telemetry) audited(e tool.AuditEvent) {
	outcome := ""
	switch e.EventType {
	case tool.Promoted:
		outcome = ok
	case tool.PromotionRejected:
		outcome = "rejected"
	case tool.PromotionFailed:
		outcome = "failed"
	default:
		return
	}
	var data struct{ From, To string }
	_ = json.Unmarshal(e.Data, &data) // what is not there is ""
	t.metrics.promotions.Add(context.Background(), 1, with(label("from", data.From), label("to", data.To), label("outcome", outcome)))
}

// quotaOf names the limit of a refusal.
func quotaOf(e *tool.Error) string {
	if e.Limit != "" {
		return e.Limit
	}
	return "other"
}
