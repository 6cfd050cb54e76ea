package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds of a message.
const (
	maxID      = 256 // bytes of an id, which is sent back
	maxMethod  = 128
	maxNesting = 256 // lists and objects within each other
	maxNumber  = 64  // bytes of a number
)

// members are those of a message. One that is spelled like them in other case is a mistake that readers disagree about.
var members = []string{"jsonrpc", "id", "method", "params", "result", "error"}

// frame is what the host looks at of a message before the protocol library reads it.
type frame struct {
	id     json.RawMessage // as it was written; nil without one
	asked  json.RawMessage // with a fault: the id of what the client was asked, which the message was to answer; nil otherwise
	method string          // "" in a response
	params json.RawMessage // nil without them
}

// isCall reports whether a message waits for an answer.
func (f frame) isCall() bool { return f.method != "" && f.id != nil }

// isNotification reports whether a message gets no answer.
func (f frame) isNotification() bool { return f.method != "" && f.id == nil }

// readFrame looks a message over: one object in UTF-8, no key given twice, no odd spelling, no number that readers
// disagree about. With a fault, the id is still there if it could be read.
func readFrame(text []byte) (frame, *fault) {
	f, wrong := readWhole(text)
	if wrong != nil {
		f = glimpse(text)
	}
	return f, wrong
}

func readWhole(text []byte) (frame, *fault) {
	text = bytes.TrimSpace(text)
	switch {
	case !utf8.Valid(text):
		return frame{}, malformed("the message is not UTF-8")
	case len(text) > 0 && text[0] == '[':
		return frame{}, invalid("batches are not taken: send one message at a time")
	case len(text) == 0 || text[0] != '{':
		return frame{}, malformed("a message is one JSON object")
	}
	if f := scan(text); f != nil {
		return frame{}, f
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return frame{}, malformed("the message is not JSON")
	}
	return readMembers(parts)
}

// readMembers looks at the members of a message.
func readMembers(parts map[string]json.RawMessage) (f frame, wrong *fault) {
	if id, ok := parts["id"]; ok {
		if !validID(id) {
			return f, invalid("an id is a whole number or a text of at most %d bytes", maxID)
		}
		f.id = id
	}
	for name := range parts {
		if !slices.Contains(members, name) && slices.ContainsFunc(members, func(m string) bool { return strings.EqualFold(m, name) }) {
			return f, invalid("the member %.20q is spelled %q", name, strings.ToLower(name))
		}
	}
	if string(parts["jsonrpc"]) != `"2.0"` {
		return f, invalid(`the member jsonrpc is "2.0"`)
	}
	method, ok := parts["method"]
	if !ok {
		if f.id == nil || parts["result"] == nil && parts["error"] == nil {
			return f, invalid("a message has a method, or answers one with a result or an error")
		}
		if e := parts["error"]; e != nil && reads[jsonrpc.Error](e) != nil {
			return f, invalid("an error is an object with a code, which is a whole number, and a message, which is a text")
		}
		return f, nil
	}
	if err := json.Unmarshal(method, &f.method); err != nil || !validMethod(f.method) {
		return f, invalid("a method is a text of at most %d printable characters", maxMethod)
	}
	if f.params = parts["params"]; len(f.params) > 0 && f.params[0] != '{' {
		return f, invalid("params is an object")
	}
	return f, f.checkParams()
}

const initialize = "initialize"

// fitting holds params against what the protocol library reads, which repeats what it cannot.
var fitting = map[string]func(params json.RawMessage) error{
	initialize: reads[sdk.InitializeParams], "tools/list": reads[sdk.ListToolsParams], "tools/call": reads[sdk.CallToolParamsRaw],
	"prompts/list": reads[sdk.ListPromptsParams], "prompts/get": reads[sdk.GetPromptParams],
	"resources/list": reads[sdk.ListResourcesParams], "resources/templates/list": reads[sdk.ListResourceTemplatesParams], "resources/read": reads[sdk.ReadResourceParams],
	"completion/complete": reads[sdk.CompleteParams], listen: reads[sdk.SubscriptionsListenParams],
}

func reads[T any](params json.RawMessage) error {
	var p T
	return json.Unmarshal(params, &p)
}

// checkParams looks at the params of a call. The protocol library takes an initialize without a version.
func (f frame) checkParams() *fault {
	if fit := fitting[f.method]; fit != nil && f.params != nil {
		if err := fit(f.params); err != nil {
			at := ""
			if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && e.Field != "" {
				at = fmt.Sprintf(", at %.100q", e.Field)
			}
			return &fault{code: jsonrpc.CodeInvalidParams, message: "the params of " + f.method + " do not fit" + at}
		}
	}
	if f.method == initialize && !f.begins() {
		return &fault{code: jsonrpc.CodeInvalidParams, message: "initialize has an object for params: with a protocolVersion, which is a text, with capabilities and a clientInfo"}
	}
	return nil
}

