package runtime

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"example.com/toolsmith/runtime/search"
	"example.com/toolsmith/runtime/tool"
)

// Similar returns the tools that a caller may call and that are at least so much like a candidate, 0 to 1, the most alike
// first. The tool whose place the candidate would take is not among them. The error is a *tool.Error.
func (h *Host) Similar(ctx context.Context, c tool.Caller, candidate tool.Candidate, least float64) ([]search.Similar, error) {
	var among []*search.Profile
	var faces []Face
	add := func(f Face, p *search.Profile) {
		if (f.ID == "" || f.ID != candidate.Supersedes) && h.opt.Permit(c, f.Name) {
			faces, among = append(faces, f), append(among, p)
		}
	}
	for _, name := range h.tools.names() {
		add(h.tools.get(name).Face, h.hostProfile(name))
	}
	if h.opt.Shelf != nil {
		visible, err := h.opt.Shelf.Visible(ctx, c)
		if err != nil {
			return nil, tool.AsError(err)
		}
		for _, r := range visible {
			if r.Callable() != nil {
				continue
			}
			p, err := h.recordProfile(ctx, c.Tenant, r)
			if err != nil {
				return nil, tool.AsError(err)
			}
			add(faceOf(r, r.Implementation), p)
		}
	}
	document := search.Document{
		Name: candidate.Name, Description: candidate.Description, InputSchema: candidate.InputSchema, OutputSchema: candidate.OutputSchema,
	}
	var list []search.Similar
	for _, m := range search.Like(search.NewProfile(document, candidate.Implementation, candidate.SourceHash), among, least) {
		f := faces[m.At]
		list = append(list, search.Similar{Name: f.Name, ID: f.ID, Description: f.Description, Likeness: m.Likeness})
	}
	return list, nil
}

// Pair is two tools that are alike, the one with the more uses first.
type Pair struct {
	Tool *tool.Record `json:"tool"` // without code
	Like *tool.Record `json:"like"` // without code
	search.Likeness
}

// MaxPairs is how many pairs Duplicates returns at the most.
const MaxPairs = 1000

// Duplicates returns the pairs of a tenant's forged tools that can be called and are at least so much alike, whoever may see
// them, the most alike first. It compares each with each, which takes seconds for thousands. The error is a *tool.Error.
func (h *Host) Duplicates(ctx context.Context, tenant string, least float64) ([]Pair, error) {
	if h.opt.Shelf == nil {
		return nil, nil
	}
	records, err := h.opt.Shelf.Current(ctx, tenant)
	if err != nil {
		return nil, tool.AsError(err)
	}
	records = slices.DeleteFunc(records, func(r *tool.Record) bool { return r.Callable() != nil })
	slices.SortStableFunc(records, func(a, b *tool.Record) int { return cmp.Compare(b.UsageStats.TotalUses, a.UsageStats.TotalUses) })
	profiles := make([]*search.Profile, len(records))
	for i, r := range records {
		if profiles[i], err = h.recordProfile(ctx, tenant, r); err != nil {
			return nil, tool.AsError(err)
		}
	}
	var pairs []Pair
	for i, p := range profiles {
		if err := ctx.Err(); err != nil {
			return nil, tool.AsError(err)
		}
		for _, m := range search.Like(p, profiles[i+1:], least) {
			pairs = append(pairs, Pair{records[i], records[i+1+m.At], m.Likeness})
		}
		if len(pairs) > 2*MaxPairs {
			pairs = mostAlike(pairs)
		}
	}
	pairs = mostAlike(pairs)
	for i := range pairs {
		pairs[i].Tool, pairs[i].Like = withoutCode(pairs[i].Tool), withoutCode(pairs[i].Like)
	}
	return pairs, nil
}

// mostAlike sorts pairs and cuts off those that are too many.
func mostAlike(pairs []Pair) []Pair {
	slices.SortStableFunc(pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Tool.Name, b.Tool.Name), cmp.Compare(a.Like.Name, b.Like.Name))
	})
	return pairs[:min(len(pairs), MaxPairs)]
}

func withoutCode(r *tool.Record) *tool.Record {
	without := *r
	without.Implementation = r.Implementation.Redact()
	return &without
}

// profiles remembers what tools are compared by, by tenant and id; tools of the host have no tenant. What an id stands for
// does not change.
type profiles struct {
	mu   sync.Mutex
	made map[[2]string]*search.Profile
}

func (p *profiles) get(k [2]string) *search.Profile {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.made[k]
}

func (p *profiles) keep(k [2]string, made *search.Profile) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made == nil || len(p.made) >= maxEntries {
		p.made = map[[2]string]*search.Profile{}
	}
	p.made[k] = made
}

// hostProfile is what a tool of the host is compared by: what it says, since what it does is Go.
func (h *Host) hostProfile(name string) *search.Profile {
	k := [2]string{"", name}
	p := h.profiles.get(k)
	if p == nil {
		p = search.NewProfile(h.tools.get(name).document(), tool.Implementation{}, "")
		h.profiles.keep(k, p)
	}
	return p
}

// recordProfile is what a forged tool is compared by; without its code when that is not there.
func (h *Host) recordProfile(ctx context.Context, tenant string, r *tool.Record) (*search.Profile, error) {
	k := [2]string{tenant, r.ID}
	if p := h.profiles.get(k); p != nil {
		return p, nil
	}
	impl, err := h.opt.Shelf.Implementation(ctx, tenant, r.ID)
	if errors.Is(err, tool.Unavailable) || errors.Is(err, tool.NotFound) {
		return search.NewProfile(faceOf(r, r.Implementation).document(), r.Implementation.Redact(), r.SourceHash), nil
	}
	if err != nil {
		return nil, err
	}
	p := search.NewProfile(faceOf(r, impl).document(), impl, r.SourceHash)
	h.profiles.keep(k, p)
	return p, nil
}
