package tiers

import (
	"bytes"
	"fmt"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// day is what was used in a day in UTC, by a persona or by its whole tenant.
type day struct {
	tool.Spent

	Forges int `json:"forges,omitempty"` // attempts
}

const keptDays = 31

// dayKey is where the day of a persona stands, or that of its tenant when no persona is named.
func dayKey(of tool.Caller, at time.Time) []byte {
	return spentKey(of, "day", at.UTC().Format(time.DateOnly))
}

// firstDay is where the days begin that are kept.
func firstDay(of tool.Caller, now time.Time) []byte {
	return dayKey(of, now.UTC().AddDate(0, 0, 1-keptDays))
}

// midnight is how long it takes until the next day in UTC.
func midnight(now time.Time) time.Duration {
	const whole = 24 * time.Hour
	return now.UTC().Truncate(whole).Add(whole).Sub(now)
}

func readDay(r Reader, at []byte) (sum day, err error) {
	text, found, err := r.Get(at)
	if err != nil || !found {
		return sum, err
	}
	return sum, decode(text, &sum)
}

// usedToday is what is used of a day: with what is held back for models that are being asked.
func usedToday(r Reader, of tool.Caller, now time.Time) (today day, err error) {
	if today, err = readDay(r, dayKey(of, now)); err != nil {
		return today, err
	}
	held, err := readSpent(r, holdKey(of, now))
	today.Spent = today.Add(held)
	return today, err
}

// counted are those whose days a caller's use counts for: its persona, or that of the manager of a specialist, and its tenant.
func counted(c tool.Caller) []tool.Caller {
	return []tool.Caller{persona(c), {Tenant: c.Tenant}}
}

// persona is whose days those of a caller's persona are.
func persona(c tool.Caller) tool.Caller {
	return tool.Caller{Tenant: c.Tenant, Persona: tool.Root(c.Persona)}
}

func (d day) forges(q tool.Quota) limited {
	return limited{"forgesPerDay", float64(d.Forges), float64(q.ForgesPerDay), "attempts to forge in a day"}
}

// limits are all of a day.
func (d day) limits(q tool.Quota) []limited { return append([]limited{d.forges(q)}, d.judges(q)...) }

func (d day) judges(q tool.Quota) []limited {
	return []limited{
		{"judgeTokensPerDay", float64(tokens(d.Spent)), float64(q.JudgeTokensPerDay), "tokens in a day"},
		{"judgeCostPerDay", d.CostUSD, q.JudgeCostPerDay, "dollars in a day"},
	}
}

// use counts for the day of the actor's persona and of its tenant.
func (e *edit) use(more day) error {
	for _, of := range counted(e.by.Caller) {
		quota, err := e.shelf.quotaOf(e, of)
		if err != nil {
			return err
		}
		before, err := readDay(e, dayKey(of, e.now))
		if err != nil {
			return err
		}
		after := day{before.Add(more.Spent), before.Forges + more.Forges}
		if err := e.set(dayKey(of, e.now), after); err != nil {
			return err
		}
		was := before.limits(quota)
		for i, l := range after.limits(quota) {
			if err := e.warn(of, l, was[i].used); err != nil {
				return err
			}
		}
		if err := e.dropBefore(spentKey(of, "day"), firstDay(of, e.now)); err != nil {
			return err
		}
	}
	return nil
}

// dropBefore deletes what stands under a prefix before a key.
func (e *edit) dropBefore(prefix, first []byte) error {
	var old [][]byte
	err := e.Scan(Range{Prefix: prefix}, func(k, _ []byte) (bool, error) {
		if bytes.Compare(k, first) >= 0 {
			return false, nil
		}
		old = append(old, bytes.Clone(k))
		return true, nil
	})
	for _, k := range old {
		if err == nil {
			err = e.Delete(k)
		}
	}
	return err
}

// withinDay returns nil unless one of the limits of today is used up, of a caller's persona or of its tenant.
func (s *Shelf) withinDay(r Reader, c tool.Caller, now time.Time, limits func(day, tool.Quota) []limited) error {
	for _, of := range counted(c) {
		quota, err := s.quotaOf(r, of)
		if err != nil {
			return err
		}
		counted, err := readDay(r, dayKey(of, now))
		if err != nil {
			return err
		}
		today, err := usedToday(r, of, now)
		if err != nil {
			return err
		}
		settled := limits(counted, quota)
		for i, l := range limits(today, quota) {
			if l.used < l.most {
				continue
			}
			e := l.over(of)
			e.RetryAfter = midnight(now)
			e.Hint = fmt.Sprintf("wait until midnight UTC, in %v, or raise %s", e.RetryAfter.Round(time.Minute), l.name)
			if settled[i].used < l.most {
				e.RetryAfter, e.Hint = heldFor, heldHint+l.name
			}
			return e
		}
	}
	return nil
}
