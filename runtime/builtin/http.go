package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

// How long an HTTP request takes, with its redirects and its whole answer.
const (
	usualWait = 10 * time.Second
	maxWait   = time.Minute
)

const httpDescription = `Makes one HTTP request and returns the whole answer. Use it to read a page or to call a web API.

Arguments: url (http or https), method (GET unless told otherwise), headers (an object of strings), body (text; not with GET or HEAD), timeoutMs.
Result: status, statusText, url (after redirects), redirected, headers (names in lower case; several values of one name are joined by ", ", cookies by line breaks), and the body: as text in body, and in bodyBase64 instead when it is not UTF-8. When the answer says that it is JSON, and is, its value is also there as json, with every digit of its numbers.
A status of 400 and above is a result, not an error: look at status.
Limits: the operator's policy says which hosts and methods are granted; anything else fails with the code denied and a hint that names the missing rule. Redirects are followed, each under the same policy. Sizes and counts are those of the policy; 60 s at most. For a secret, write "secret:NAME" in a header when the operator has set one up. A text body goes out as text/plain unless headers say content-type.
Example: {"url": "https://api.example.com/users", "method": "POST", "headers": {"content-type": "application/json"}, "body": "{\"name\": \"Ada\"}"}`

const httpInput = `{
	"type": "object",
	"properties": {
		"url": {"type": "string", "minLength": 1, "maxLength": 8192, "description": "The address, http or https, with its query."},
		"method": {"enum": ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"], "description": "GET when left out."},
		"headers": {"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 64, "description": "Headers by name."},
		"body": {"type": "string", "description": "The body, sent as UTF-8. For JSON, its text, with the header content-type: application/json."},
		"timeoutMs": {"type": "integer", "minimum": 1, "maximum": 60000, "description": "Milliseconds until the whole answer must be there; 10000 when left out."}
	},
	"required": ["url"],
	"additionalProperties": false
}`

const httpOutput = `{
	"type": "object",
	"properties": {
		"status": {"type": "integer", "description": "The HTTP status, such as 200 or 404."},
		"statusText": {"type": "string", "description": "What the server calls the status."},
		"url": {"type": "string", "description": "The address that answered, after redirects."},
		"redirected": {"type": "boolean", "description": "Whether there were redirects."},
		"headers": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Headers by name, in lower case."},
		"body": {"type": "string", "description": "The body, when it is UTF-8 text."},
		"bodyBase64": {"type": "string", "description": "The body in base64, when it is not UTF-8 text."},
		"json": {"description": "The value of the body, when the answer says that it is JSON."}
	},
	"required": ["status", "statusText", "url", "redirected", "headers"],
	"additionalProperties": false
}`

var httpHints = map[tool.Code]string{
	tool.Limit:       "ask for less, or have an operator raise the limit that the message names",
	tool.Unavailable: "check the address; if it is right, try again later",
	tool.Denied:      "check the address and the method; an operator can grant more",
}

// HTTPRequest is the tool http_request: one request over HTTP under the caller's policy.
func HTTPRequest() runtime.Tool {
	return runtime.Tool{
		Name: "http_request", Description: httpDescription,
		InputSchema: json.RawMessage(httpInput), OutputSchema: json.RawMessage(httpOutput),
		SideEffects: true, Run: httpRequest,
	}
}

// httpAsk is the input of http_request.
type httpAsk struct {
	URL       string            `json:"url"`
	Method    string            `json:"method"`
	Headers   map[string]string `json:"headers"`
	Body      *string           `json:"body"`
	TimeoutMs int               `json:"timeoutMs"`
}

// httpAnswer is its output.
type httpAnswer struct {
	Status     int               `json:"status"`
	StatusText string            `json:"statusText"`
	URL        string            `json:"url"`
	Redirected bool              `json:"redirected"`
	Headers    map[string]string `json:"headers"`
	Body       *string           `json:"body,omitempty"`
	BodyBase64 []byte            `json:"bodyBase64,omitempty"`
	JSON       json.RawMessage   `json:"json,omitempty"`
}

