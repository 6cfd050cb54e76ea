package telemetry

import (
	"context"
	"io"
	"log/slog"
	"regexp"
	"time"

	"github.com/hashicorp/go-hclog"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/tool"
)

// NewLogger makes the logger that a configuration asks for. Values under keys that look like those of secrets are left out.
func NewLogger(c config.Log, to io.Writer) hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{
		Name: namespace, Level: hclog.LevelFromString(c.Level), Output: to, JSONFormat: c.Format == "json",
	})
}

// secretKey matches the keys whose values are not logged.
var secretKey = regexp.MustCompile(`(?i)(key|token|secret|password|passwd|authorization|cookie|credential|signature)`)

// redactedText stands for what is not logged.
const redactedText = "[redacted]"

// publicKeys match secretKey and hold no secret.
var publicKeys = map[string]bool{"key_id": true, "input_tokens": true, "output_tokens": true, "tokens": true}

// redact returns pairs of keys and values with the values of secrets left out.
func redact(pairs ...any) []any {
	for i := 0; i+1 < len(pairs); i += 2 {
		if name, is := pairs[i].(string); is && secretKey.MatchString(name) && !publicKeys[name] {
			pairs[i+1] = redactedText
		}
	}
	return pairs
}

// levelOf is the level of an outcome, where others of its kind have the usual one: what failed for the host's reasons is an error. What
// a quota refused is counted, and logged for those alone who look closely: whoever asks too often does not fill the log as well.
func levelOf(outcome tool.Code, usual hclog.Level) hclog.Level {
	if outcome == tool.Internal {
		return hclog.Error
	}
	if outcome == tool.OverQuota {
		return hclog.Debug
	}
	return usual
}

// logCall logs a call: what a limit ended, or a policy denied, as a warning.
func (t *Telemetry) logCall(c tool.Caller, name string, r *runtime.CallResult, err error) {
	outcome, level := tool.Code(outcomeOf(err)), hclog.Debug
	if limits[outcome] || outcome == tool.Denied {
		level = hclog.Warn
	}
	level = levelOf(outcome, level)
	if !enabled(t.log, level) {
		return
	}
	t.log.Log(level, "call", redact(
		"tenant", c.Tenant, "persona", c.Persona, "session", c.Session, "tool", name, "hash", r.Tool.ID, "tier", tierOf(r.Tool), "outcome", string(outcome),
		"reason", reason(err), "duration_ms", r.Duration.Milliseconds(), "fuel", r.Stats.Fuel, "memory_peak_bytes", r.Stats.PeakMemoryBytes,
		"host_calls", r.Stats.HostCalls,
	)...)
}

// reason is what the log says of an error: the message of what the host decided; never what a guest threw.
func reason(err error) string {
	e := tool.AsError(err)
	if e == nil || e.Code == tool.GuestError || e.Code == tool.InvalidInput || e.Code == tool.InvalidOutput {
		return ""
	}
	const most = 240
	return clip(e.Message, most)
}

func (t *Telemetry) logForge(c tool.Caller, r *forge.Result, took time.Duration, err error) {
	name, id := "", ""
	if r.Tool != nil {
		name, id = r.Tool.Name, r.Tool.ID
	}
	outcome := forgeOutcome(r, err)
	t.log.Log(levelOf(tool.Code(outcome), hclog.Info), "forge", redact(
		"tenant", c.Tenant, "persona", c.Persona, "session", c.Session, "tool", name, "hash", id, "stage", string(r.Stage),
		"outcome", outcome, "duration_ms", took.Milliseconds(),
	)...)
}

func enabled(log hclog.Logger, level hclog.Level) bool {
	return log.GetLevel() != hclog.Off && level >= log.GetLevel()
}

// Slog lets what speaks slog write into a logger.
func Slog(to hclog.Logger) *slog.Logger { return slog.New(handler{log: to}) }

// handler is a slog.Handler over hclog: groups become dots in the keys.
type handler struct {
	log    hclog.Logger
	prefix string
	attrs  []any
}

func level(l slog.Level) hclog.Level {
	switch {
	case l >= slog.LevelError:
		return hclog.Error
	case l >= slog.LevelWarn:
		return hclog.Warn
	case l >= slog.LevelInfo:
		return hclog.Info
	}
	return hclog.Debug
}

func (h handler) Enabled(_ context.Context, l slog.Level) bool { return enabled(h.log, level(l)) }

func (h handler) Handle(_ context.Context, r slog.Record) error {
	pairs := append([]any{}, h.attrs...)
	r.Attrs(func(a slog.Attr) bool { pairs = appendAttr(pairs, h.prefix, a); return true })
	h.log.Log(level(r.Level), r.Message, redact(pairs...)...)
	return nil
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	h.attrs = append([]any{}, h.attrs...)
	for _, a := range attrs {
		h.attrs = appendAttr(h.attrs, h.prefix, a)
	}
	return h
}

func (h handler) WithGroup(name string) slog.Handler {
	if name != "" {
		h.prefix += name + "."
	}
	return h
}

// appendAttr adds an attribute, and the members of a group each.
func appendAttr(to []any, prefix string, a slog.Attr) []any {
	value := a.Value.Resolve()
	if value.Kind() != slog.KindGroup {
		if a.Equal(slog.Attr{}) {
			return to
		}
		return append(to, prefix+a.Key, value.Any())
	}
	if a.Key != "" {
		prefix += a.Key + "."
	}
	for _, member := range value.Group() {
		to = appendAttr(to, prefix, member)
	}
	return to
}
