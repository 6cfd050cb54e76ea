package model

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
	"unicode"

	"example.com/toolsmith/runtime/tool"
)

// maxSaid is how many characters of a provider's words a message repeats.
const maxSaid = 300

// again is when what a provider did wrong may be over. Only faults that were not met with another try already name a time,
// unless the provider does.
const again = time.Second

const faulty = "the provider has a fault; try again later"

// passing is a fault that may be over soon.
func (s source) passing(format string, args ...any) *tool.Error {
	e := s.fault(format, args...)
	e.RetryAfter = again
	return e
}

// fault is something that the provider did wrong.
func (s source) fault(format string, args ...any) *tool.Error {
	return tool.Errorf(tool.Unavailable, "%s at %s %s", s.provider, s.host, fmt.Sprintf(format, args...))
}

// refused makes an error of an answer that is not a good one.
func (s source) refused(a answer) *tool.Error {
	said, _ := a.complaint()
	e := s.fault("refused the request with status %d%s", a.status, s.quoted(said))
	switch {
	case a.status == http.StatusUnauthorized, a.status == http.StatusForbidden: // the words of these may repeat the key
		e = s.fault("does not accept the key, or not for the model %s", clip(s.model))
		e.Hint = "check the key in the environment variable " + clip(s.keyEnv) + ", and what it may use"
		if s.keyEnv == "" {
			e.Hint = "none was sent: name the environment variable that holds one as apiKeyEnv"
		}
	case a.status == http.StatusTooManyRequests, a.status == http.StatusPaymentRequired:
		e.Code = tool.OverQuota
		e.Hint = "wait, or raise the quota with the provider"
		if d, ok := a.retryAfter(); ok {
			e.RetryAfter = d
			e.Hint = "the provider asks to wait " + d.String()
		}
	case a.status == http.StatusRequestTimeout, a.status == http.StatusConflict:
		e.Hint, e.RetryAfter = faulty, again
	case a.status >= 500: // exchange.post has tried again
		e.Hint = faulty
	case a.status >= 400:
		e.Code = tool.InvalidRequest
		if a.status == http.StatusNotFound {
			e.Hint = "check that there is a model " + clip(s.model) + " and that the base URL is right"
		}
	default:
		e = s.fault("answers with status %d; redirects are not followed", a.status)
		e.Hint = "check the base URL"
	}
	return e
}

// broken makes an error of a call that brought no answer.
func (s source) broken(ctx context.Context, err error) *tool.Error {
	if known, ok := errors.AsType[*tool.Error](err); ok {
		return known
	}
	_, unknown := errors.AsType[*net.DNSError](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	e := s.passing("broke off before its answer was complete")
	switch {
	case errors.Is(ctx.Err(), context.Canceled), errors.Is(err, context.Canceled):
		e = tool.Errorf(tool.Canceled, "the call to the model was canceled")
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded):
		e = tool.Errorf(tool.Timeout, "the model %s of %s did not answer in time", clip(s.model), s.provider)
	case unknown:
		e = s.fault("cannot be found: its name does not resolve")
	case errors.Is(err, syscall.ECONNREFUSED):
		e = s.passing("cannot be reached: nothing listens there")
	case untrusted:
		e = s.fault("cannot be trusted: its certificate is not valid for it")
	}
	e.Cause = err
	return e
}

// quoted is what a provider said, to be put at the end of a message: one short line, without the key, and never a page.
func (s source) quoted(said complaint) string {
	text := said.Message
	if lower := strings.ToLower(text); strings.Contains(lower, "<html") || strings.Contains(lower, "<!doctype") {
		return ""
	}
	if s.key != "" {
		text = strings.ReplaceAll(text, s.key, "[key]")
	}
	if text = line(text); text == "" {
		return ""
	}
	return ": " + text
}

// line makes one short line of what a provider said.
func line(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
	return cut(strings.Join(strings.Fields(text), " "), maxSaid)
}

// clip cuts what a message repeats of its own request to a readable length.
func clip(text string) string { return cut(text, 80) }

func cut(text string, most int) string {
	if runes := []rune(text[:min(len(text), 4*(most+1))]); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
