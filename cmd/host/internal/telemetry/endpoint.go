package telemetry

import (
	"net/url"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Endpoint is where OpenTelemetry's variables have traces go over OTLP; nil is nowhere, and then the others do not matter. The error is
// InvalidRequest and names the variable that is wrong.
func Endpoint(getenv func(string) string) (*url.URL, error) {
	if !exports(getenv) {
		return nil, nil //nolint:nilnil // nowhere, and no error
	}
	name, text, path := "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), ""
	if text == "" {
		name, text, path = "OTEL_EXPORTER_OTLP_ENDPOINT", getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), "v1/traces"
	}
	if text == "" {
		text = "http://localhost:4318" // the standard's
	}
	if err := checkProtocol(getenv); err != nil {
		return nil, err
	}
	if err := checkVariables(getenv); err != nil {
		return nil, err
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		e := tool.Errorf(tool.InvalidRequest, "%s is not the address of a collector", name) // its text may hold a password
		e.Hint = "give http://HOST:4318 or https://HOST, or unset it"
		return nil, e
	}
	return u.JoinPath(path), nil
}

// checkProtocol refuses the protocol that collectors take at another port, where what is sent to it would be lost.
func checkProtocol(getenv func(string) string) error {
	name := "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
	if getenv(name) == "" {
		name = "OTEL_EXPORTER_OTLP_PROTOCOL"
	}
	switch protocol := getenv(name); protocol {
	case "", "http/protobuf", "http/json":
		return nil
	default:
		e := tool.Errorf(tool.InvalidRequest, "%s is %s: traces are sent over HTTP", name, tool.Quote(protocol))
		e.Hint = "give http/protobuf, and the port where the collector takes HTTP, mostly 4318; or unset it"
		return e
	}
}
