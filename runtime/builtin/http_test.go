package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/builtin"
	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

// site answers by the path.
func site(w http.ResponseWriter, r *http.Request) {
	w.Header()["Date"] = nil
	body := map[string]string{
		"/json": `{"id": 12345678901234567890, "ratio": 1.10}`, "/twice": `{"a": 1, "a": 2}`, "/broken": `{"a": `, "/mark": "\ufeff[1]",
		"/latin": "caf\xe9", "/text": "<b>&\u2028", "/deep": strings.Repeat("[", 1000) + strings.Repeat("]", 1000), "/list": "1, 2",
	}[r.URL.Path]
	w.Header().Set("Content-Type", "application/problem+json; charset=utf-8")
	switch r.URL.Path {
	case "/echo":
		w.Header().Set("Content-Type", "text/plain")
		text, _ := io.ReadAll(r.Body)
		body = fmt.Sprintf("%s %s %s %s", r.Method, r.Header.Get("Content-Type"), r.Header.Get("X-A"), text)
	case "/text":
		w.Header().Set("Content-Type", "text/html")
	case "/moved":
		w.Header().Set("Content-Type", "text/plain")
		http.Redirect(w, r, "/echo", http.StatusSeeOther)
	case "/away":
		http.Redirect(w, r, "http://other.test/", http.StatusFound)
	case "/headers":
		w.Header()["Content-Type"] = nil
		w.Header()["X-Twice"] = []string{"a", "b"}
		w.Header()["Set-Cookie"] = []string{"a=1, x", "b=2"}
		w.WriteHeader(http.StatusNoContent)
	case "/missing":
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusNotFound)
	case "/slow":
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case "/large":
		body = strings.Repeat("a", 2000)
	}
	_, _ = io.WriteString(w, body) //nolint:gosec // no browser reads it
}

func TestHTTPRequest(t *testing.T) {
	t.Parallel()
	p, at := serve(t, site)
	p.FetchLimits.MaxResponseBytes = 2000
	answer := func(path, kind, more string) string {
		return fmt.Sprintf(`{"status": 200, "statusText": "OK", "url": %q, "redirected": false, "headers": {"content-type": %q}, %s}`, at+path, kind, more)
	}
	const problem, plain = "application/problem+json; charset=utf-8", "text/plain"
	for name, c := range map[string]row{
		"exact numbers": {
			input:  `{"url": "AT/json"}`,
			output: answer("/json", problem, `"body": "{\"id\": 12345678901234567890, \"ratio\": 1.10}", "json": {"id": 12345678901234567890, "ratio": 1.10}`),
		},
		"JSON that others refuse": {input: `{"url": "AT/twice"}`, output: answer("/twice", problem, `"body": "{\"a\": 1, \"a\": 2}"`)},
		"JSON that is none":       {input: `{"url": "AT/broken"}`, output: answer("/broken", problem, `"body": "{\"a\": "`)},
		"two values":              {input: `{"url": "AT/list"}`, output: answer("/list", problem, `"body": "1, 2"`)},
		"byte order mark":         {input: `{"url": "AT/mark"}`, output: answer("/mark", problem, `"body": "[1]", "json": [1]`)},
		"not UTF-8":               {input: `{"url": "AT/latin"}`, output: answer("/latin", problem, `"bodyBase64": "Y2Fm6Q=="`)},
		"text":                    {input: `{"url": "AT/text"}`, output: answer("/text", "text/html", `"body": "<b>&\u2028"`)},
		"lower case":              {input: `{"url": "AT/echo", "method": "GET"}`, output: answer("/echo", plain, `"body": "GET   "`)},
		"body":                    {input: `{"url": "AT/echo", "method": "POST", "body": "né"}`, output: answer("/echo", plain, `"body": "POST text/plain;charset=UTF-8  né"`)},
		"body with a type": {
			input:  `{"url": "AT/echo", "method": "POST", "body": "{}", "headers": {"Content-type": "application/json", "x-a": " 1 ", "Host": "elsewhere"}}`,
			output: answer("/echo", plain, `"body": "POST application/json 1 {}"`),
		},
		"redirect": {
			input:  `{"url": "AT/moved", "method": "POST", "body": "a"}`,
			output: strings.Replace(answer("/echo", plain, `"body": "GET   "`), `"redirected": false`, `"redirected": true`, 1),
		},
		"status": {
			input:  `{"url": "AT/missing"}`,
			output: strings.Replace(answer("/missing", plain, `"body": ""`), `200, "statusText": "OK"`, `404, "statusText": "Not Found"`, 1),
		},
		"headers": {
			input:  `{"url": "AT/headers"}`,
			output: `{"status": 204, "statusText": "No Content", "url": "` + at + `/headers", "redirected": false, "headers": {"x-twice": "a, b", "set-cookie": "a=1, x\nb=2"}, "body": ""}`,
		},

		"no rule":            {input: `{"url": "https://other.test/"}`, code: tool.Denied, message: `no rule of permissions.network.allow names the host "other.test"`, hint: "--allow-host"},
		"method":             {input: `{"url": "AT/echo", "method": "DELETE"}`, code: tool.Denied, message: "allows no more", hint: "DELETE"},
		"port":               {input: `{"url": "http://api.test/"}`, code: tool.Denied, message: "is not granted", hint: "permissions"},
		"redirect, denied":   {input: `{"url": "AT/away"}`, code: tool.Denied, message: "other.test", hint: "--allow-host"},
		"scheme":             {input: `{"url": "file:///etc/passwd"}`, code: tool.InvalidInput, message: "not the address", hint: "https://", path: "/url"},
		"no scheme":          {input: `{"url": "api.test"}`, code: tool.InvalidInput, message: "not the address", hint: "https://", path: "/url"},
		"no host":            {input: `{"url": "http:///x"}`, code: tool.Denied},
		"as large as can be": {input: `{"url": "AT/large", "method": "GET", "headers": {}}`, output: answer("/large", problem, `"body": "`+strings.Repeat("a", 2000)+`"`)},
		"in time":            {input: `{"url": "AT/slow", "timeoutMs": 50}`, code: tool.Timeout, message: "in time", hint: "timeoutMs"},
		"body of GET":        {input: `{"url": "AT/echo", "body": ""}`, code: tool.InvalidInput, message: "no body", hint: "POST", path: "/body"},
		"header name":        {input: `{"url": "AT/echo", "headers": {"a/b c": ""}}`, code: tool.InvalidInput, message: "name", path: "/headers/a~1b c"},
		"header value":       {input: `{"url": "AT/echo", "headers": {"a": "1\r\nb: 2"}}`, code: tool.InvalidInput, message: "line break", path: "/headers/a"},
		"header beyond":      {input: `{"url": "AT/echo", "headers": {"a": "日"}}`, code: tool.InvalidInput, message: "cannot carry", path: "/headers/a"},
		"header twice":       {input: `{"url": "AT/echo", "headers": {"a": "1", "A": ""}}`, code: tool.InvalidInput, message: "twice", path: "/headers/a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, e := call(t, builtin.HTTPRequest(), p, strings.ReplaceAll(c.input, "AT", at))
			if e == nil { // the length is that of the body
				var answer map[string]any
				d := json.NewDecoder(strings.NewReader(got))
				d.UseNumber()
				if err := d.Decode(&answer); err != nil {
					t.Fatal(err)
				}
				delete(answer["headers"].(map[string]any), "content-length")
				got = encode(t, answer)
			}
			c.check(t, got, e)
		})
	}
}

