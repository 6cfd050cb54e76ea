package modeltest

import (
	"encoding/json"
	"fmt"
	"regexp"
)

// protocol is how one kind of provider reads and writes.
type protocol interface {
	refuse(req Request) (status int, why string) // "" when the real server would answer
	reply(step Step) []byte
	fault(step Step) []byte
}

// protocols holds them by path.
var protocols = map[string]protocol{
	"/v1/chat/completions": openAI{},
	"/v1/messages":         anthropic{},
}

// toolName is what the name of a tool has to look like.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// object is a JSON object; its members are written in the order of their names.
type object map[string]any

func encode(value object) []byte {
	text, err := json.Marshal(value)
	if err != nil { // a step whose JSON is none
		return fmt.Appendf(nil, `{"error":{"message":"modeltest: %T"}}`, err)
	}
	return text
}

// id names the call at a place in a step.
func (c Call) id(at int) string {
	if c.ID != "" {
		return c.ID
	}
	return fmt.Sprintf("call_%d", at+1)
}

// pending keeps the tool calls that have no result yet.
type pending map[string]bool

// answer closes a call; it is false for one that is not open.
func (p pending) answer(id string) bool {
	open := p[id]
	delete(p, id)
	return open
}
