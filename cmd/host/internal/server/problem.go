package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// Problem is what every failure looks like: a problem document (RFC 9457) with the members of a tool.Error. It never repeats
// what was sent.
type Problem struct { //nolint:errname // RFC 9457 calls it so
	Type   string `json:"type" doc:"Always about:blank: the code says what kind of problem it is." example:"about:blank"`
	Title  string `json:"title" doc:"The status, in words."`
	Status int    `json:"status" doc:"The HTTP status."`
	Detail string `json:"detail" doc:"What was wrong, for people and models."`

	Code         tool.Code       `json:"code" doc:"The stable name of what happened, such as invalid_input."`
	Path         string          `json:"path,omitempty" doc:"A JSON pointer to the offending place in the body, or /query, /path or /header and the name of the parameter."`
	Hint         string          `json:"hint,omitempty" doc:"How to mend it."`
	Line         int             `json:"line,omitempty" doc:"In the source of the tool, from 1."`
	Column       int             `json:"column,omitempty"`
	Snippet      string          `json:"snippet,omitempty" doc:"The offending line of the source."`
	Limit        string          `json:"limit,omitempty" doc:"The quota that is used up."`
	RetryAfterMs int64           `json:"retryAfterMs,omitempty" doc:"When the same may go well."`
	Name         string          `json:"name,omitempty" doc:"Of the error that a tool threw."`
	Stack        string          `json:"stack,omitempty"`
	Value        json.RawMessage `json:"value,omitempty" doc:"What a tool threw when that was no error."`
	Errors       []Mistake       `json:"errors,omitempty" doc:"The parameters that are wrong, when that is what is wrong."`
	Result       any             `json:"result,omitempty" doc:"What a forge found until then, or what a call measured."`

	headers http.Header
}

// Mistake is one thing that is wrong with a request.
type Mistake struct {
	Location string `json:"location" doc:"Such as query.limit."`
	Message  string `json:"message"`
}

// Error, GetStatus, GetHeaders and ContentType make a Problem what huma writes as it is.
func (p *Problem) Error() string { return string(p.Code) + ": " + p.Detail }

// GetStatus is the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders are those that go with the problem.
func (p *Problem) GetHeaders() http.Header { return p.headers }

// ContentType is that of problem documents.
func (p *Problem) ContentType(string) string { return problemType }

const problemType = "application/problem+json"

// retryAfter is what is waited for when nobody knows better.
const retryAfter = time.Second

// public is an error as callers may see it: faults of the host are theirs who run it.
func public(e *tool.Error) *tool.Error {
	if e == nil || e.Code != tool.Internal && (e.Code != tool.Unavailable || e.Cause == nil) {
		return e
	}
	text, hint := "the host has failed; its log says how", ""
	if e.Code == tool.Unavailable {
		text, hint = "something that the host needs is not there now", "try again later"
		if errors.Is(e, tiers.ErrHung) {
			text = unanswered
		}
	}
	return &tool.Error{Code: e.Code, Message: text, Hint: hint, RetryAfter: e.RetryAfter}
}

// problem makes a problem of an error, with the status of its code.
func (s *Server) problem(err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	e := tool.AsError(err)
	shown := public(e)
	if shown != e {
		s.opt.Logger.Error("a request failed", "code", e.Code, "error", err.Error())
	}
	return problemOf(shown)
}

func problemOf(e *tool.Error) *Problem {
	e = e.Hinted()
	p := &Problem{
		Type: "about:blank", Status: e.Code.HTTPStatus(), Detail: e.Message, Code: e.Code, Path: e.Path, Hint: e.Hint, Line: e.Line, Column: e.Column,
		Snippet: e.Snippet, Limit: e.Limit, Name: e.Name, Stack: e.Stack, Value: e.Value, headers: http.Header{},
	}
	if !p.Code.Known() {
		p.Code = tool.Internal
	}
	after := e.RetryAfter
	if after <= 0 && (p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable) {
		after = retryAfter
	}
	if after > 0 {
		p.headers.Set("Retry-After", strconv.FormatInt(ceil(after, time.Second), 10))
	}
	p.RetryAfterMs = ceil(after, time.Millisecond)
	return p.titled()
}

// ceil is how many units a duration takes, rounded up.
func ceil(d, unit time.Duration) int64 { return int64((d + unit - 1) / unit) }

// titled puts the status in words.
func (p *Problem) titled() *Problem {
	if p.Title = http.StatusText(p.Status); p.Title == "" {
		p.Title = "Client Closed Request" // 499
	}
	return p
}

// refuse makes a problem whose status is not that of its code.
func refuse(status int, code tool.Code, hint, format string, args ...any) *Problem {
	p := problemOf(&tool.Error{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint})
	p.Status = status
	return p.titled()
}

// AsError is the error that a problem tells of.
func (p *Problem) AsError() *tool.Error {
	e := &tool.Error{
		Code: p.Code, Message: p.Detail, Path: p.Path, Hint: p.Hint, Line: p.Line, Column: p.Column, Snippet: p.Snippet, Limit: p.Limit,
		Name: p.Name, Stack: p.Stack, Value: p.Value, RetryAfter: time.Duration(p.RetryAfterMs) * time.Millisecond,
	}
	if e.Code == "" {
		e.Code = tool.Internal
	}
	return e
}

// writeProblem answers with a problem.
func (s *Server) writeProblem(w http.ResponseWriter, p *Problem) {
	maps.Copy(w.Header(), p.headers)
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(p.Status)
	_, _ = w.Write(jsonText(p))
}

// jsonText is a value of our own as one line of JSON.
func jsonText(v any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err) // which the guard recovers
	}
	return text.Bytes()
}

// mistakenIn makes a problem of what is wrong with parameters and headers. Its path leads to the first.
func mistakenIn(wrong []Mistake) *Problem {
	p := problemOf(&tool.Error{
		Code: tool.InvalidRequest, Message: toldOf(wrong), Path: wrong[0].pointer(), Hint: "mend what errors names; the document at /openapi.json says what there is",
	})
	p.Errors = wrong
	return p
}

// mostTold is how many mistakes stand in the text of a problem, besides the list that has them all.
const mostTold = 3

func toldOf(wrong []Mistake) string {
	var told []string
	for _, m := range wrong[:min(len(wrong), mostTold)] {
		told = append(told, m.Location+": "+m.Message)
	}
	if more := len(wrong) - mostTold; more > 0 {
		told = append(told, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(told, "; ")
}

// pointer is the location as a JSON pointer, such as /query/limit.
func (m Mistake) pointer() string {
	in, name, _ := strings.Cut(m.Location, ".")
	return "/" + in + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

type mistakesKey struct{}

// mistakesOf are those that were found in the query of a request.
func mistakesOf(ctx context.Context) []Mistake {
	wrong, _ := ctx.Value(mistakesKey{}).([]Mistake)
	return wrong
}

// mistaken is huma's way of telling that parameters are wrong, besides those that are known to be. The values that it tells of are left
// out.
func mistaken(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
	if status >= http.StatusInternalServerError {
		return problemOf(public(&tool.Error{Code: tool.Internal}))
	}
	wrong := slices.Clone(mistakesOf(ctx.Context()))
	for _, err := range errs {
		if d, ok := errors.AsType[*huma.ErrorDetail](err); ok {
			wrong = append(wrong, Mistake{d.Location, d.Message})
		}
	}
	if len(wrong) == 0 {
		return refuse(status, tool.InvalidRequest, "the document at /openapi.json says what there is", "%s", message)
	}
	return mistakenIn(wrong)
}
