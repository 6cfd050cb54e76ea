package hostapi

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"sync"
)

// randomness is the source of the session's randomness: the host's, or a repeatable one when the session has a seed.
func (s *Session) randomness() io.Reader {
	if s.seed == 0 {
		return s.host.options.Random
	}
	var key [32]byte
	copy(key[8:], "toolsmith crypto")
	binary.LittleEndian.PutUint64(key[:], s.seed)
	return &seeded{source: rand.NewChaCha8(key)}
}

// seeded is repeatable randomness. It is safe for concurrent use; the order of uses decides who gets what.
type seeded struct {
	mu     sync.Mutex
	source *rand.ChaCha8
}

func (s *seeded) Read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.source.Read(b)
}
