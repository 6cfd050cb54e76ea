package tool

import (
	"fmt"
	"time"
)

// Limits bounds one call. A zero field means its default; nothing means unlimited.
type Limits struct {
	Timeout     time.Duration // wall clock; default 5 s, at most 60 s
	Fuel        uint64        // metered units of about 10 ns; default 1e9, at most 1e10
	MemoryBytes uint64        // whole guest memory; default 128 MiB, at most 1 GiB
	SourceBytes int           // the tool's source; default 64 KiB, at most 256 KiB
	InputBytes  int           // the input's JSON text; default 1 MiB, at most 16 MiB
	OutputBytes int           // the output's JSON text; default 1 MiB, at most 16 MiB
	LogBytes    int           // the first bytes of console output that are kept; default 64 KiB, at most 1 MiB
	HostCalls   int           // requests to asynchronous host functions; default 256, at most 10,000
}

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

// DefaultLimits are what a zero field of Limits stands for.
var DefaultLimits = Limits{
	Timeout: 5 * time.Second, Fuel: 1e9, MemoryBytes: 128 * mib, SourceBytes: 64 * kib,
	InputBytes: mib, OutputBytes: mib, LogBytes: 64 * kib, HostCalls: 256,
}

// MaxLimits are the largest values that Validate lets through.
var MaxLimits = Limits{
	Timeout: time.Minute, Fuel: 1e10, MemoryBytes: gib, SourceBytes: 256 * kib,
	InputBytes: 16 * mib, OutputBytes: 16 * mib, LogBytes: mib, HostCalls: 10_000,
}

// MinMemoryBytes is the least memory cap that makes sense: below it the engine's own image does not fit.
const MinMemoryBytes = 4 * mib

// WithDefaults returns l with every zero field replaced by its default.
func (l Limits) WithDefaults() Limits {
	d := DefaultLimits
	l.Timeout = orDefault(l.Timeout, d.Timeout)
	l.Fuel = orDefault(l.Fuel, d.Fuel)
	l.MemoryBytes = orDefault(l.MemoryBytes, d.MemoryBytes)
	l.SourceBytes = orDefault(l.SourceBytes, d.SourceBytes)
	l.InputBytes = orDefault(l.InputBytes, d.InputBytes)
	l.OutputBytes = orDefault(l.OutputBytes, d.OutputBytes)
	l.LogBytes = orDefault(l.LogBytes, d.LogBytes)
	l.HostCalls = orDefault(l.HostCalls, d.HostCalls)
	return l
}

func orDefault[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}

// Validate returns an *Error of code InvalidRequest that names the first limit out of its range.
func (l Limits) Validate() error {
	m := MaxLimits
	for _, c := range []struct {
		name     string
		value    int64
		min, max int64
	}{
		{"timeout", int64(l.Timeout), 0, int64(m.Timeout)},
		{"fuel", clamp(l.Fuel), 0, clamp(m.Fuel)},
		{"memory", clamp(l.MemoryBytes), 0, clamp(m.MemoryBytes)},
		{"source", int64(l.SourceBytes), 0, int64(m.SourceBytes)},
		{"input", int64(l.InputBytes), 0, int64(m.InputBytes)},
		{"output", int64(l.OutputBytes), 0, int64(m.OutputBytes)},
		{"logs", int64(l.LogBytes), 0, int64(m.LogBytes)},
		{"hostCalls", int64(l.HostCalls), 0, int64(m.HostCalls)},
	} {
		if c.value < c.min || c.value > c.max {
			return outOfRange(c.name, c.value, c.max)
		}
	}
	if l.MemoryBytes != 0 && l.MemoryBytes < MinMemoryBytes {
		return &Error{
			Code: InvalidRequest, Message: fmt.Sprintf("the memory limit of %d bytes is below the least, %d", l.MemoryBytes, MinMemoryBytes),
			Hint: "give at least 4Mi, or leave it out for the default",
		}
	}
	return nil
}

func outOfRange(name string, value, most int64) *Error {
	shown, bound := fmt.Sprint(value), fmt.Sprint(most)
	if name == "timeout" {
		shown, bound = time.Duration(value).String(), time.Duration(most).String()
	}
	return &Error{
		Code:    InvalidRequest,
		Message: fmt.Sprintf("the %s limit %s is not above zero and at most %s", name, shown, bound),
		Hint:    "give a value within the range, or leave it out for the default",
	}
}

func clamp(v uint64) int64 {
	const most = 1<<63 - 1
	return int64(min(v, most))
}
