package model

// Role is who says a message.
type Role string

// The roles. What is said to the model before all of it is Request.System.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Message is one turn of a conversation.
type Message struct {
	Role      Role
	Text      string
	ToolCalls []ToolCall // of an Assistant
	CallID    string     // of a Tool: the ToolCall that it answers
	Failed    bool       // of a Tool: Text says what went wrong
}

// Ask is a message of the user.
func Ask(text string) Message { return Message{Role: User, Text: text} }

// Result answers a tool call with what the tool returned.
func (c ToolCall) Result(text string) Message { return Message{Role: Tool, CallID: c.ID, Text: text} }

// Failure answers a tool call with what went wrong.
func (c ToolCall) Failure(text string) Message {
	return Message{Role: Tool, CallID: c.ID, Text: text, Failed: true}
}
