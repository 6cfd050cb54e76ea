package telemetry_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/toolsmith/cmd/host/internal/telemetry"
	"example.com/toolsmith/runtime/tool"
)

// What OpenTelemetry could not use is refused by the name of its variable, and its value, which may be a secret, is not repeated.
func TestVariables(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "secret.pem")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	const traces, ratio = "OTEL_EXPORTER_OTLP_TRACES_", "OTEL_TRACES_SAMPLER_ARG"
	for _, c := range []struct {
		name        string
		good, wrong []string
	}{
		{"OTEL_EXPORTER_OTLP_TIMEOUT", []string{"", "10000", " 5 "}, []string{"abc", "0", "-1", "10s", "99999999999"}},
		{traces + "TIMEOUT", []string{"1"}, []string{"abc"}},
		{"OTEL_EXPORTER_OTLP_HEADERS", []string{"a=b", "a=b, c=d%20e", "a="}, []string{"a", "secret", "a=secret,b", "=secret", "a b=secret", "a=secret%", "a=secret%0ab", "a=b,"}},
		{traces + "HEADERS", []string{"a=b"}, []string{"a"}},
		{"OTEL_EXPORTER_OTLP_COMPRESSION", []string{"gzip", "none"}, []string{"zstd", "GZIP"}},
		{traces + "COMPRESSION", nil, []string{"x"}},
		{"OTEL_EXPORTER_OTLP_CERTIFICATE", nil, []string{"secret/none.pem", empty}},
		{traces + "CERTIFICATE", nil, []string{empty}},
		{"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", nil, []string{empty}},
		{"OTEL_TRACES_SAMPLER", []string{"always_on", "parentbased_traceidratio", "ALWAYS_OFF"}, []string{"nope", "parentbased_", "parentbased_nope"}},
		{"OTEL_BSP_SCHEDULE_DELAY", []string{"5000"}, []string{"abc", "0"}},
		{"OTEL_BSP_EXPORT_TIMEOUT", []string{"30000"}, []string{"abc"}},
		{"OTEL_BSP_MAX_QUEUE_SIZE", []string{"2048"}, []string{"abc", "-1", "9000000000000000000"}},
		{"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", []string{"512"}, []string{"abc"}},
		{"OTEL_SPAN_LINK_COUNT_LIMIT", []string{"0", "-1"}, []string{"abc", "-2"}},
		{ratio, []string{"whatever"}, nil}, // the sampler has none
	} {
		for _, value := range c.good {
			if err := checked(map[string]string{c.name: value}); err != nil {
				t.Errorf("%s=%q: %v", c.name, value, err)
			}
		}
		for _, value := range c.wrong {
			if err := checked(map[string]string{c.name: value}); !names(err, c.name) {
				t.Errorf("%s=%q: %v", c.name, value, err)
			}
			if _, err := telemetry.Endpoint(func(name string) string { return map[string]string{c.name: value}[name] }); err != nil {
				t.Errorf("%s=%q, and nothing is exported: %v", c.name, value, err)
			}
		}
	}
	for value, good := range map[string]bool{"": true, "0": true, "0.5": true, "1": true, "1.1": false, "-1": false, "NaN": false, "abc": false} {
		err := checked(map[string]string{"OTEL_TRACES_SAMPLER": "traceidratio", ratio: value})
		if good && err != nil || !good && !names(err, ratio) {
			t.Errorf("a ratio of %q: %v", value, err)
		}
	}
}

// checked is what is wrong with an environment in which traces are exported.
func checked(env map[string]string) error {
	env["OTEL_TRACES_EXPORTER"] = "otlp"
	_, err := telemetry.Endpoint(func(name string) string { return env[name] })
	return err
}

func names(err error, variable string) bool {
	return errors.Is(err, tool.InvalidRequest) && strings.Contains(err.Error(), variable+" ") && tool.AsError(err).Hint != "" &&
		!strings.Contains(err.Error(), "secret")
}
