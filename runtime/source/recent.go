package source

import (
	"container/list"
	"crypto/sha256"
	"sync"
)

// recent keeps the texts made lately from others, the least recently used leaving first. It is safe for concurrent use.
type recent struct {
	mu    sync.Mutex
	most  int // bytes of texts
	bytes int
	order *list.List // of pair, the latest in front
	byKey map[[sha256.Size]byte]*list.Element
}

type pair struct {
	key  [sha256.Size]byte
	text string
}

func newRecent(most int) *recent {
	return &recent{most: most, order: list.New(), byKey: map[[sha256.Size]byte]*list.Element{}}
}

// get returns what was made from a text.
func (r *recent) get(from string) (string, bool) {
	key := sha256.Sum256([]byte(from))
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.byKey[key]
	if !ok {
		return "", false
	}
	r.order.MoveToFront(e)
	return e.Value.(pair).text, true //nolint:forcetypeassert // put stores nothing else
}

// put keeps what was made from a text, unless it would fill the cache alone.
func (r *recent) put(from, text string) {
	key := sha256.Sum256([]byte(from))
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.byKey[key]; ok || len(text) > r.most {
		return
	}
	r.byKey[key] = r.order.PushFront(pair{key, text})
	for r.bytes += len(text); r.bytes > r.most; {
		last := r.order.Remove(r.order.Back()).(pair) //nolint:forcetypeassert // as above
		delete(r.byKey, last.key)
		r.bytes -= len(last.text)
	}
}
