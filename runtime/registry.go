package runtime

import (
	"maps"
	"slices"
	"sync"

	"example.com/toolsmith/runtime/compose"
	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

// registry holds the tools of the host, by name.
type registry struct {
	mu     sync.RWMutex
	tools  map[string]*callable
	folded map[string]*callable // by tool.FoldName
}

// maxHostTools bounds a registry.
const maxHostTools = 10_000

// metaTools are served by the faces and are no tools that others could be named like.
var metaTools = map[string]bool{
	"search_tools": true, "describe_tool": true, "call_tool": true, "list_my_tools": true, "promote_tool": true, "audit_log": true,
}

func (r *registry) add(t Tool) error {
	made, err := newHostTool(t)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.folded[tool.FoldName(t.Name)] != nil || meta(t.Name) != t.Meta:
		return &tool.Error{Code: tool.Collision, Path: "/name", Message: "the host has a tool " + t.Name + " already", Hint: "choose another name"}
	case len(r.tools) >= maxHostTools:
		return tool.Errorf(tool.Limit, "the host has %d tools, which is all there may be", maxHostTools)
	}
	if r.tools == nil {
		r.tools, r.folded = map[string]*callable{}, map[string]*callable{}
	}
	r.tools[t.Name], r.folded[tool.FoldName(t.Name)] = made, made
	return nil
}

func (r *registry) get(name string) *callable {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.tools[name]
}

func (r *registry) names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Sorted(maps.Keys(r.tools))
}

// meta reports whether a name is that of a meta tool, or too much like it.
func meta(name string) bool {
	return metaTools[tool.FoldName(name)] || compose.Meta(tool.FoldName(name))
}

// alike returns the tool whose name is this one or too much like it.
func (r *registry) alike(name string) *callable {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.folded[tool.FoldName(name)]
}

// newHostTool checks and compiles a tool of the host.
func newHostTool(t Tool) (*callable, error) {
	if problem := tool.CheckName(t.Name); problem != "" {
		return nil, tool.NameError(t.Name, problem)
	}
	if t.Run == nil || t.Description == "" {
		return nil, &tool.Error{Code: tool.InvalidRequest, Message: "the tool " + t.Name + " has no description or no function", Hint: "set Description and Run"}
	}
	input, output, err := compileSchemas(t.InputSchema, t.OutputSchema)
	if err != nil {
		return nil, err
	}
	face := Face{Name: t.Name, Description: t.Description, InputSchema: t.InputSchema, OutputSchema: t.OutputSchema, SideEffects: t.SideEffects, Tags: t.Tags}
	return &callable{Face: face, input: input, output: output, body: hostBody{t}}, nil
}

// compileSchemas admits the schemas of a tool. An output schema that is not there takes anything.
func compileSchemas(in, out []byte) (input, output *schema.Schema, err error) {
	if input, err = schema.Compile(in); err != nil {
		return nil, nil, pointed(err, "/inputSchema")
	}
	if len(out) == 0 {
		return input, nil, nil
	}
	if output, err = schema.Compile(out); err != nil {
		return nil, nil, pointed(err, "/outputSchema")
	}
	return input, output, nil
}

// pointed puts a prefix before the JSON pointer of an error.
func pointed(err error, prefix string) error {
	e := *tool.AsError(err)
	e.Path = prefix + e.Path
	return &e
}