func httpRequest(ctx context.Context, call *runtime.Invocation) (json.RawMessage, error) {
	var ask httpAsk
	if err := read(call.Input, &ask); err != nil {
		return nil, err
	}
	req, err := ask.request()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, ask.wait())
	defer cancel()
	resp, err := powers(call).Fetch(ctx, req)
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, &tool.Error{
				Code: tool.Timeout, Message: "the whole answer was not there in time", Cause: err,
				Hint: "raise timeoutMs, which is at most 60000, or ask for less",
			}
		}
		return nil, hinted(err, httpHints)
	}
	return write(answerOf(resp))
}

// wait is how long the request may take.
func (a httpAsk) wait() time.Duration {
	if a.TimeoutMs <= 0 {
		return usualWait
	}
	return time.Duration(min(a.TimeoutMs, int(maxWait.Milliseconds()))) * time.Millisecond
}

// request is what is asked for, once it is known that HTTP can carry it.
func (a httpAsk) request() (hostapi.FetchRequest, error) {
	req := hostapi.FetchRequest{Method: strings.ToUpper(a.Method), URL: a.URL}
	if req.Method == "" {
		req.Method = http.MethodGet
	}
	if scheme, _, _ := strings.Cut(strings.TrimSpace(a.URL), ":"); !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return req, invalid("/url", clip(a.URL)+" is not the address of a page", "write the whole address: it begins with https:// or http://")
	}
	if !slices.Contains(policy.Methods(), req.Method) {
		return req, invalid("/method", "there is no method "+clip(req.Method), "the methods are "+strings.Join(policy.Methods(), ", "))
	}
	if a.Body != nil {
		if req.Method == http.MethodGet || req.Method == http.MethodHead {
			return req, invalid("/body", "a request with the method "+req.Method+" has no body", "leave body out, or use POST")
		}
		req.Body = []byte(*a.Body)
	}
	var err error
	req.Header, err = a.header()
	return req, err
}

// What headers are made of, in characters that stand for bytes.
var (
	headerName  = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
	headerValue = regexp.MustCompile(`^[\t\x20-\x7e\x{80}-\x{ff}]*$`)
)

func (a httpAsk) header() (http.Header, error) {
	header := http.Header{}
	for _, name := range slices.Sorted(maps.Keys(a.Headers)) {
		path, value := pointer("/headers", name), strings.Trim(a.Headers[name], " \t\r\n")
		switch {
		case !headerName.MatchString(name):
			return nil, invalid(path, "a header cannot have this name", "use letters, digits and hyphens only")
		case !headerValue.MatchString(value):
			return nil, invalid(path, "the value holds a line break or another character that headers cannot carry", "leave it out, or encode it")
		case len(header.Values(name)) > 0:
			return nil, invalid(path, "the header is given twice, in different spellings", "keep one of them")
		}
		header.Set(name, value)
	}
	if a.Body != nil && header.Get("Content-Type") == "" {
		header.Set("Content-Type", "text/plain;charset=UTF-8")
	}
	return header, nil
}

// answerOf is an answer as the tool returns it.
func answerOf(resp *hostapi.FetchResponse) httpAnswer {
	a := httpAnswer{
		Status: resp.Status, StatusText: resp.StatusText, URL: resp.URL, Redirected: resp.Redirected, Headers: map[string]string{},
	}
	for name, values := range resp.Header {
		between := ", "
		if name == "Set-Cookie" {
			between = "\n"
		}
		a.Headers[strings.ToLower(name)] = strings.Join(values, between)
	}
	body := bytes.TrimPrefix(resp.Body, []byte("\ufeff"))
	if !utf8.Valid(body) {
		a.BodyBase64 = resp.Body
		return a
	}
	text := string(body)
	a.Body = &text
	if saysJSON(resp.Header.Get("Content-Type")) && isValue(body) {
		a.JSON = body
	}
	return a
}

// saysJSON reports whether a content type is one of JSON.
func saysJSON(contentType string) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	return kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json")
}

// isValue reports whether a text is a JSON value that other tools will take as a part of their input.
func isValue(text []byte) bool {
	if !json.Valid(text) {
		return false
	}
	_, err := schema.Decode(slices.Concat([]byte("["), text, []byte("]")))
	return err == nil
}
