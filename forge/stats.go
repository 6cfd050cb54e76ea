package forge

import (
	"maps"
	"sync"
)

// Counts are what became of requests. Members are only ever added.
type Counts struct {
	Attempts              int     `json:"attempts"` // that were decided
	Approved              int     `json:"approved"`
	Rejected              int     `json:"rejected"`
	ApprovedConfidenceSum float64 `json:"approvedConfidenceSum"`
	// The names count once each, however often they were asked for. Beyond 10,000 new ones are not told apart any more.
	UniqueNames              int              `json:"uniqueNames"`
	UniqueApproved           int              `json:"uniqueApproved"`
	UniqueTerminalRejections int              `json:"uniqueTerminalRejections"` // rejected, and never approved
	RejectionReasons         map[Category]int `json:"rejectionReasons"`         // every category is there
}

// Stats counts what becomes of requests: Record is for Options.Watch. The zero value has counted nothing. It is safe for
// concurrent use.
type Stats struct {
	mu       sync.Mutex
	counts   Counts          // but for what the names say
	approved map[string]bool // by name: whether it ever was
}

// maxNames bounds the names that are told apart.
const maxNames = 10_000

// unnamed stands for a name that could not be read.
const unnamed = "unnamed"

// Record counts an event that ends a request; what the host could not decide counts as rejected. Others count for nothing.
func (s *Stats) Record(e Event) {
	if e.Kind != Approved && e.Kind != Rejected && e.Kind != Failed {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Attempts++
	if e.Kind == Approved {
		s.counts.Approved++
		s.counts.ApprovedConfidenceSum += e.Confidence
	} else {
		s.counts.Rejected++
		s.reject(e.Category)
	}
	s.name(e.Name, e.Kind == Approved)
}

// reject counts a category; one that is not known is Other.
func (s *Stats) reject(c Category) {
	if s.counts.RejectionReasons == nil {
		s.counts.RejectionReasons = noReasons()
	}
	if _, known := s.counts.RejectionReasons[c]; !known {
		c = Other
	}
	s.counts.RejectionReasons[c]++
}

func (s *Stats) name(name string, approved bool) {
	if name == "" || name == unnamed {
		return
	}
	before, known := s.approved[name]
	if !known && len(s.approved) >= maxNames {
		return
	}
	if s.approved == nil {
		s.approved = map[string]bool{}
	}
	s.approved[name] = before || approved
}

// Snapshot returns what was counted until now. It belongs to the caller.
func (s *Stats) Snapshot() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.counts
	now.RejectionReasons = noReasons()
	maps.Copy(now.RejectionReasons, s.counts.RejectionReasons)
	now.UniqueNames = len(s.approved)
	for _, approved := range s.approved {
		if approved {
			now.UniqueApproved++
		}
	}
	now.UniqueTerminalRejections = now.UniqueNames - now.UniqueApproved
	return now
}

// Reset forgets all that was counted.
func (s *Stats) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts, s.approved = Counts{}, nil
}

// noReasons has every category, at zero.
func noReasons() map[Category]int {
	none := map[Category]int{}
	for _, c := range Categories() {
		none[c] = 0
	}
	return none
}