// A value that is as deep as values may be is text alone: within the answer it would be too deep.
func TestHTTPRequestDeep(t *testing.T) {
	t.Parallel()
	p, at := serve(t, site)
	got, e := call(t, builtin.HTTPRequest(), p, `{"url": "`+at+`/deep"}`)
	if e != nil || strings.Contains(got, `"json"`) || !strings.Contains(got, `"body"`) {
		t.Errorf("got %.200s, %v", got, e)
	}
}

// What goes beyond the policy's limits ends with the name of the limit.
func TestHTTPRequestLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limits policy.FetchLimits
		row
	}{
		"answer":   {policy.FetchLimits{MaxResponseBytes: 1999}, row{input: `{"url": "AT/large"}`, code: tool.Limit, message: "fetchMaxResponseBytes", hint: "operator"}},
		"body":     {policy.FetchLimits{MaxRequestBytes: 2}, row{input: `{"url": "AT/echo", "method": "POST", "body": "abc"}`, code: tool.Limit, message: "fetchMaxRequestBytes", hint: "operator"}},
		"requests": {policy.FetchLimits{MaxRequests: 1}, row{input: `{"url": "AT/moved"}`, code: tool.Limit, message: "fetchMaxRequests", hint: "operator"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, at := serve(t, site)
			p.FetchLimits = c.limits
			got, e := call(t, builtin.HTTPRequest(), p, strings.ReplaceAll(c.input, "AT", at))
			c.check(t, got, e)
		})
	}
}

// A server that is not there is not the tool's fault; a caller that goes away ends the request.
func TestHTTPRequestEnds(t *testing.T) {
	t.Parallel()
	p, at := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	})
	got, e := call(t, builtin.HTTPRequest(), p, `{"url": "`+at+`/"}`)
	row{code: tool.Unavailable, message: "fetch failed", hint: "try again"}.check(t, got, e)

	p, at = serve(t, site)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	got, e = callWith(ctx, t, builtin.HTTPRequest(), hostapi.Options{Resolver: loopback{}}, p, `{"url": "`+at+`/slow"}`)
	if e == nil || e.Code != tool.Canceled {
		t.Errorf("got %s, %v", got, e)
	}
}
