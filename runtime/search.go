package runtime

import (
	"context"
	"math"
	"sync"

	"example.com/toolsmith/runtime/search"
	"example.com/toolsmith/runtime/tool"
)

// Hit is a tool that a search found.
type Hit struct {
	Face
	Score float64 `json:"score"` // higher is better; comparable within one answer
}

// Search returns the tools that a caller may call and that fit a query best, at most limit and at most search.MaxHits; a
// limit of 0 is 10. The error is a *tool.Error: InvalidRequest for a query without words, or one that is too long.
func (h *Host) Search(ctx context.Context, c tool.Caller, query string, limit int) ([]Hit, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	known, err := h.catalog(ctx, c.Tenant)
	if err != nil {
		return nil, tool.AsError(err)
	}
	found, err := known.index.Search(query, limit, func(doc int) bool { return known.sees(c, doc) && h.opt.Permit(c, known.tools[doc].Name) })
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, 0, len(found))
	for _, f := range found {
		const steps = 1000
		hits = append(hits, Hit{known.tools[f.Doc].Face, math.Round(f.Score*steps) / steps})
	}
	return hits, nil
}

// catalogs keeps what can be searched, for each tenant. It is made when somebody searches, and anew after a change.
type catalogs struct {
	mu   sync.Mutex
	made map[string]*catalogSlot
}

// catalogSlot has the catalog of one tenant, which one search makes while others wait for it.
type catalogSlot struct {
	mu sync.Mutex
	*catalog
}

// maxCatalogs bounds the tenants whose catalogs are kept. When there are more, all are dropped.
const maxCatalogs = 256

func (c *catalogs) slot(tenant string) *catalogSlot {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made[tenant] == nil {
		if c.made == nil || len(c.made) >= maxCatalogs {
			c.made = map[string]*catalogSlot{}
		}
		c.made[tenant] = &catalogSlot{}
	}
	return c.made[tenant]
}

// catalog is all that there is for a tenant, whoever may see it. It does not change.
type catalog struct {
	generation uint64 // of the tenant
	hostTools  int
	tools      []listed // in the order of the index
	named      map[string][]int
	index      *search.Index
}

// listed is a tool in a catalog.
type listed struct {
	Face
	record *tool.Record // without what only weighs; nil for a tool of the host
}

// catalog returns that of a tenant as it is now.
func (h *Host) catalog(ctx context.Context, tenant string) (*catalog, error) {
	slot := h.catalogs.slot(tenant)
	slot.mu.Lock()
	defer slot.mu.Unlock()
	generation, names := h.table.generation(tenant), h.tools.names()
	if known := slot.catalog; known != nil && known.generation == generation && known.hostTools == len(names) {
		return known, nil
	}
	var records []*tool.Record
	if h.opt.Shelf != nil {
		var err error
		if records, err = h.opt.Shelf.Current(ctx, tenant); err != nil {
			return nil, err
		}
	}
	made := &catalog{generation: generation, hostTools: len(names), named: map[string][]int{}}
	for _, name := range names {
		made.tools = append(made.tools, listed{Face: h.tools.get(name).Face})
	}
	for _, r := range records {
		made.named[r.Name] = append(made.named[r.Name], len(made.tools))
		made.tools = append(made.tools, listed{faceOf(r, r.Implementation), bare(r)})
	}
	docs := make([]search.Document, len(made.tools))
	for i, t := range made.tools {
		docs[i] = t.document()
	}
	made.index = search.New(docs)
	slot.catalog = made
	return made, nil
}

// bare is a record without what only weighs in a catalog.
func bare(r *tool.Record) *tool.Record {
	return &tool.Record{
		ID: r.ID, Name: r.Name, Tier: r.Tier, CreatedBy: r.CreatedBy, PersonaID: r.PersonaID, SessionID: r.SessionID,
		IsActive: r.IsActive, Suspended: r.Suspended, SupersededBy: r.SupersededBy, SourceHash: r.SourceHash,
	}
}

// generation is how often a tenant has changed.
func (t *table) generation(tenant string) uint64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.now(tenant)
}

// document is a tool as it is searched for.
func (f Face) document() search.Document {
	return search.Document{Name: f.Name, Description: f.Description, Tags: f.Tags, InputSchema: f.InputSchema, OutputSchema: f.OutputSchema}
}

// sees reports whether a caller can call a tool by its name: it is in the caller's sight, can be called, and no other of that
// name comes before it.
func (c *catalog) sees(caller tool.Caller, doc int) bool {
	r := c.tools[doc].record
	if r == nil {
		return true
	}
	if !r.VisibleTo(caller) || r.Callable() != nil {
		return false
	}
	for _, other := range c.named[r.Name] {
		o := c.tools[other].record
		if o.Tier.Rank() < r.Tier.Rank() && o.VisibleTo(caller) {
			return false
		}
	}
	return true
}
