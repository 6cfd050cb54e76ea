package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// choose puts text into a flag that takes one of a few words.
func choose[T ~string](to *T, text string, words ...T) error {
	if !slices.Contains(words, T(text)) {
		last := len(words) - 1
		most := make([]string, 0, last)
		for _, w := range words[:last] {
			most = append(most, string(w))
		}
		return fmt.Errorf("it is %s or %s", strings.Join(most, ", "), words[last])
	}
	*to = T(text)
	return nil
}

// format is the value of --output.
type format string

const (
	asText format = "text"
	asJSON format = "json"
)

// String, Set and Type make format a flag.
func (f *format) String() string { return string(*f) }

// Set takes text or json.
func (f *format) Set(text string) error { return choose(f, text, asText, asJSON) }

// Type is what help calls the value.
func (f *format) Type() string { return "FORM" }

// language is the value of --language.
type language string

// String is empty while the flag is not given.
func (l *language) String() string { return string(*l) }

// Set takes js or ts.
func (l *language) Set(text string) error { return choose(l, text, "js", "ts") }

// Type is what help calls the value.
func (l *language) Type() string { return "LANGUAGE" }

// zone is the value of --timezone.
type zone string

// String is empty while the flag is not given.
func (z *zone) String() string { return string(*z) }

// Set takes the IANA name of a time zone, but not that of this machine: results would depend on it.
func (z *zone) Set(text string) error {
	if _, err := time.LoadLocation(text); err != nil || text == "" || text == "Local" {
		return errors.New("there is no such time zone; write it as in Europe/Berlin")
	}
	*z = zone(text)
	return nil
}

// Type is what help calls the value.
func (z *zone) Type() string { return "ZONE" }

// instant is a flag that takes a point in time.
type instant time.Time

// String is empty while the flag is not given.
func (i *instant) String() string {
	if time.Time(*i).IsZero() {
		return ""
	}
	return time.Time(*i).Format(time.RFC3339Nano)
}

// Set reads a time as RFC 3339 writes it.
func (i *instant) Set(text string) error {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || t.IsZero() {
		return errors.New("write it as in 2026-01-31T12:00:00Z")
	}
	*i = instant(t)
	return nil
}

// Type is what help calls the value.
func (i *instant) Type() string { return "TIME" }

// filled is a flag that takes text, but not none: a variable of a shell that is not set must not mean the default.
type filled string

// String is empty while the flag is not given.
func (t *filled) String() string { return string(*t) }

// Set takes any text but the empty one.
func (t *filled) Set(text string) error {
	if text == "" {
		return errors.New("it is empty; leave the flag out for the default")
	}
	*t = filled(text)
	return nil
}

// Type is what help calls the value.
func (t *filled) Type() string { return "TEXT" }
