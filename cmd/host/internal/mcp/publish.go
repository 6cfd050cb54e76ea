package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

// published are the promoted tools that a credential has as tools of their own.
type published struct {
	once  atomic.Bool       // it was looked at, and clients were told
	dirty atomic.Bool       // a look is on its way
	mu    sync.Mutex        // of looking
	faces map[string]string // what clients were told of a tool, by name
}

// maxPublished bounds the tools of a credential that are published.
const maxPublished = 200

// publishFirst looks what is to be published before tools are listed or called for the first time.
func (s *seat) publishFirst(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if s.face.opt.Publish != "" && !s.published.once.Load() && (method == "tools/list" || method == "tools/call") {
			s.lookFirst(ctx)
		}
		return next(ctx, method, req)
	}
}

func (s *seat) lookFirst(ctx context.Context) {
	s.published.mu.Lock()
	defer s.published.mu.Unlock()
	if !s.published.once.Load() {
		s.look(ctx)
	}
}

// stale notes that the seat has to look again, and reports whether no look was on its way.
func (s *seat) stale() bool { return !s.published.dirty.Swap(true) }

// catchUp looks again.
func (s *seat) catchUp() {
	s.published.mu.Lock()
	defer s.published.mu.Unlock()
	s.published.dirty.Store(false)
	if s.published.once.Load() { // else nobody has listed tools so far
		s.look(s.life)
	}
}

const maxLook = 10 * time.Second // for the host to say what is to be published

// look adds and removes tools until those are published that the credential may call.
func (s *seat) look(ctx context.Context) {
	faces, err := s.promoted(ctx)
	if err != nil && ctx.Err() != nil {
		return // nobody is left to be told
	}
	if err != nil {
		s.face.opt.Logger.Warn("what is to be published cannot be told", "tenant", s.who.Tenant, "persona", s.who.Persona, "error", err)
		s.published.once.Store(false) // whoever lists tools next has it looked at again
		return
	}
	was := s.published.faces
	s.published.faces = map[string]string{}
	for _, f := range faces {
		t, err := publishable(f)
		if err != nil {
			s.face.opt.Logger.Info("a tool is not published", "tool", f.Name, "why", err)
			continue
		}
		text, _ := json.Marshal(t) // made of JSON that was read before
		told := f.ID + string(text)
		if s.published.faces[f.Name] = told; was[f.Name] != told {
			s.server.AddTool(t, s.native(f))
		}
	}
	for name := range was {
		if _, still := s.published.faces[name]; !still {
			s.server.RemoveTools(name)
		}
	}
	s.published.once.Store(true)
}

// promoted returns the tools to publish.
func (s *seat) promoted(ctx context.Context) (list []runtime.Face, err error) {
	ctx, cancel := context.WithTimeout(ctx, maxLook)
	defer cancel()
	name := s.fixed
	if name == "" {
		name = s.standing()
	}
	d, err := s.face.opt.Desk(ctx, s.who, name)
	if err != nil {
		return nil, err
	}
	all, err := d.Tools(ctx)
	for _, f := range all {
		if f.ID != "" && f.Tier.Rank() >= s.face.opt.Publish.Rank() && len(list) < maxPublished && !s.taken(f.Name) {
			list = append(list, f)
		}
	}
	return list, err
}

// taken reports whether a name is that of a tool of the face, or too much like it.
func (s *seat) taken(name string) bool {
	return slices.ContainsFunc(s.face.tools, func(t *metaTool) bool { return tool.FoldName(t.name) == tool.FoldName(name) })
}

// native calls a published tool.
func (s *seat) native(f runtime.Face) sdk.ToolHandler {
	t := &metaTool{name: f.Name, schema: `{"type":"object"}`}
	t.run = func(ctx context.Context, c *call) (any, error) {
		result, err := c.desk.Call(ctx, f.Name, c.args)
		if err != nil {
			return failedCall{forModels(err), f.Name, result.Logs}, err
		}
		if result.Tool.ID != f.ID {
			return nil, &tool.Error{
				Code: tool.Unavailable, Message: f.Name + " was another version, since this session has one of its own",
				Hint: "call it with call_tool",
			}
		}
		return asObject(result.Output), nil
	}
	return s.handler(t.compiled())
}

// maxNativeName is the longest name that clients take.
const maxNativeName = 64

// publishable is a tool as clients can digest it. One whose input they could not is refused, one whose output they could not
// promises none: a single bad schema makes some clients drop the whole list.
func publishable(f runtime.Face) (*sdk.Tool, error) {
	if len(f.Name) > maxNativeName {
		return nil, fmt.Errorf("the name has more than %d characters", maxNativeName)
	}
	input, err := digestible(f.InputSchema)
	if err != nil {
		return nil, err
	}
	named := title(f.Name)
	t := &sdk.Tool{
		Name: f.Name, Title: named, Description: f.Description, InputSchema: input, Annotations: hints(named, !f.SideEffects, f.SideEffects),
	}
	if output, err := digestible(f.OutputSchema); err == nil {
		t.OutputSchema = output
	}
	return t, nil
}

// digestible writes a schema without references, as every client can read it.
func digestible(text json.RawMessage) (json.RawMessage, error) {
	s, err := schema.Compile(text)
	if err != nil {
		return nil, err
	}
	var root any
	decoder := json.NewDecoder(bytes.NewReader(s.Inline(schema.InlineDepth)))
	decoder.UseNumber()
	if err := decoder.Decode(&root); err != nil {
		return nil, err
	}
	top, ok := root.(map[string]any)
	if !ok || top["type"] != "object" {
		return nil, fmt.Errorf(`the root of the schema is not exactly "type": "object"`)
	}
	plain(top)
	return json.Marshal(top)
}

// plain writes true and false as the schemas that they are, where some clients take nothing else. What else clients choke on,
// such as patterns of Go alone or keywords of theirs, was not admitted.
func plain(value any) {
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			plain(v)
		}
	case map[string]any:
		for key, v := range value {
			if properties, ok := v.(map[string]any); ok && key == "properties" {
				plainProperties(properties)
			}
			plain(v)
		}
	}
}

func plainProperties(properties map[string]any) {
	for name, p := range properties {
		switch p {
		case true:
			properties[name] = map[string]any{}
		case false:
			properties[name] = map[string]any{"not": map[string]any{}}
		}
	}
}
