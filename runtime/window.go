package runtime

import "time"

// window counts what happened of late, in slots of 5 s. The current slot and the 12 before it count, so that never more than a
// limit falls into any 60 s, and what happened is forgotten after 60 to 65 s.
type window struct {
	slots  [slots]int64 // slot n is at n modulo slots
	newest int64        // since the Unix epoch
	sum    int64
}

const (
	slots    = 13
	slotTime = 5 * time.Second
)

// forgotten is how long ago something must have happened that no window knows it.
const forgotten = slots * slotTime

// slotOf is the slot of a moment.
func slotOf(now time.Time) int64 { return max(now.Unix(), 0) / int64(slotTime/time.Second) }

// move forgets what is too old. A clock that goes back changes nothing.
func (w *window) move(now time.Time) {
	to := slotOf(now)
	if to-w.newest >= slots {
		*w = window{newest: to}
	}
	for ; w.newest < to; w.newest++ {
		next := &w.slots[(w.newest+1)%slots]
		w.sum -= *next
		*next = 0
	}
}

// add counts n, which is not negative, as of the moment that move was told last.
func (w *window) add(n int64) {
	w.slots[w.newest%slots] += n
	w.sum += n
}

// below is how long it takes from now until less than most is known.
func (w *window) below(most int64, now time.Time) time.Duration {
	left := w.sum
	for age := int64(slots - 1); age >= 0 && left >= most; age-- {
		ends := w.newest - age + slots // the slot in which it is forgotten
		if left -= w.slots[ends%slots]; left < most {
			return time.Unix(ends*int64(slotTime/time.Second), 0).Sub(now)
		}
	}
	return 0
}
