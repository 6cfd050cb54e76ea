package runtime

import (
	"context"
	"slices"
	"sync"

	"example.com/toolsmith/runtime/tool"
)

// Shelf is what the host needs of where forged tools are kept. Errors are *tool.Error.
type Shelf interface {
	// Find returns the tool that a caller means by a name.
	Find(ctx context.Context, c tool.Caller, name string) (*tool.Record, error)
	// Visible returns all that a caller may see, by name.
	Visible(ctx context.Context, c tool.Caller) ([]*tool.Record, error)
	// Current returns all of a tenant whose place no other has taken, whoever may see them.
	Current(ctx context.Context, tenant string) ([]*tool.Record, error)
	// Implementation returns what a version does, whole.
	Implementation(ctx context.Context, tenant, id string) (tool.Implementation, error)
	// Counts is nil when uses can be counted now, and else why not. It is asked before each call of a forged tool.
	Counts(ctx context.Context) error
	// RecordUse counts a finished call; it does not wait for a disk.
	RecordUse(ctx context.Context, tenant, id string, use tool.Use) error
	// Touch says that a session is in use.
	Touch(ctx context.Context, c tool.Caller) error
	// Log writes an entry of the audit log, which is on disk when Log returns.
	Log(ctx context.Context, by tool.Actor, toolID string, kind tool.EventType, data any) error
}

// seat is who means what by a name.
type seat struct {
	tool.Caller
	name string
}

// entry is what a name meant in a generation of its tenant.
type entry struct {
	*callable
	generation uint64
}

// table keeps forged tools ready, so that a call need not read and compile them. What changes on the shelf makes the entries
// of its tenant stale at once.
type table struct {
	mu          sync.RWMutex
	entries     map[seat]entry
	ready       map[[2]string]*callable // by tenant and id: sessions share what a tool was compiled to
	generations map[string]uint64       // by tenant; that of "" counts for all
}

// maxEntries bounds a table. A full one is emptied: that costs each tool one compilation.
const maxEntries = 10_000

func (t *table) get(at seat) (*callable, uint64) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	now := t.now(at.Tenant)
	if e, ok := t.entries[at]; ok && e.generation == now {
		return e.callable, now
	}
	return nil, now
}

// now is the generation of a tenant.
func (t *table) now(tenant string) uint64 { return t.generations[tenant] + t.generations[""] }

// put keeps what a name meant in a generation.
func (t *table) put(at seat, generation uint64, c *callable) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.entries == nil || len(t.entries) >= maxEntries {
		t.entries = map[seat]entry{}
	}
	t.entries[at] = entry{c, generation}
}

func (t *table) compiled(tenant, id string) *callable {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.ready[[2]string{tenant, id}]
}

func (t *table) keep(tenant string, c *callable) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ready == nil || len(t.ready) >= maxEntries {
		t.ready = map[[2]string]*callable{}
	}
	t.ready[[2]string{tenant, c.ID}] = c
}

// changed makes what is known of a tenant stale.
func (t *table) changed(tenant string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.generations == nil {
		t.generations = map[string]uint64{}
	}
	t.generations[tenant]++
}

// Changed says that something has changed on the shelf of a tenant: what calls mean by a name is looked up anew.
func (h *Host) Changed(tenant string) { h.table.changed(tenant) }

// ChangedAll says that something may have changed on the shelf of any tenant.
func (h *Host) ChangedAll() { h.table.changed("") }

// resolve returns the tool that a caller means by a name and may call now.
func (h *Host) resolve(ctx context.Context, c tool.Caller, name string) (*callable, error) {
	if !h.opt.Permit(c, name) {
		return nil, &tool.Error{Code: tool.Denied, Message: "the persona " + c.Persona + " may not call " + name, Hint: "an operator can permit it"}
	}
	if t := h.tools.get(name); t != nil {
		return t, nil
	}
	if h.opt.Shelf == nil {
		return nil, notFound(name)
	}
	at := seat{c, name}
	t, generation := h.table.get(at)
	if t != nil {
		return t, nil
	}
	if tool.CheckName(name) != "" {
		return nil, notFound(name)
	}
	t, err := h.load(ctx, c, name)
	if err != nil {
		return nil, err
	}
	h.table.put(at, generation, t)
	return t, nil
}

func notFound(name string) error {
	return &tool.Error{Code: tool.NotFound, Message: tool.Quote(name) + " is no tool that you can see", Hint: "list or search the tools; one of the session tier is seen in its own session alone"}
}

// load makes a forged tool ready.
func (h *Host) load(ctx context.Context, c tool.Caller, name string) (*callable, error) {
	r, err := h.opt.Shelf.Find(ctx, c, name)
	if err != nil {
		return nil, err
	}
	if err := r.Callable(); err != nil {
		return nil, err
	}
	if t := h.table.compiled(c.Tenant, r.ID); t != nil && t.Tier == r.Tier {
		return t, nil
	}
	impl, err := h.opt.Shelf.Implementation(ctx, c.Tenant, r.ID)
	if err != nil {
		return nil, err
	}
	t, err := h.compile(ctx, c, r, impl)
	if err == nil {
		h.table.keep(c.Tenant, t)
	}
	return t, err
}

// compile makes a record callable. What a pipeline's steps may call is looked at when they do.
func (h *Host) compile(ctx context.Context, c tool.Caller, r *tool.Record, impl tool.Implementation) (*callable, error) {
	input, output, err := compileSchemas(r.InputSchema, r.OutputSchema)
	if err != nil {
		return nil, err
	}
	t := &callable{Face: faceOf(r, impl), input: input, output: output}
	if impl.Mode == tool.SandboxMode {
		code, _, err := h.code(ctx, r.Tier, impl)
		t.body, t.memory = code, int64(code.limits.MemoryBytes) //nolint:gosec // at most 1 GiB
		return t, err
	}
	t.memory = h.mostMemory() // of whichever of its steps, one at a time
	made, err := h.pipeline(r.Name, impl)
	if err != nil {
		return nil, err
	}
	t.body, t.calls = made, made.pipeline.Tools()
	t.SideEffects = slices.ContainsFunc(t.calls, func(name string) bool {
		step, err := h.resolve(ctx, c, name)
		return err != nil || step.SideEffects
	})
	return t, nil
}
