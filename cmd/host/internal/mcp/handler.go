package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// metaTool is a tool of the face itself. What it is called with was checked against its schema.
type metaTool struct {
	name, title, description string
	schema                   string // of the arguments, a constant
	readOnly                 bool
	open                     bool // what it does is up to the tool that it calls, which may reach out
	asks                     bool // a person may be asked before it is done
	lenient                  bool // reads what models write otherwise by itself: the schema says what is best written
	checked                  *schema.Schema
	// run does it. With an error, a result that is not nil is told instead, and holds the error itself.
	run func(ctx context.Context, c *call) (any, error)
}

// compiled admits the schema of a tool of the host's own.
func (t *metaTool) compiled() *metaTool {
	admitted, err := schema.Compile([]byte(t.schema))
	if err != nil {
		panic("mcp: the schema of " + t.name + ": " + err.Error()) // a constant of ours, as tests show
	}
	t.checked = admitted
	return t
}

// face is how a tool presents itself to clients. It has no output schema: clients hold errors against that, too.
func (t *metaTool) face() *sdk.Tool {
	return &sdk.Tool{
		Name: t.name, Title: t.title, Description: t.description, InputSchema: json.RawMessage(t.schema), Annotations: hints(t.title, t.readOnly, t.open),
	}
}

// hints tell clients what a tool may do, by which some decide whether they ask their users. One that reaches out may do harm there.
func hints(title string, readOnly, open bool) *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{Title: title, ReadOnlyHint: readOnly, IdempotentHint: readOnly, DestructiveHint: &open, OpenWorldHint: &open}
}

// call is one call of a tool of the face.
type call struct {
	*seat
	tool *metaTool
	desk desk.Desk
	args json.RawMessage
	line *line
}

// arguments reads what the call was made with.
func (c *call) arguments(into any) error { return wire.JSON(c.args, into) }

// handler is the one way into a tool: whatever happens, there is an answer.
func (s *seat) handler(t *metaTool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (result *sdk.CallToolResult, _ error) {
		defer s.survive(t, &result)
		if req.Params.RequestState != "" {
			return s.resume(ctx, t, req), nil
		}
		args, err := t.check(req.Params.Arguments)
		if err != nil {
			return failure(err), nil
		}
		return s.begin(ctx, &call{seat: s, tool: t, args: args, line: newLine(ctx, s, req)}), nil
	}
}

// survive, deferred, makes a panic within a tool a failure.
func (s *seat) survive(t *metaTool, result **sdk.CallToolResult) {
	if p := recover(); p != nil {
		s.face.opt.Logger.Error("a tool of the face ended in a panic", "tool", t.name, "panic", p)
		*result = failure(tool.Errorf(tool.Internal, "the host failed; its log says more"))
	}
}

// check holds arguments against the schema of a tool.
func (t *metaTool) check(args json.RawMessage) (json.RawMessage, error) {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	value, err := schema.Decode(args)
	if err == nil && !t.lenient {
		err = t.checked.ValidateValue(value)
	}
	return args, t.unfit(err)
}

// unfit says of an error that it is one of the arguments of a tool.
func (t *metaTool) unfit(err error) error {
	if err == nil {
		return nil
	}
	e := *tool.AsError(err)
	e.Message = "the arguments of " + t.name + ": " + e.Message
	if e.Hint == "" {
		e.Hint = "tools/list has the schema of the arguments"
	}
	return &e
}

// do runs a call to its end. It recovers, since calls that wait for a person run on goroutines of their own.
func (c *call) do(ctx context.Context) (result *sdk.CallToolResult) {
	defer c.survive(c.tool, &result)
	from, extra := c.line.request()
	d, err := c.seat.desk(ctx, from, extra)
	if err != nil {
		return failure(err)
	}
	c.desk = d
	stop := c.line.tick(c.face.opt.Tick)
	defer stop()
	out, err := c.tool.run(withLine(ctx, c.line), c)
	if err != nil && out == nil {
		return failure(err)
	}
	return c.result(out, err != nil)
}

// failure is a result that tells of an error.
func failure(err error) *sdk.CallToolResult {
	return told(struct {
		Error *tool.Error `json:"error"`
	}{forModels(err)}, nil)
}

// forModels words an error for those who have the tools of the face, and not the command line.
func forModels(err error) *tool.Error {
	e := *tool.AsError(err).Hinted()
	if _, rule, ok := strings.Cut(e.Hint, "add to the policy: "); ok {
		e.Hint = "an operator of the host can add to the policy of the persona: " + rule
	}
	if e.Code == tool.NotOwner || e.Code == tool.NotFound {
		e.Code, e.Hint = tool.NotFound, "search_tools finds tools by what they do, list_my_tools lists those that were forged"
	}
	return &e
}

// maxResult bounds what a result holds, in bytes of JSON.
const maxResult = 256 << 10

// result makes a result of a value that becomes a JSON object. What is too large is kept, and told of with a link.
func (s *seat) result(value any, failed bool) *sdk.CallToolResult {
	text, err := json.Marshal(value)
	if err != nil || !json.Valid(text) {
		return failure(tool.Errorf(tool.Internal, "the result cannot be written as JSON"))
	}
	if failed {
		return told(json.RawMessage(cut(text)), nil)
	}
	if len(text) > maxResult {
		return s.results.keep(s.face, text)
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text)}
}

// cut takes the place of a report of an error that is too large to be told.
func cut(text []byte) []byte {
	if len(text) <= maxResult {
		return text
	}
	var e struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(text, &e) != nil || len(e.Error) == 0 || len(e.Error) > maxResult/2 {
		return fmt.Appendf(nil, `{"error":{"code":%q,"message":"it failed, and what there is to tell of that is too large"}}`, tool.OutputTooLarge)
	}
	return fmt.Appendf(nil, `{"error":%s,"note":"the rest of the report is too large"}`, e.Error)
}

// told is a result that is an error: its JSON stands in the text alone, since clients hold structured content against output
// schemas.
func told(value any, links []sdk.Content) *sdk.CallToolResult {
	text, err := json.Marshal(value)
	if err != nil {
		text = fmt.Appendf(nil, `{"error":{"code":%q,"message":"the error cannot be written as JSON"}}`, tool.Internal)
	}
	return &sdk.CallToolResult{IsError: true, Content: append([]sdk.Content{&sdk.TextContent{Text: string(text)}}, links...)}
}
