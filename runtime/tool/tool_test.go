package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
)

func TestCodesHaveFaces(t *testing.T) {
	t.Parallel()
	if n := len(tool.Codes()); n != 23 {
		t.Fatalf("%d codes, want 23: extend the table and this test together", n)
	}
	for _, c := range tool.Codes() {
		if !c.Known() || c.ExitStatus() < 1 || c.HTTPStatus() < 400 {
			t.Errorf("%s: exit %d, http %d", c, c.ExitStatus(), c.HTTPStatus())
		}
	}
	for _, c := range tool.Codes() {
		bare, own := &tool.Error{Code: c, Message: "m"}, &tool.Error{Code: c, Hint: "mine"}
		if got := bare.Hinted(); got.Hint == "" || got.Message != "m" || bare.Hint != "" || own.Hinted() != own {
			t.Errorf("%s: the hint is %q", c, got.Hint)
		}
	}
	if (*tool.Error)(nil).Hinted() != nil {
		t.Error("no error has a hint")
	}
	unknown := tool.Code("no_such")
	if unknown.Known() || unknown.ExitStatus() != 1 || unknown.HTTPStatus() != 500 {
		t.Error("an unknown code must read as a plain failure")
	}
}

func TestExitStatuses(t *testing.T) {
	t.Parallel()
	want := map[tool.Code]int{
		tool.Rejected: 4, tool.Denied: 3, tool.Timeout: 124, tool.OutOfFuel: 123, tool.OutOfMemory: 137,
		tool.StackOverflow: 125, tool.GuestError: 5, tool.Unsettled: 5, tool.InvalidSource: 7,
		tool.OverQuota: 6, tool.Limit: 6, tool.Canceled: 130, tool.Internal: 1,
	}
	for code, status := range want {
		if got := code.ExitStatus(); got != status {
			t.Errorf("%s exits with %d, want %d", code, got, status)
		}
	}
}

func TestErrorIsItsCode(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("calling: %w", tool.Errorf(tool.Denied, "no grant: %w", io.EOF))
	if !errors.Is(err, tool.Denied) || !errors.Is(err, io.EOF) || errors.Is(err, tool.Timeout) {
		t.Errorf("errors.Is does not see through %v", err)
	}
}

func TestAsError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   error
		want tool.Code
	}{
		"typed":    {tool.Errorf(tool.Limit, "x"), tool.Limit},
		"bare":     {fmt.Errorf("y: %w", tool.NotFound), tool.NotFound},
		"canceled": {context.Canceled, tool.Canceled},
		"deadline": {context.DeadlineExceeded, tool.Timeout},
		"other":    {io.EOF, tool.Internal},
	} {
		if got := tool.AsError(c.in); got.Code != c.want {
			t.Errorf("%s: %s, want %s", name, got.Code, c.want)
		}
	}
	if tool.AsError(nil) != nil {
		t.Error("nil must stay nil")
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]*tool.Error{
		"timeout":                       {Code: tool.Timeout},
		"invalid_output: bad (at /a/0)": {Code: tool.InvalidOutput, Message: "bad", Path: "/a/0"},
		"invalid_source: no eval (line 2, column 5)": {Code: tool.InvalidSource, Message: "no eval", Line: 2, Column: 5},
	} {
		if got := e.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestErrorJSONHidesTheCause(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(tool.Errorf(tool.Internal, "broken: %w", io.EOF))
	if err != nil || string(text) != `{"code":"internal","message":"broken: EOF"}` {
		t.Errorf("%s, %v", text, err)
	}
}

func TestLimitsDefaults(t *testing.T) {
	t.Parallel()
	if got := (tool.Limits{}).WithDefaults(); got != tool.DefaultLimits {
		t.Errorf("zero limits become %+v", got)
	}
	if got := (tool.Limits{Fuel: 7}).WithDefaults(); got.Fuel != 7 || got.Timeout != 5*time.Second {
		t.Errorf("a set field must stay: %+v", got)
	}
}

func TestLimitsValidate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limits tool.Limits
		ok     bool
	}{
		"zero":             {tool.Limits{}, true},
		"defaults":         {tool.DefaultLimits, true},
		"maxima":           {tool.MaxLimits, true},
		"long timeout":     {tool.Limits{Timeout: time.Minute + 1}, false},
		"negative timeout": {tool.Limits{Timeout: -1}, false},
		"much fuel":        {tool.Limits{Fuel: 1<<64 - 1}, false},
		"much memory":      {tool.Limits{MemoryBytes: 2 << 30}, false},
		"little memory":    {tool.Limits{MemoryBytes: 1 << 20}, false},
		"negative output":  {tool.Limits{OutputBytes: -1}, false},
		"many host calls":  {tool.Limits{HostCalls: 10_001}, false},
	} {
		err := c.limits.Validate()
		if (err == nil) != c.ok || (err != nil && !errors.Is(err, tool.InvalidRequest)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestErrorAsJSON(t *testing.T) {
	t.Parallel()
	for text, e := range map[string]tool.Error{
		`{"code":"not_found","message":"gone","path":"/a"}`:                                      {Code: tool.NotFound, Message: "gone", Path: "/a"},
		`{"code":"over_quota","message":"m","hint":"h","limit":"toolBytes","retryAfterMs":1501}`: {Code: tool.OverQuota, Message: "m", Hint: "h", Limit: "toolBytes", RetryAfter: 1500*time.Millisecond + 1},
	} {
		got, err := json.Marshal(&e)
		if err != nil || string(got) != text {
			t.Errorf("got %s, %v; want %s", got, err, text)
		}
		var back tool.Error
		e.RetryAfter = (e.RetryAfter + time.Millisecond - 1).Truncate(time.Millisecond)
		if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, e) {
			t.Errorf("read %+v, %v; want %+v", back, err, e)
		}
	}
	var plain strings.Builder
	encoder := json.NewEncoder(&plain)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(tool.Error{Code: tool.GuestError, Message: "a < b"}); err != nil || plain.String() != `{"code":"guest_error","message":"a < b"}`+"\n" {
		t.Errorf("got %s, %v", plain.String(), err)
	}
}
