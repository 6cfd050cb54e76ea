package toolsmith

import (
	"context"
	"encoding/json"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/selfimprove"
)

// Workflows keeps the chains of tool calls that personas have, and runs them. Their steps take the way of every call.
func (h *Host) Workflows() *selfimprove.Workflows { return h.self.workflows }

// callStep is Call for a step of a workflow.
func (h *Host) callStep(ctx context.Context, c tool.Caller, name string, input json.RawMessage) (json.RawMessage, error) {
	result, err := h.Call(ctx, c, name, input)
	return result.Output, err
}

// callable reports whether a caller may call a tool now.
func (h *Host) callable(ctx context.Context, c tool.Caller, name string) bool {
	if !h.permits(c, name) || h.load(ctx) != nil {
		return false
	}
	if h.tools.Has(name) {
		return true
	}
	r, err := h.shelf.Find(ctx, c, name)
	return err == nil && r.Callable() == nil
}

// inputSchema is what a tool takes that a caller may call; nil when there is none.
func (h *Host) inputSchema(ctx context.Context, c tool.Caller, name string) json.RawMessage {
	if !h.tools.Has(name) {
		r, err := h.shelf.Find(ctx, c, name)
		if err != nil {
			return nil
		}
		return r.InputSchema
	}
	if known, ok := h.self.inputs.Load(name); ok {
		return known.(json.RawMessage)
	}
	list, err := h.tools.Tools(ctx, c)
	if err != nil {
		return nil
	}
	for _, t := range list {
		if t.Name == name && t.ID == "" {
			h.self.inputs.Store(name, t.InputSchema)
			return t.InputSchema
		}
	}
	return nil
}
