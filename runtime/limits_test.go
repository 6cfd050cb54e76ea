package runtime_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

// What a policy sets holds: a request may ask for less, and gets no more.
func TestPolicyLimits(t *testing.T) {
	t.Parallel()
	const endless, echo = "function execute() { for (;;); }", "function execute(i) { return i }"
	set := func(l tool.Limits) *policy.Policy { return &policy.Policy{Limits: l} }
	large := []byte(`"` + strings.Repeat("x", 2<<20) + `"`)
	for name, c := range map[string]struct {
		request runtime.Request
		code    tool.Code // "" = a result
		message string
	}{
		"asks for nothing": {runtime.Request{Code: endless, Policy: set(tool.Limits{Fuel: 1e6})}, tool.OutOfFuel, "1000000 units"},
		"asks for more":    {runtime.Request{Code: endless, Limits: tool.Limits{Fuel: 1e9}, Policy: set(tool.Limits{Fuel: 1e6})}, tool.OutOfFuel, "1000000 units"},
		"asks for less":    {runtime.Request{Code: endless, Limits: tool.Limits{Fuel: 2e5}, Policy: set(tool.Limits{Fuel: 1e6})}, tool.OutOfFuel, "200000 units"},
		"time":             {runtime.Request{Code: endless, Policy: set(tool.Limits{Timeout: 150 * time.Millisecond})}, tool.Timeout, "150 ms"},
		"source":           {runtime.Request{Code: echo + strings.Repeat(" ", 99), Policy: set(tool.Limits{SourceBytes: 100})}, tool.InvalidSource, "at most 100"},
		"input":            {runtime.Request{Code: echo, Input: []byte(`"0123456789"`), Policy: set(tool.Limits{InputBytes: 10})}, tool.InvalidInput, ""},
		"output":           {runtime.Request{Code: echo, Input: []byte(`"0123456789"`), Policy: set(tool.Limits{OutputBytes: 10})}, tool.OutputTooLarge, ""},
		"above the usual":  {runtime.Request{Code: echo, Input: large, Policy: set(tool.Limits{InputBytes: 4 << 20, OutputBytes: 4 << 20})}, "", ""},
		"the usual":        {runtime.Request{Code: echo, Input: large, Policy: set(tool.Limits{})}, tool.InvalidInput, ""},
		"out of range":     {runtime.Request{Code: echo, Policy: set(tool.Limits{Fuel: 1e12})}, tool.InvalidRequest, "fuel"},
		"negative":         {runtime.Request{Code: echo, Policy: set(tool.Limits{HostCalls: -1}), Limits: tool.Limits{HostCalls: 1}}, tool.InvalidRequest, "hostCalls"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.request.Input == nil {
				c.request.Input = []byte("{}")
			}
			_, err := open(t).Run(t.Context(), c.request)
			if (c.code == "") != (err == nil) || err != nil && (!errors.Is(err, c.code) || !strings.Contains(err.Error(), c.message)) {
				t.Errorf("got %v; want %s: %s", err, c.code, c.message)
			}
		})
	}
}
