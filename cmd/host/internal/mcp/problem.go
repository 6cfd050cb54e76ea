package mcp

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// problem is what the host answers to a request over HTTP that does not come as far as to the protocol: a problem document
// (RFC 9457), as those of the API are.
type problem struct {
	Type   string    `json:"type"`
	Title  string    `json:"title"`
	Status int       `json:"status"`
	Detail string    `json:"detail"`
	Code   tool.Code `json:"code"`
	Hint   string    `json:"hint,omitempty"`

	RetryAfterMs int64 `json:"retryAfterMs,omitempty"`
}

// refuse answers a request with a problem.
func refuse(w http.ResponseWriter, status int, code tool.Code, hint, detail string) {
	after := retryAfter(code)
	if after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(after.Seconds())))
	}
	text, _ := json.Marshal(problem{"about:blank", http.StatusText(status), status, detail, code, hint, after.Milliseconds()}) // text and numbers
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // a client that is gone
}

// retryAfter is when what the face refuses with a code may go well; 0 is never.
func retryAfter(code tool.Code) time.Duration {
	switch code { //nolint:exhaustive // the others are mended, not waited for
	case tool.Limit:
		return 10 * time.Second
	case tool.Unavailable:
		return time.Minute
	}
	return 0
}
