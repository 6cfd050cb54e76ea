package telemetry_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/toolsmith/cmd/host/internal/telemetry"
	"example.com/toolsmith/runtime/tool"
)

func TestEndpoint(t *testing.T) {
	t.Parallel()
	const all, traces = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	const protocol, tracesProtocol = "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
	for _, c := range []struct {
		env  map[string]string
		want string // what is wrong, when it is the name of a variable
	}{
		{nil, ""},
		{map[string]string{all: "http://c:4318"}, "http://c:4318/v1/traces"},
		{map[string]string{all: "https://c/otlp/"}, "https://c/otlp/v1/traces"},
		{map[string]string{all: "http://c:4318", traces: "https://t/x"}, "https://t/x"},
		{map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, "http://localhost:4318/v1/traces"},
		{map[string]string{all: "nonsense", "OTEL_SDK_DISABLED": "true"}, ""},
		{map[string]string{all: "nonsense", "OTEL_TRACES_EXPORTER": "none"}, ""},
		{map[string]string{all: "collector:4318"}, all},
		{map[string]string{all: "http://"}, all},
		{map[string]string{all: "grpc://c:4317"}, all},
		{map[string]string{all: "http://user:secret@c:port"}, all},
		{map[string]string{all: "http://c:4318", traces: ":"}, traces},
		{map[string]string{all: "http://c:4318", protocol: "http/protobuf"}, "http://c:4318/v1/traces"},
		{map[string]string{all: "http://c:4318", protocol: "grpc", tracesProtocol: "http/json"}, "http://c:4318/v1/traces"},
		{map[string]string{all: "http://c:4317", protocol: "grpc"}, protocol},
		{map[string]string{all: "http://c:4317", tracesProtocol: "grpc"}, tracesProtocol},
		{map[string]string{protocol: "grpc"}, ""},
	} {
		got, text := "", ""
		u, err := telemetry.Endpoint(func(name string) string { return c.env[name] })
		if u != nil {
			got = u.String()
		}
		if err != nil {
			text = err.Error()
		}
		if strings.HasPrefix(c.want, "OTEL_") {
			if !errors.Is(err, tool.InvalidRequest) || !strings.Contains(text, c.want+" ") || strings.Contains(text, "secret") {
				t.Errorf("%v: %q, %v", c.env, got, err)
			}
		} else if got != c.want || err != nil {
			t.Errorf("%v: %q, %v", c.env, got, err)
		}
	}
	broken := telemetry.Options{Getenv: func(name string) string { return map[string]string{all: "nonsense"}[name] }}
	if _, err := telemetry.New(t.Context(), broken); !errors.Is(err, tool.InvalidRequest) {
		t.Errorf("traces that go nowhere: %v", err)
	}
}
