package model

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

func (a answer) good() bool { return a.status >= 200 && a.status < 300 }

// passing reports whether the same request may go well a little later. A quota that is used up does not pass.
func (a answer) passing() bool {
	if a.status == http.StatusTooManyRequests {
		said, _ := a.complaint()
		return said.Code != "insufficient_quota" && said.Type != "insufficient_quota"
	}
	return a.status >= 500
}

// retryAfter is how long the provider asks to wait. A date is measured by the provider's own clock.
func (a answer) retryAfter() (time.Duration, bool) {
	text := a.header.Get("Retry-After")
	if ms, err := strconv.ParseInt(a.header.Get("Retry-After-Ms"), 10, 32); err == nil {
		return time.Duration(max(ms, 0)) * time.Millisecond, true
	}
	if s, err := strconv.ParseInt(text, 10, 32); err == nil {
		return time.Duration(max(s, 0)) * time.Second, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	now, err := http.ParseTime(a.header.Get("Date"))
	return max(at.Sub(now), 0), err == nil
}

// complaint is what a provider says went wrong. All of them put it under "error", as an object or as plain text.
type complaint struct{ Message, Type, Code string }

// complaint reads it, and reports whether there is one.
func (a answer) complaint() (complaint, bool) {
	var body struct{ Error json.RawMessage }
	if json.Unmarshal(a.body, &body) != nil || len(body.Error) == 0 || string(body.Error) == "null" {
		return complaint{}, false
	}
	var said complaint
	if json.Unmarshal(body.Error, &said.Message) == nil {
		return said, true
	}
	var members map[string]any
	_ = json.Unmarshal(body.Error, &members) // what is neither has nothing to say
	said.Message, _ = members["message"].(string)
	said.Type, _ = members["type"].(string)
	said.Code, _ = members["code"].(string)
	return said, true
}
