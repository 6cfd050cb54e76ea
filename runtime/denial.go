package runtime

import (
	"context"
	"sync"
	"time"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/tool"
)

// denials remembers what was told of powers that were not granted: of a caller's tool and an API once a minute, so that no tool
// can fill the log.
type denials struct {
	mu     sync.Mutex
	minute int64
	told   map[denial]bool
}

type denial struct {
	tool.Caller
	tool, api string
}

// maxDenials bounds what is told in a minute by all.
const maxDenials = 1000

// first reports whether this is to be told.
func (d *denials) first(at denial, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if minute := now.Unix() / 60; minute != d.minute || d.told == nil {
		d.minute, d.told = minute, map[denial]bool{}
	}
	if d.told[at] || len(d.told) >= maxDenials {
		return false
	}
	d.told[at] = true
	return true
}

// tellDenials writes the powers that a call asked for and was not granted to the audit log.
func (h *Host) tellDenials(ctx context.Context, c tool.Caller, t *callable, uses []hostapi.Use) error {
	if h.opt.Shelf == nil {
		return nil
	}
	for _, u := range uses {
		if u.Outcome != string(tool.Denied) || !h.denials.first(denial{c, t.Name, u.API}, h.opt.Now()) {
			continue
		}
		data := map[string]any{"tool": t.Name, "api": u.API, "op": u.Op, "asked": u.Detail, "count": u.Count}
		if err := h.opt.Shelf.Log(context.WithoutCancel(ctx), tool.Actor{Caller: c}, t.ID, tool.PowerDenied, data); err != nil {
			return err
		}
	}
	return nil
}
