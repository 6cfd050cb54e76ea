package telemetry

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// validExporter exports spans whose text is valid UTF-8, whatever clients have sent: one text that is not makes the export of
// all that goes with it fail.
type validExporter struct{ sdktrace.SpanExporter }

// ExportSpans implements sdktrace.SpanExporter.
func (v validExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	valid := make([]sdktrace.ReadOnlySpan, len(spans))
	for i, s := range spans {
		valid[i] = validSpan{s}
	}
	return v.SpanExporter.ExportSpans(ctx, valid)
}

// validSpan is a span with the texts that it holds made valid.
type validSpan struct{ sdktrace.ReadOnlySpan }

// Name implements sdktrace.ReadOnlySpan.
func (s validSpan) Name() string { return validText(s.ReadOnlySpan.Name()) }

// Attributes implements sdktrace.ReadOnlySpan.
func (s validSpan) Attributes() []attribute.KeyValue {
	all := s.ReadOnlySpan.Attributes()
	if !slices.ContainsFunc(all, broken) {
		return all
	}
	all = slices.Clone(all)
	for i, a := range all {
		if broken(a) {
			all[i].Value = attribute.StringValue(validText(a.Value.AsString()))
		}
	}
	return all
}

// broken reports whether an attribute is a text that is not valid.
func broken(a attribute.KeyValue) bool {
	return a.Value.Type() == attribute.STRING && !utf8.ValidString(a.Value.AsString())
}

func validText(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// clip is the beginning of a text that a caller has sent, valid and long enough for every name.
func clip(text string, most int) string { return validText(text[:min(len(text), most)]) }