// inOrder says what is wrong with a message because of when it comes, of a version with sessions: with a session, or without one;
// nil is nothing. version is that of the header.
func (f frame) inOrder(session bool, version string) *fault {
	switch said := f.version(); {
	case said != "" && said != version:
		return &fault{code: sdk.CodeHeaderMismatch, message: "the header Mcp-Protocol-Version is not the version that the message says"}
	case session && f.method == initialize:
		return invalid("the session was initialized before: begin another without the header %s", sessionHeader)
	case !session && f.method != initialize:
		return invalid("initialize comes first; the header %s of its answer goes with all that follows", sessionHeader)
	case f.isCall() && !slices.Contains(calls, f.method):
		return &fault{code: jsonrpc.CodeMethodNotFound, message: f.method + " is no method of the version of this session"}
	}
	return nil
}

// begins reports whether what a client begins with has a version.
func (f frame) begins() bool {
	var p sdk.InitializeParams
	return json.Unmarshal(f.params, &p) == nil && p.ProtocolVersion != ""
}

// calls are the methods that the server answers in versions with sessions.
var calls = []string{
	initialize, "ping", "tools/list", "tools/call", "prompts/list", "prompts/get", "resources/list", "resources/templates/list", "resources/read",
	"completion/complete", "logging/setLevel",
}

// version is the one that a message says itself, as those do that need no session; "" without one.
func (f frame) version() string {
	var p struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	version := ""
	if json.Unmarshal(f.params, &p) != nil || json.Unmarshal(p.Meta[sdk.MetaKeyProtocolVersion], &version) != nil {
		return ""
	}
	return version
}

func validID(id json.RawMessage) bool {
	if len(id) == 0 || len(id) > maxID+2 {
		return false
	}
	if id[0] == '"' {
		return true
	}
	_, err := strconv.ParseInt(string(id), 10, 53)
	return err == nil
}

// idKey tells ids apart, however they are written; "" is none.
func idKey(id json.RawMessage) string {
	var raw any
	if !validID(id) || json.Unmarshal(id, &raw) != nil {
		return ""
	}
	made, err := jsonrpc.MakeID(raw)
	if err != nil {
		return ""
	}
	return rawKey(made)
}

// rawKey is idKey of an id that was read.
func rawKey(id jsonrpc.ID) string { return fmt.Sprintf("%T %[1]v", id.Raw()) }

const cancelled = "notifications/cancelled"

// cancels is the key of the id of the call that a message cancels; "" is none.
func (f frame) cancels() string {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if f.method != cancelled || json.Unmarshal(f.params, &p) != nil {
		return ""
	}
	return idKey(p.RequestID)
}

func validMethod(method string) bool {
	return method != "" && len(method) <= maxMethod && !strings.ContainsFunc(method, func(r rune) bool { return r <= ' ' || r > '~' })
}

// level is a list or an object that is open while a message is scanned.
type level struct {
	keys map[string]bool // nil in a list
	key  bool            // a key is next
}

// scan walks over the tokens of a message, and finds what readers disagree about.
func scan(text []byte) *fault {
	tokens := json.NewDecoder(bytes.NewReader(text))
	tokens.UseNumber()
	var open []level
	for {
		token, err := tokens.Token()
		if errors.Is(err, io.EOF) && len(open) == 0 {
			return nil
		}
		if err != nil {
			return malformed("the message is not JSON")
		}
		if len(open) > 0 && open[len(open)-1].key {
			if key, ok := token.(string); ok {
				top := &open[len(open)-1]
				if top.keys[key] {
					return invalid("the key %.40q is given twice", key)
				}
				top.keys[key], top.key = true, false
				continue
			}
		}
		if open, err = step(open, token); err != nil {
			return invalid("%s", err)
		}
	}
}

// step takes a token that is no key.
func step(open []level, token json.Token) ([]level, error) {
	switch token := token.(type) {
	case json.Delim:
		if token == '}' || token == ']' {
			return next(open[:len(open)-1]), nil
		}
		if len(open) == maxNesting {
			return open, fmt.Errorf("lists and objects nest deeper than %d", maxNesting)
		}
		if token == '[' {
			return append(open, level{}), nil
		}
		return append(open, level{map[string]bool{}, true}), nil
	case json.Number:
		if f, err := token.Float64(); err != nil || math.IsInf(f, 0) || len(token) > maxNumber {
			return open, fmt.Errorf("the number %.20s… is too large, or written with more than %d digits", token, maxNumber)
		}
	}
	return next(open), nil
}

// next says that a value has ended: within an object a key follows.
func next(open []level) []level {
	if len(open) > 0 {
		open[len(open)-1].key = open[len(open)-1].keys != nil
	}
	return open
}
