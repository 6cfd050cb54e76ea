package runtime

import (
	"context"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/tool"
)

// denial is a power that a caller's tool was not granted.
type denial struct {
	tool.Caller
	tool, api string
}

// tellDenials writes the powers that a call asked for and was not granted to the audit log: each once a minute.
func (h *Host) tellDenials(ctx context.Context, c tool.Caller, t *callable, uses []hostapi.Use) error {
	if h.opt.Shelf == nil {
		return nil
	}
	for _, u := range uses {
		if u.Outcome != string(tool.Denied) || !h.denials.First(denial{c, t.Name, u.API}, h.opt.Now()) {
			continue
		}
		data := map[string]any{"tool": t.Name, "api": u.API, "op": u.Op, "asked": u.Detail, "count": u.Count}
		if err := h.opt.Shelf.Log(context.WithoutCancel(ctx), tool.Actor{Caller: c}, t.ID, tool.PowerDenied, data); err != nil {
			return err
		}
	}
	return nil
}
