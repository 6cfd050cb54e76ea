// Package telemetry makes metrics, traces and log lines of what a host does.
package telemetry

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	otelprom "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/exemplar"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/hashicorp/go-hclog"

	"example.com/toolsmith"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

const (
	namespace = "toolsmith" // begins the names of all metrics
	scope     = "example.com/toolsmith"
)

// Options are what a Telemetry is made of. The zero value keeps metrics, exports no traces and logs nothing.
type Options struct {
	Getenv  func(string) string // OpenTelemetry's standard variables; nil: none is set
	Version string              // of this program, for traces
	Log     hclog.Logger        // nil: nothing is logged
}

// Telemetry is told what a host does. It is safe for concurrent use.
type Telemetry struct {
	registry *prometheus.Registry
	metrics  *instruments
	meters   *sdkmetric.MeterProvider
	traces   *sdktrace.TracerProvider // nil when nothing is exported
	tracer   trace.Tracer
	log      hclog.Logger
}

// New makes a Telemetry. Traces are exported when the environment names an OTLP endpoint; the error is InvalidRequest when it
// cannot be used. What goes wrong within OpenTelemetry is logged by the Telemetry that was made last: a process has one place for it.
func New(ctx context.Context, opt Options) (*Telemetry, error) {
	t := &Telemetry{registry: prometheus.NewRegistry(), log: opt.Log}
	if t.log == nil {
		t.log = hclog.NewNullLogger()
	}
	if opt.Getenv == nil {
		opt.Getenv = func(string) string { return "" }
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(t.failed))
	t.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})) // the only ones yet
	exporter, err := otelprom.New(otelprom.WithRegisterer(t.registry), otelprom.WithNamespace(namespace), otelprom.WithoutScopeInfo(), otelprom.WithoutTargetInfo())
	if err != nil {
		return nil, tool.Errorf(tool.Internal, "the metrics: %w", err)
	}
	t.meters = sdkmetric.NewMeterProvider(sdkmetric.WithReader(exporter), sdkmetric.WithView(fewLabels, noSizes))
	if t.metrics, err = newInstruments(t.meters.Meter(scope)); err != nil {
		return nil, tool.Errorf(tool.Internal, "the metrics: %w", err)
	}
	if t.traces, err = newTraces(ctx, opt); err != nil {
		return nil, err
	}
	t.tracer = t.provider().Tracer(scope)
	return t, nil
}

// fewLabels keeps of how long requests take the labels that a client cannot choose, in the exemplars too.
var fewLabels = sdkmetric.NewView(sdkmetric.Instrument{Name: "http.server.request.duration"}, sdkmetric.Stream{
	AttributeFilter:                   allowed("http.request.method", "http.response.status_code", "http.route"),
	ExemplarReservoirProviderSelector: traceOnly,
})

// traceOnly makes exemplars that name a trace and nothing else: what a client sends is more than one may hold.
func traceOnly(a sdkmetric.Aggregation) exemplar.ReservoirProvider {
	usual := sdkmetric.DefaultExemplarReservoirProviderSelector(a)
	return func(labels attribute.Set) exemplar.Reservoir { return traceReservoir{usual(labels)} }
}

type traceReservoir struct{ exemplar.Reservoir }

// Offer implements exemplar.Reservoir.
func (r traceReservoir) Offer(ctx context.Context, at time.Time, value exemplar.Value, _ []attribute.KeyValue) {
	r.Reservoir.Offer(ctx, at, value, nil)
}

// noSizes leaves out how large requests and answers are.
var noSizes = sdkmetric.NewView(sdkmetric.Instrument{Name: "http.server.re*.body.size"}, sdkmetric.Stream{Aggregation: sdkmetric.AggregationDrop{}})

// Handler serves the metrics in the format of Prometheus.
func (t *Telemetry) Handler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, EnableOpenMetrics: true})
}

// Middleware measures and traces the requests of an HTTP server. A span carries on that of the client.
func (t *Telemetry) Middleware(next http.Handler) http.Handler {
	return otelhttp.NewHandler(routed(next), "http", otelhttp.WithMeterProvider(t.meters), otelhttp.WithTracerProvider(t.provider()),
		otelhttp.WithPropagators(propagation.TraceContext{}))
}

// routed notes the route of a request in its span, once that is known.
func routed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r)
		if route := r.Pattern[strings.Index(r.Pattern, " ")+1:]; route != "" {
			trace.SpanFromContext(r.Context()).SetAttributes(attribute.String("http.route", route))
		}
	})
}

// Engine lets the gauges of the sandbox tell the state of an engine.
func (t *Telemetry) Engine(stats func() wasmjs.EngineStats) error {
	_, err := t.meters.Meter(scope).RegisterCallback(func(_ context.Context, o metric.Observer) error {
		s := stats()
		o.ObserveInt64(t.metrics.active, int64(s.Instances-s.IdleInstances))
		o.ObserveInt64(t.metrics.instances, int64(s.Instances))
		o.ObserveInt64(t.metrics.imageBytes, s.ImageBytes)
		return nil
	}, t.metrics.active, t.metrics.instances, t.metrics.imageBytes)
	return err
}

// Disk lets a gauge tell how many bytes are free. Where that is not known it tells nothing.
func (t *Telemetry) Disk(free func() (bytes uint64, err error)) error {
	_, err := t.meters.Meter(scope).RegisterCallback(func(_ context.Context, o metric.Observer) error {
		if n, err := free(); err == nil && n <= math.MaxInt64 {
			o.ObserveInt64(t.metrics.diskFree, int64(n))
		}
		return nil
	}, t.metrics.diskFree)
	return err
}

// Observe makes a host with these options tell what it does. Who was told before is told still.
func (t *Telemetry) Observe(opt *toolsmith.Options) {
	opt.Observer = toolsmith.Observer{Call: t.call, Forge: t.forge, Model: t.model, Started: t.Started, Appended: t.appended}
	audited := opt.OnAudit
	opt.OnAudit = func(e tool.AuditEvent) {
		t.audited(e)
		if audited != nil {
			audited(e)
		}
	}
}

// Close exports what is left of the traces, until the context ends. What is lost then is told to the log: it is no fault of the host.
func (t *Telemetry) Close(ctx context.Context) {
	err := t.meters.Shutdown(ctx)
	if t.traces != nil {
		err = errors.Join(err, t.traces.Shutdown(ctx))
	}
	if err != nil {
		t.failed(err)
	}
}

// failed logs what went wrong within OpenTelemetry.
func (t *Telemetry) failed(err error) { t.log.Warn("OpenTelemetry failed", "error", err) }
