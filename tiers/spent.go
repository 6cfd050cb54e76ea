package tiers

import (
	"context"
	"fmt"

	"example.com/toolsmith/runtime/tool"
)

// OtherTools is the name that costs are counted under once a persona has maxSpentTools names, or for a name no tool can have.
const OtherTools = "(other)"

const (
	maxSpentTools = 1000
	maxSpent      = 1e12 // calls, tokens or dollars at once; sums of such fit an int64
)

// SpentReport is what models were asked on a caller's behalf.
type SpentReport struct {
	Session tool.Spent            `json:"session"`
	Today   tool.Spent            `json:"today"` // of the persona and its specialists, since midnight UTC
	Days    map[string]tool.Spent `json:"days"`  // of these, by day as 2026-11-30 in UTC: the last 31
	Tools   map[string]tool.Spent `json:"tools"` // of the persona, by the tool's name, since the first
}

func spentKey(c tool.Caller, by ...string) []byte {
	return key(spentSpace, append([]string{c.Tenant, c.Persona}, by...)...)
}

func readSpent(r Reader, at []byte) (sum tool.Spent, err error) {
	text, found, err := r.Get(at)
	if err != nil || !found {
		return sum, err
	}
	return sum, decode(text, &sum)
}

// Spend counts what models were asked on the actor's behalf: of its session, which it is a use of, of its persona today, and
// of the tool that has a name; "" is no tool. It ends what Hold held back for them. It is on disk when Spend returns. Caps do not
// matter here: what is spent is spent. Hold asks beforehand.
func (s *Shelf) Spend(ctx context.Context, by tool.Actor, toolName string, held tool.Held, spent tool.Spent) error {
	if err := by.Validate(); err != nil {
		return err
	}
	if err := checkSpent(spent); err != nil {
		return err
	}
	return s.change(ctx, by, func(e *edit) error {
		if err := e.release(held); err != nil || spent == (tool.Spent{}) {
			return err
		}
		return e.spend(toolName, spent)
	})
}

func checkSpent(spent tool.Spent) error {
	for _, n := range []float64{float64(spent.Calls), float64(spent.InputTokens), float64(spent.OutputTokens), spent.CostUSD} {
		if !(n >= 0 && n <= maxSpent) { // NaN is neither
			return &tool.Error{Code: tool.InvalidRequest, Message: fmt.Sprintf("%v is no count of what was spent", n), Hint: "give 0 to 1e12"}
		}
	}
	return nil
}

func (e *edit) spend(toolName string, spent tool.Spent) error {
	at, err := e.session(e.by.Caller)
	if err != nil {
		return err
	}
	at.Spent = at.Spent.Add(spent)
	if err := e.set(sessionKey(e.by.Caller), at); err != nil {
		return err
	}
	if err := e.use(day{Spent: spent}); err != nil || toolName == "" {
		return err
	}
	if tool.CheckName(toolName) != "" {
		toolName = OtherTools
	}
	name, err := e.spentName(toolName)
	if err != nil {
		return err
	}
	return e.addSpent(spentKey(e.by.Caller, "tool", name), spent)
}

func (e *edit) addSpent(at []byte, spent tool.Spent) error {
	sum, err := readSpent(e, at)
	if err != nil {
		return err
	}
	return e.set(at, sum.Add(spent))
}

// spentName is the name that a tool's costs are counted under.
func (e *edit) spentName(name string) (string, error) {
	if _, found, err := e.Get(spentKey(e.by.Caller, "tool", name)); found || err != nil {
		return name, err
	}
	names := 0
	err := e.Scan(Range{Prefix: spentKey(e.by.Caller, "tool")}, func([]byte, []byte) (bool, error) { names++; return true, nil })
	if names >= maxSpentTools {
		return OtherTools, err
	}
	return name, err
}

// Spent returns what was spent on a caller's behalf. Of a session that has ended, or never was, that is nothing.
func (s *Shelf) Spent(ctx context.Context, c tool.Caller) (report SpentReport, err error) {
	if err := c.Validate(); err != nil {
		return report, err
	}
	now := s.opt.Now()
	err = s.store.View(ctx, func(r Reader) (err error) {
		if report.Session, err = sessionSpent(r, c); err != nil {
			return err
		}
		today, err := readDay(r, dayKey(persona(c), now))
		if err != nil {
			return err
		}
		report.Today = today.Spent
		if report.Days, err = spentBy(r, Range{Prefix: spentKey(persona(c), "day"), From: firstDay(persona(c), now)}); err != nil {
			return err
		}
		report.Tools, err = spentBy(r, Range{Prefix: spentKey(c, "tool")})
		return err
	})
	return report, asError(err)
}

// sessionSpent is what was spent on behalf of a session.
func sessionSpent(r Reader, c tool.Caller) (tool.Spent, error) {
	at, err := readSession(r, c)
	if err != nil || at == nil {
		return tool.Spent{}, err
	}
	return at.Spent, nil
}

// spentBy reads sums by the last part of their keys.
func spentBy(r Reader, within Range) (map[string]tool.Spent, error) {
	sums := map[string]tool.Spent{}
	return sums, r.Scan(within, func(k, text []byte) (bool, error) {
		var sum day // the sums of tools are without attempts
		err := decode(text, &sum)
		if all, ok := parts(k); ok {
			sums[all[len(all)-1]] = sum.Spent
		}
		return true, err
	})
}

// maySpend returns nil when a model may be asked on the actor's behalf.
func (e *edit) maySpend() error {
	c := e.by.Caller
	if err := e.shelf.mayBegin(e, c); err != nil {
		return err
	}
	session, err := sessionSpent(e, c)
	if err != nil {
		return err
	}
	held, err := readSpent(e, holdKey(c, e.now))
	if err != nil {
		return err
	}
	if most, used := e.shelf.opt.Rules.MaxSessionTokens, tokens(session.Add(held)); used >= most {
		over := &tool.Error{
			Code: tool.OverQuota, Limit: "maxJudgeTokensPerSession",
			Message: fmt.Sprintf("maxJudgeTokensPerSession: the session %s has used %d tokens of %d", c.Session, used, most),
			Hint:    "go on in another session, or raise maxJudgeTokensPerSession",
		}
		if tokens(session) < most {
			over.RetryAfter, over.Hint = heldFor, heldHint+over.Limit
		}
		return over
	}
	return e.shelf.withinDay(e, c, e.now, day.judges)
}

func tokens(s tool.Spent) int64 { return s.InputTokens + s.OutputTokens }
