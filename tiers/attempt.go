package tiers

import (
	"context"
	"fmt"

	"example.com/toolsmith/runtime/tool"
)

// Attempt counts an attempt of the actor's session to forge, which it is a use of, and writes the audit entry
// forge_requested with data, as Log does, in the same transaction. It returns the number of the attempt, from 1, and is on
// disk when it returns. When the session has no attempt left, the error is of code Limit, when its persona or tenant has none left today,
// OverQuota, and nothing is counted or written.
func (s *Shelf) Attempt(ctx context.Context, by tool.Actor, data any) (n int, err error) {
	if err := by.Validate(); err != nil {
		return 0, err
	}
	err = s.change(ctx, by, func(e *edit) (err error) {
		n, err = e.attempt(data)
		return err
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

func (e *edit) attempt(data any) (int, error) {
	if err := e.shelf.mayBegin(e, e.by.Caller); err != nil {
		return 0, err
	}
	at, err := e.session(e.by.Caller)
	if err != nil {
		return 0, err
	}
	if most := e.shelf.opt.Rules.MaxForgeAttempts; at.Attempts >= most {
		return 0, &tool.Error{
			Code: tool.Limit, Message: fmt.Sprintf("the session has used its %d attempts to forge", most),
			Hint: "go on in another session, or raise maxForgeAttemptsPerSession",
		}
	}
	err = e.shelf.withinDay(e, e.by.Caller, e.now, func(d day, q tool.Quota) []limited { return []limited{d.forges(q)} })
	if err == nil {
		err = e.use(day{Forges: 1})
	}
	if err != nil {
		return 0, err
	}
	at.Attempts++
	if err := e.set(sessionKey(e.by.Caller), at); err != nil {
		return 0, err
	}
	return at.Attempts, e.log("", tool.ForgeRequested, data)
}
