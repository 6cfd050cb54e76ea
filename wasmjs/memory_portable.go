//go:build !linux || portable

package wasmjs

// defaultMaxMemory is the memory each instance holds. Here it is part of the Go heap, lazily backed by the system, so
// it is no larger than the default memory limit.
const defaultMaxMemory = 128 << 20

// memory is an instance's linear memory: one slice that never moves.
type memory struct{ bytes []byte }

// reserve makes size bytes of zeroes.
func reserve(size uint64) (*memory, error) { return &memory{make([]byte, size)}, nil }

// Reallocate implements experimental.LinearMemory. It hands out the whole reservation whatever the module declares, so
// that the engine's own bound, not the module's, is what every access is checked against.
func (m *memory) Reallocate(uint64) []byte { return m.bytes }

// Free implements experimental.LinearMemory.
func (m *memory) Free() { m.bytes = nil }

// zero makes [from, to) read as zeroes again.
func (m *memory) zero(from, to uint64) { clear(m.bytes[from:to]) }
