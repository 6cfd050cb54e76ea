package tiers

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// bar keeps what a tool does from being registered again word for word while it is suspended for that. It outlives the tool.
type bar struct {
	ToolID  string             `json:"toolId"`
	Name    string             `json:"name"`
	Version int                `json:"version"`
	Reason  tool.SuspendReason `json:"reason"`
	Since   tool.Time          `json:"since"`
}

// keptBars is how long a bar stays whose tool is gone.
const keptBars = keptDays * 24 * time.Hour

// barKey is where the bar stands of what a persona and its specialists must not do, or nobody when no persona is named.
func barKey(tenant, persona, hash string) []byte {
	return key(toolSpace, tenant, "barred", persona, hash)
}

// barOf is where the bar of a record stands: it holds for those who could reach the tool, and in all sessions of its owner.
func barOf(tenant string, r *tool.Record) []byte {
	if r.Tier == tool.SharedTier {
		return barKey(tenant, "", r.SourceHash)
	}
	return barKey(tenant, tool.Root(r.PersonaID), r.SourceHash)
}

// forCause reports whether a tool was suspended for what it does, so that only Resume ends it.
func forCause(reason tool.SuspendReason) bool {
	return reason == tool.RepeatedFailure || reason == tool.ByAdmin || strings.HasPrefix(string(reason), string(tool.ByAdmin)+":")
}

// bar bars what a record does when it is suspended for that, and drops bars that are over.
func (e *edit) bar(r *tool.Record, reason tool.SuspendReason) error {
	if !forCause(reason) {
		return nil
	}
	if err := e.dropBars(key(toolSpace, e.by.Tenant, "barred")); err != nil {
		return err
	}
	return e.set(barOf(e.by.Tenant, r), bar{r.ID, r.Name, r.Version, reason, tool.At(e.now)})
}

// unbar ends the bar of a record that is resumed.
func (e *edit) unbar(r *tool.Record) error {
	if !forCause(r.Suspended.Reason) {
		return nil
	}
	return e.Delete(barOf(e.by.Tenant, r))
}

func (e *edit) dropBars(prefix []byte) error {
	var over [][]byte
	err := e.Scan(Range{Prefix: prefix}, func(k, text []byte) (bool, error) {
		var b bar
		if err := decode(text, &b); err != nil {
			return false, err
		}
		holds, err := b.holds(e, e.by.Tenant, e.now)
		if !holds {
			over = append(over, bytes.Clone(k))
		}
		return true, err
	})
	for _, k := range over {
		if err == nil {
			err = e.Delete(k)
		}
	}
	return err
}

// holds reports whether a bar is not over.
func (b bar) holds(r Reader, tenant string, now time.Time) (bool, error) {
	if now.Sub(b.Since.Time) < keptBars {
		return true, nil
	}
	found, err := findRecord(r, tenant, b.ToolID)
	return found != nil, err
}

// notBarred returns nil when a caller may have a tool that does what has this hash, else an error of code Suspended.
func notBarred(r Reader, c tool.Caller, hash string, now time.Time) error {
	for _, persona := range []string{tool.Root(c.Persona), ""} {
		text, found, err := r.Get(barKey(c.Tenant, persona, hash))
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		var b bar
		if err := decode(text, &b); err != nil {
			return err
		}
		holds, err := b.holds(r, c.Tenant, now)
		if err != nil {
			return err
		}
		if holds {
			return b.refusal()
		}
	}
	return nil
}

// notBarred is for what a record does, whose owner has it already.
func (e *edit) notBarred(r *tool.Record) error {
	return notBarred(e, tool.Caller{Tenant: e.by.Tenant, Persona: r.PersonaID}, r.SourceHash, e.now)
}

func (b bar) refusal() error {
	return &tool.Error{
		Code: tool.Suspended, Path: "/implementation", Message: fmt.Sprintf("version %d of %s, which does just this, was suspended: %s", b.Version, b.Name, b.Reason),
		Hint: "have it do otherwise, as the reason wants, or ask an operator to resume that version: host tool resume " + b.ToolID,
	}
}

// NotBarred returns nil when a caller may register what has this hash: nothing that does the same is suspended for what it does. The
// error is of code Suspended. Put and Promote decide it again.
func (s *Shelf) NotBarred(ctx context.Context, c tool.Caller, hash string) error {
	now := s.opt.Now()
	return asError(s.store.View(ctx, func(r Reader) error { return notBarred(r, c, hash, now) }))
}
