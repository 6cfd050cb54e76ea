package mcp

import (
	"context"
	"encoding/json"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
)

// metaTools are the tools of the face, for every credential the same.
func metaTools() []*metaTool {
	list := []*metaTool{forgeTool(), searchTool(), describeTool(), callTool(), listTool(), promoteTool(), auditTool()}
	for i, t := range list {
		list[i] = t.compiled()
	}
	return list
}

// selfTools stand for tools of the host, by which agents adjust themselves.
func selfTools(faces []runtime.Face) (list []*metaTool) {
	for _, f := range faces {
		t := &metaTool{name: f.Name, title: title(f.Name), description: f.Description, schema: string(f.InputSchema)}
		t.run = func(ctx context.Context, c *call) (any, error) {
			result, err := c.desk.Call(ctx, f.Name, c.args)
			if err != nil {
				return nil, err
			}
			return asObject(result.Output), nil
		}
		list = append(list, t.compiled())
	}
	return list
}

// title makes of a name what people read.
func title(name string) string {
	text := []byte(name)
	for i, b := range text {
		if b == '_' {
			text[i] = ' '
		}
	}
	if len(text) > 0 && text[0] >= 'a' && text[0] <= 'z' {
		text[0] -= 'a' - 'A'
	}
	return string(text)
}

// asObject is JSON as an object, which is what clients take as structured content.
func asObject(raw json.RawMessage) any {
	if len(raw) > 0 && raw[0] == '{' {
		return raw
	}
	return map[string]json.RawMessage{"output": raw}
}

// handle is what names a tool for good: its id, or the name of a tool of the host.
func handle(f runtime.Face) string {
	if f.ID != "" {
		return f.ID
	}
	return f.Name
}

// handlePrefix begins the handles of forged tools. No name can have it.
const handlePrefix = "emergent:"

// toolArgument is the schema of the argument that names a tool.
const toolArgument = `{"type":"string","minLength":1,"maxLength":300,"description":"The handle that forge_tool, search_tools or list_my_tools gave, or the name."}`

// resolve returns the tool that a name or a handle means to the caller, who can call it.
func (c *call) resolve(ctx context.Context, which string) (runtime.Face, error) {
	tools, err := c.desk.Tools(ctx)
	if err != nil {
		return runtime.Face{}, err
	}
	for _, f := range tools {
		if f.Name == which || (f.ID != "" && f.ID == which) {
			return f, nil
		}
	}
	return runtime.Face{}, c.missing(ctx, which)
}

// missing says why there is no tool that the caller can call: one that it sees may be suspended.
func (c *call) missing(ctx context.Context, which string) error {
	records, err := c.desk.List(ctx, desk.ListQuery{})
	if err != nil {
		return err
	}
	for _, r := range records {
		if err := r.Callable(); err != nil && (r.Name == which || r.ID == which) {
			return err
		}
	}
	return &tool.Error{Code: tool.NotFound, Message: tool.Quote(which) + " is no tool that you can see"}
}
