package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// newTraces exports spans over OTLP when the standard variables name an endpoint; else nil.
func newTraces(ctx context.Context, opt Options) (*sdktrace.TracerProvider, error) {
	if to, err := Endpoint(opt.Getenv); to == nil || err != nil {
		return nil, err
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		e := tool.Errorf(tool.InvalidRequest, "traces cannot be exported: %w", err)
		e.Hint = "mend OTEL_EXPORTER_OTLP_ENDPOINT, or unset it"
		return nil, e
	}
	about := resource.NewSchemaless(attribute.String("service.name", serviceName(opt.Getenv)), attribute.String("service.version", opt.Version))
	return sdktrace.NewTracerProvider(sdktrace.WithBatcher(validExporter{exporter}), sdktrace.WithResource(about), sdktrace.WithRawSpanLimits(spanLimits())), nil
}

// spanLimits are those of OpenTelemetry's variables. Attributes are bounded even where they say nothing: some are headers of requests.
func spanLimits() sdktrace.SpanLimits {
	const most = 1024 // characters
	limits := sdktrace.NewSpanLimits()
	if limits.AttributeValueLengthLimit < 0 {
		limits.AttributeValueLengthLimit = most
	}
	return limits
}

// exports reports whether OpenTelemetry's variables ask for traces over OTLP.
func exports(getenv func(string) string) bool {
	if getenv("OTEL_SDK_DISABLED") == "true" || getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != "" || getenv("OTEL_TRACES_EXPORTER") == "otlp"
}

func serviceName(getenv func(string) string) string {
	if name := getenv("OTEL_SERVICE_NAME"); name != "" {
		return name
	}
	return namespace
}

func (t *Telemetry) provider() trace.TracerProvider {
	if t.traces == nil {
		return noop.NewTracerProvider()
	}
	return t.traces
}

// about says on whose behalf a span is.
func about(c tool.Caller) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("toolsmith.tenant", c.Tenant), attribute.String("toolsmith.persona", c.Persona), attribute.String("toolsmith.session", c.Session),
	}
}

// end ends a span with its outcome.
func end(span trace.Span, err error) {
	span.SetAttributes(attribute.String("toolsmith.outcome", outcomeOf(err)))
	if err != nil {
		e := tool.AsError(err)
		span.SetAttributes(attribute.String("error.type", string(e.Code)))
		span.SetStatus(codes.Error, string(e.Code)) // the message may hold what a tool was given
	}
	span.End()
}

// call observes a call of a tool, as OpenTelemetry's conventions for generative AI name it.
func (t *Telemetry) call(ctx context.Context, c tool.Caller, name string) (context.Context, func(*runtime.CallResult, error)) {
	name = clip(name, tool.MaxNameBytes)
	ctx, span := t.tracer.Start(ctx, "execute_tool")
	if span.IsRecording() {
		span.SetName("execute_tool " + name)
		span.SetAttributes(about(c)...)
		span.SetAttributes(
			attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", name),
			attribute.String("gen_ai.tool.call.id", span.SpanContext().SpanID().String()),
		)
	}
	return ctx, func(r *runtime.CallResult, err error) {
		t.metrics.countCall(ctx, r, err)
		t.logCall(c, name, r, err)
		if !span.IsRecording() {
			return
		}
		span.SetAttributes(
			attribute.String("toolsmith.tier", tierOf(r.Tool)), attribute.Int64("toolsmith.fuel", int64(r.Stats.Fuel)), //nolint:gosec // G115: at most the greatest limit
			attribute.Int64("toolsmith.memory_peak_bytes", int64(r.Stats.PeakMemoryBytes)), attribute.Int("toolsmith.host_calls", r.Stats.HostCalls), //nolint:gosec // G115: likewise
		)
		end(span, err)
	}
}

// forge observes a request to forge.
func (t *Telemetry) forge(ctx context.Context, c tool.Caller) (context.Context, func(*forge.Result, error)) {
	began := time.Now()
	ctx, span := t.tracer.Start(ctx, "forge", trace.WithAttributes(about(c)...))
	return ctx, func(r *forge.Result, err error) {
		took := time.Since(began)
		t.metrics.countForge(ctx, r, took, err)
		t.logForge(c, r, took, err)
		span.SetAttributes(attribute.String("toolsmith.stage", string(r.Stage)))
		end(span, err)
	}
}

// model observes a call of a chat model.
func (t *Telemetry) model(ctx context.Context, purpose string) (context.Context, func(model.Reply, error)) {
	began := time.Now()
	ctx, span := t.tracer.Start(ctx, "chat "+purpose, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "chat"), attribute.String("toolsmith.purpose", purpose),
	))
	return ctx, func(r model.Reply, err error) {
		t.metrics.countModel(ctx, purpose, r, time.Since(began))
		span.SetAttributes(
			attribute.String("gen_ai.provider.name", r.Provider), attribute.String("gen_ai.response.model", r.Model),
			attribute.Int64("gen_ai.usage.input_tokens", r.Usage.InputTokens), attribute.Int64("gen_ai.usage.output_tokens", r.Usage.OutputTokens),
		)
		end(span, err)
	}
}
