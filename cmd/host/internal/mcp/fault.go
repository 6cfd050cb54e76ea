package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/toolsmith/runtime/tool"
)

// fault is what is wrong with a message.
type fault struct {
	code    int64
	message string
	advice  advice // that of the code unless set
}

func (f *fault) Error() string { return f.message }

func invalid(format string, args ...any) *fault {
	return &fault{code: jsonrpc.CodeInvalidRequest, message: fmt.Sprintf(format, args...)}
}

func malformed(message string) *fault {
	return &fault{code: jsonrpc.CodeParseError, message: message}
}

// wire is a fault as the protocol library takes it.
func (f *fault) wire() *jsonrpc.Error {
	a := f.advice
	if a.code == "" {
		a = adviceFor(f.code)
	}
	return &jsonrpc.Error{Code: f.code, Message: f.message, Data: a.data()}
}

// answer is the message that tells the sender of a fault.
func (f *fault) answer(id json.RawMessage) []byte { return answer(id, f.wire()) }

// answer is the message that tells of an error; without an id, of what was no call.
func answer(id json.RawMessage, e *jsonrpc.Error) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	text, _ := json.Marshal(e) // texts, a number, and data that is JSON
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, id, text)
}

// status is that of the answer over HTTP. Within a session it is a matter of the protocol what there is and what it takes.
func (f *fault) status(session bool) int {
	if session && (f.code == jsonrpc.CodeMethodNotFound || f.code == jsonrpc.CodeInvalidParams) {
		return http.StatusOK
	}
	return http.StatusBadRequest
}

// advice is what an error of the protocol says besides, in its data: our code, how to mend it, and when the same may go well.
type advice struct {
	code tool.Code
	hint string
}

func (a advice) data() json.RawMessage { return a.within(nil) }

// within adds the advice to the data of an error, unless that has some, or is no object. The protocol library quotes addresses in
// the way of Go: what is no JSON is left out.
func (a advice) within(data json.RawMessage) json.RawMessage {
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil && json.Valid(data) || all["code"] != nil {
		return data
	}
	if all == nil {
		all = map[string]any{}
	}
	all["code"], all["hint"] = a.code, a.hint
	if after := retryAfter(a.code); after > 0 {
		all["retryAfterMs"] = after.Milliseconds()
	}
	text, _ := json.Marshal(all) // texts, a number, and what was JSON
	return text
}

// adviceFor is what the host says of errors that come without more than a code of the protocol.
func adviceFor(code int64) advice {
	switch code {
	case jsonrpc.CodeMethodNotFound:
		return advice{tool.NotFound, "what the server can do stands in the answer to initialize, or to server/discover in the version " + current}
	case jsonrpc.CodeInvalidParams:
		return advice{tool.InvalidRequest, "tools/list, prompts/list and resources/templates/list say what there is, and what it takes"}
	case sdk.CodeHeaderMismatch:
		return advice{tool.InvalidRequest, "send the headers Mcp-Protocol-Version, Mcp-Method and Mcp-Name as the message says them"}
	case sdk.CodeUnsupportedProtocolVersion:
		return advice{tool.InvalidRequest, "send one of the versions that are supported"}
	case jsonrpc.CodeInternalError:
		return advice{tool.Internal, "the log of the host says more"}
	}
	return advice{tool.InvalidRequest, "a message is one object of JSON-RPC 2.0, as the version of the protocol says, and comes when that says it does"}
}

// coded gives an error of the protocol library what it lacks: a code, when it has none because the request came at the wrong
// time, and advice, beside what its data has.
func coded(err error) *jsonrpc.Error {
	whole := jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok && e.Code != 0 {
		whole.Code, whole.Data = e.Code, e.Data
	}
	whole.Data = adviceFor(whole.Code).within(whole.Data)
	return &whole
}
