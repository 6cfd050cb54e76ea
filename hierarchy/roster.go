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

// find returns who has that name, or one that is much like it; nil when nobody does.
func (r *roster) find(role string) *member {
	for _, m := range r.all() {
		if tool.FoldName(m.Name) == tool.FoldName(role) {
			return m
		}
	}
	return nil
}

func (r *roster) has(role string) bool { return r.find(role) != nil }

func (r *roster) names() (list []string) {
	for _, m := range r.all() {
		list = append(list, m.Name)
	}
	return list
}
