//go:build linux && !portable

package wasmjs

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// defaultMaxMemory is the address space an instance reserves: the largest memory limit there is. Only pages that are
// touched cost memory.
const defaultMaxMemory = 1 << 30

// cheapToClear is the size up to which zeroing grown memory beats giving it back and faulting it in again.
const cheapToClear = 256 << 10

// memory is an instance's linear memory: one reservation that never moves.
type memory struct{ bytes []byte }

// reserve maps size bytes of zeroes without committing them.
func reserve(size uint64) (*memory, error) {
	const flags = unix.MAP_PRIVATE | unix.MAP_ANON | unix.MAP_NORESERVE
	b, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, flags) //nolint:gosec // at most 1 GiB
	if err != nil {
		return nil, fmt.Errorf("reserving %d MiB of address space for a sandbox: %w", size>>20, err)
	}
	// Huge pages would make every idle instance cost megabytes. Kernels without them refuse the advice.
	_ = unix.Madvise(b, unix.MADV_NOHUGEPAGE)
	return &memory{b}, nil
}

// Reallocate implements experimental.LinearMemory. It hands out the whole reservation whatever the module declares, so
// that the engine's own bound, not the module's, is what every access is checked against.
func (m *memory) Reallocate(uint64) []byte { return m.bytes }

// Free implements experimental.LinearMemory.
func (m *memory) Free() {
	if m.bytes != nil {
		_ = unix.Munmap(m.bytes)
		m.bytes = nil
	}
}

// zero makes [from, to) read as zeroes again and gives large ranges back to the system.
func (m *memory) zero(from, to uint64) {
	b := m.bytes[from:to]
	if len(b) > cheapToClear && unix.Madvise(b, unix.MADV_DONTNEED) == nil {
		return
	}
	clear(b)
}
