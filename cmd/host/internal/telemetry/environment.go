package telemetry

import (
	"crypto/tls"
	"crypto/x509"
	"net/url"
	"os"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"example.com/toolsmith/runtime/tool"
)

// variables are those of OpenTelemetry whose values are checked, by what they have to be. The library would go on with its own, and
// say so where nobody looks for it.
var variables = []struct {
	check func(value string) bool
	hint  string
	names []string
}{
	{within(1, 1_000_000), "give a number from 1 to 1000000, of milliseconds for a time", []string{
		"OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
		"OTEL_BSP_SCHEDULE_DELAY", "OTEL_BSP_EXPORT_TIMEOUT", "OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
	}},
	{within(-1, 1_000_000), "give a number from -1 to 1000000", []string{
		"OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_ATTRIBUTE_COUNT_LIMIT", "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT",
		"OTEL_SPAN_EVENT_COUNT_LIMIT", "OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT", "OTEL_SPAN_LINK_COUNT_LIMIT", "OTEL_LINK_ATTRIBUTE_COUNT_LIMIT",
	}},
	{headers, "give NAME=VALUE,NAME=VALUE, with %XX for what is special in a value", []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"}},
	{compression, "give gzip or none", []string{"OTEL_EXPORTER_OTLP_COMPRESSION", "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION"}},
	{certificates, "give a file with certificates, PEM", []string{"OTEL_EXPORTER_OTLP_CERTIFICATE", "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE"}},
	{sampler, "give always_on, always_off or traceidratio, perhaps with parentbased_ before it", []string{"OTEL_TRACES_SAMPLER"}},
}

// checkVariables refuses what OpenTelemetry could not use. Values may be secrets, and are not repeated.
func checkVariables(getenv func(string) string) error {
	for _, v := range variables {
		for _, name := range v.names {
			if value := strings.TrimSpace(getenv(name)); value != "" && !v.check(value) {
				return unusable(name, v.hint)
			}
		}
	}
	if err := checkRatio(getenv); err != nil {
		return err
	}
	for _, of := range []string{"OTEL_EXPORTER_OTLP_", "OTEL_EXPORTER_OTLP_TRACES_"} {
		cert, key := strings.TrimSpace(getenv(of+"CLIENT_CERTIFICATE")), strings.TrimSpace(getenv(of+"CLIENT_KEY"))
		if _, err := tls.LoadX509KeyPair(cert, key); (cert != "" || key != "") && err != nil {
			return unusable(of+"CLIENT_CERTIFICATE", "give a file with a certificate, PEM, and one with its key as "+of+"CLIENT_KEY")
		}
	}
	return nil
}

// checkRatio checks the share of traces that is exported, where the sampler has one.
func checkRatio(getenv func(string) string) error {
	const name = "OTEL_TRACES_SAMPLER_ARG"
	value := strings.TrimSpace(getenv(name))
	if value == "" || !strings.HasSuffix(strings.ToLower(strings.TrimSpace(getenv("OTEL_TRACES_SAMPLER"))), "traceidratio") {
		return nil
	}
	if ratio, err := strconv.ParseFloat(value, 64); err != nil || !(ratio >= 0 && ratio <= 1) { // nor NaN
		return unusable(name, "give a number from 0 to 1")
	}
	return nil
}

func unusable(name, hint string) error {
	e := tool.Errorf(tool.InvalidRequest, "%s is nothing that can be used", name)
	e.Hint = hint + "; or unset it"
	return e
}

func within(least, most int) func(string) bool {
	return func(value string) bool {
		n, err := strconv.Atoi(value)
		return err == nil && n >= least && n <= most
	}
}

func compression(value string) bool { return value == "gzip" || value == "none" }

func sampler(value string) bool {
	switch strings.TrimPrefix(strings.ToLower(value), "parentbased_") {
	case "always_on", "always_off", "traceidratio":
		return true
	}
	return false
}

func headers(value string) bool {
	for pair := range strings.SplitSeq(value, ",") {
		name, text, found := strings.Cut(pair, "=")
		plain, err := url.PathUnescape(text)
		if !found || !httpguts.ValidHeaderFieldName(strings.TrimSpace(name)) || err != nil || !httpguts.ValidHeaderFieldValue(strings.TrimSpace(plain)) {
			return false
		}
	}
	return true
}

func certificates(file string) bool {
	text, err := os.ReadFile(file)
	return err == nil && x509.NewCertPool().AppendCertsFromPEM(text)
}
