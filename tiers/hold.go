package tiers

import (
	"context"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// holdKey is where stands what is held back since a day: of a session, of a persona when no session is named, else of the tenant.
func holdKey(of tool.Caller, at time.Time) []byte {
	by := []string{"held", at.UTC().Format(time.DateOnly)}
	if of.Session != "" {
		by = append(by, of.Session)
	}
	return spentKey(of, by...)
}

// What is held back is free again once the judge has answered: soon.
const (
	heldFor  = 10 * time.Second
	heldHint = "reviews that are under way hold the rest back: try again when they have ended, or raise "
)

// Hold holds back what models that are to be asked on the actor's behalf will take, about: it counts like what was spent, until Spend
// ends it, or the day does when nobody comes back for it. The error is of code OverQuota, and names the cap, when what was spent and
// what is held back have come to one; then nothing is held. Who has any room left gets all that it asks for.
func (s *Shelf) Hold(ctx context.Context, by tool.Actor, about tool.Spent) (held tool.Held, err error) {
	if err := by.Validate(); err != nil {
		return held, err
	}
	if err := checkSpent(about); err != nil {
		return held, err
	}
	_, err = s.commit(ctx, by, func(e *edit) error {
		held = tool.Held{Spent: about, At: tool.At(e.now)}
		if err := e.maySpend(); err != nil {
			return err
		}
		return e.hold(about)
	})
	return held, err
}

func (e *edit) hold(about tool.Spent) error {
	if about == (tool.Spent{}) {
		return nil
	}
	for _, of := range holders(e.by.Caller) {
		if err := e.dropBefore(spentKey(of, "held"), holdKey(tool.Caller{Tenant: of.Tenant, Persona: of.Persona}, e.now)); err != nil {
			return err
		}
		if err := e.addSpent(holdKey(of, e.now), about); err != nil {
			return err
		}
	}
	return nil
}

// release ends what was held back. Of a day that is over there is nothing left.
func (e *edit) release(held tool.Held) error {
	if held == (tool.Held{}) {
		return nil
	}
	for _, of := range holders(e.by.Caller) {
		at := holdKey(of, held.At.Time)
		sum, err := readSpent(e, at)
		if err != nil {
			return err
		}
		if sum = sum.Less(held.Spent); sum.Calls <= 0 { // dollars may leave a rest
			err = e.Delete(at)
		} else {
			err = e.set(at, sum)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// holders are those for whom is held back what a caller's models will take.
func holders(c tool.Caller) []tool.Caller { return append(counted(c), c) }
