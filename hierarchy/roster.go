package hierarchy

import (
	"slices"
	"sync"

	"example.com/toolsmith/runtime/tool"
)

// member is an agent of a run that can be delegated to. It does not change.
type member struct {
	Agent
	caller   tool.Caller // whom it acts as
	emergent bool        // a specialist
}

// roster is who can be delegated to, in the order in which they came.
type roster struct {
	mu   sync.Mutex
	list []*member
}

func (r *roster) add(m *member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, m)
}

func (r *roster) all() []*member {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

func (r *roster) size() int { return len(r.all()) }

// has reports whether there is somebody of that name, or of one that is much like it.
func (r *roster) has(role string) bool {
	return slices.ContainsFunc(r.all(), func(m *member) bool { return tool.FoldName(m.Name) == tool.FoldName(role) })
}
