package toolsmith

import (
	"context"

	"example.com/toolsmith/runtime/tool"
)

// Usage returns what is used of each limit that a caller is under, with whoever shares it. Of calls it is those of this host: each
// process of a data directory counts its own.
func (h *Host) Usage(ctx context.Context, c tool.Caller) (tool.Usage, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return tool.Usage{}, err
	}
	defer leave()
	stored, err := h.shelf.Usage(ctx, c)
	if err != nil {
		return tool.Usage{}, err
	}
	return h.tools.Usage(c).Plus(stored), nil
}
