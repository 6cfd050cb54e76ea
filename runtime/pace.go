package runtime

import "time"

// pace is how fast those that wait are served, as far as it is known: about the mean of the last dozen. The zero value knows nothing.
type pace struct {
	last  time.Time // when somebody was served
	every time.Duration
}

// next counts one that is served now.
func (p *pace) next(now time.Time) {
	const weight = 12
	gap := max(now.Sub(p.last), 0)
	switch {
	case p.last.IsZero():
	case p.every == 0:
		p.every = gap
	default:
		p.every += (gap - p.every) / weight
	}
	p.last = now
}

// of is how long serving so many takes; 0 where that is not known.
func (p *pace) of(n int) time.Duration { return time.Duration(n) * p.every }
