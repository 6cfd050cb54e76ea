package runtime

import (
	"context"

	"example.com/toolsmith/runtime/search"
	"example.com/toolsmith/runtime/tool"
)

// Capabilities describes the promoted tools that a caller may call now, by name, for an index of capabilities elsewhere. Tools
// of the session tier are not among them.
func (h *Host) Capabilities(ctx context.Context, c tool.Caller) ([]search.Descriptor, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if h.opt.Shelf == nil {
		return []search.Descriptor{}, nil
	}
	visible, err := h.opt.Shelf.Visible(ctx, c)
	if err != nil {
		return nil, tool.AsError(err)
	}
	var list []*tool.Record
	for _, r := range visible {
		if r.Callable() == nil && h.opt.Permit(c, r.Name) {
			list = append(list, r)
		}
	}
	return search.DescribeAll(list, func(name string) bool {
		t, err := h.resolve(ctx, c, name)
		return err != nil || t.SideEffects
	}), nil
}
