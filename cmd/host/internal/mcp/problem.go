package mcp

import (
	"encoding/json"
	"net/http"

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
}

// refuse answers a request with a problem.
func refuse(w http.ResponseWriter, status int, code tool.Code, hint, detail string) {
	text, _ := json.Marshal(problem{"about:blank", http.StatusText(status), status, detail, code, hint}) // text and a number
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // a client that is gone
}
