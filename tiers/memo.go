package tiers

import (
	"bytes"
	"sync"
)

// memo remembers what values of the store were decoded to, so that one that is still the same is not decoded again. What it returns
// is shared, and nobody changes it. It is safe for concurrent use; the zero value is ready.
type memo[T any] struct {
	mu   sync.Mutex
	seen map[string]decoded[T] // by the key in the store
}

type decoded[T any] struct {
	text  []byte
	value *T
}

// maxDecoded bounds them; a full memory is emptied.
const maxDecoded = 4096

// get reads what lies under a key; nil when nothing does.
func (m *memo[T]) get(r Reader, k []byte) (*T, error) {
	text, found, err := r.Get(k)
	if err != nil || !found {
		return nil, err
	}
	if known := m.known(k, text); known != nil {
		return known, nil
	}
	value := new(T)
	if err := decode(text, value); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen == nil || len(m.seen) >= maxDecoded {
		m.seen = map[string]decoded[T]{}
	}
	m.seen[string(k)] = decoded[T]{bytes.Clone(text), value}
	return value, nil
}

func (m *memo[T]) known(k, text []byte) *T {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at := m.seen[string(k)]; bytes.Equal(at.text, text) {
		return at.value
	}
	return nil
}
