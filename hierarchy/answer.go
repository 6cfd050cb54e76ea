package hierarchy

import (
	"encoding/json"

	"example.com/toolsmith/runtime/tool"
)

// maxAnswer bounds what the result of a call brings into a conversation.
const maxAnswer = 64 << 10

// answer is what a call came to.
type answer struct {
	output any // text, or JSON as it stands
	note   string
	failed *tool.Error // instead of output, or beside what there is of it
}

// said is the answer of an agent, which is text whatever it looks like.
func said(text string) answer {
	if blank(text) {
		return answer{output: "", note: "the agent has returned an empty text"}
	}
	return answer{output: cutText(text, maxAnswer)}
}

// returned is what a tool returned.
func returned(value json.RawMessage) answer {
	if !json.Valid(value) {
		return answer{output: cutText(string(value), maxAnswer)}
	}
	return answer{output: cutJSON(value, maxAnswer)}
}

func failure(err error) answer { return answer{failed: tool.AsError(err)} }

// text is the answer as a model reads it: a JSON object that has output or error.
func (a answer) text() string {
	reply := struct {
		Output  any       `json:"output,omitempty"`
		Note    string    `json:"note,omitempty"`
		Error   string    `json:"error,omitempty"`
		Code    tool.Code `json:"code,omitempty"`
		Path    string    `json:"path,omitempty"`
		Line    int       `json:"line,omitempty"`
		Snippet string    `json:"snippet,omitempty"`
		Hint    string    `json:"hint,omitempty"`
	}{Output: a.output, Note: a.note}
	if e := a.failed; e != nil {
		reply.Error, reply.Hint = cutText(e.Message, maxReason), cutText(e.Hint, maxReason)
		reply.Code, reply.Path, reply.Line, reply.Snippet = e.Code, cutText(e.Path, maxReason), e.Line, cutText(e.Snippet, maxReason)
	}
	return string(encode(reply))
}

// maxReason bounds what is repeated of an error or of the words of a person or judge.
const maxReason = 4 << 10
