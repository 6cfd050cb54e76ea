package tiers

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// OtherTools is the name that costs are counted under once a persona has maxSpentTools names, or for a name no tool can have.
const OtherTools = "(other)"

const (
	maxSpentTools = 1000
	keptDays      = 31
	maxSpent      = 1e12 // calls, tokens or dollars at once; sums of such fit an int64
)

// SpentReport is what models were asked on a caller's behalf.
type SpentReport struct {
	Session tool.Spent            `json:"session"`
	Today   tool.Spent            `json:"today"` // of the persona, since midnight UTC
	Days    map[string]tool.Spent `json:"days"`  // of the persona, by day as 2026-11-30 in UTC: the last 31
	Tools   map[string]tool.Spent `json:"tools"` // of the persona, by the tool's name, since the first
}

func spentKey(c tool.Caller, by ...string) []byte {
	return key(spentSpace, append([]string{c.Tenant, c.Persona}, by...)...)
}

func dayKey(c tool.Caller, at time.Time) []byte {
	return spentKey(c, "day", at.UTC().Format(time.DateOnly))
}

// firstDay is where the days begin that are kept.
func firstDay(c tool.Caller, now time.Time) []byte {
	return dayKey(c, now.UTC().AddDate(0, 0, 1-keptDays))
}

func readSpent(r Reader, at []byte) (sum tool.Spent, err error) {
	text, found, err := r.Get(at)
	if err != nil || !found {
		return sum, err
	}
	return sum, decode(text, &sum)
}

// Spend counts what models were asked on the actor's behalf: of its session, which it is a use of, of its persona today, and
// of the tool that has a name; "" is no tool. It is on disk when Spend returns. Caps do not matter here: what is spent is
// spent. MaySpend asks beforehand.
func (s *Shelf) Spend(ctx context.Context, by tool.Actor, toolName string, spent tool.Spent) error {
	if err := by.Validate(); err != nil {
		return err
	}
	for _, n := range []float64{float64(spent.Calls), float64(spent.InputTokens), float64(spent.OutputTokens), spent.CostUSD} {
		if !(n >= 0 && n <= maxSpent) { // NaN is neither
			return &tool.Error{Code: tool.InvalidRequest, Message: fmt.Sprintf("%v is no count of what was spent", n), Hint: "give 0 to 1e12"}
		}
	}
	return s.change(ctx, by, func(e *edit) error { return e.spend(toolName, spent) })
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
	if err := e.addSpent(dayKey(e.by.Caller, e.now), spent); err != nil {
		return err
	}
	if err := e.dropOldDays(); err != nil || toolName == "" {
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

func (e *edit) dropOldDays() error {
	first := firstDay(e.by.Caller, e.now)
	var old [][]byte
	err := e.Scan(Range{Prefix: spentKey(e.by.Caller, "day")}, func(k, _ []byte) (bool, error) {
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
		if report.Session, report.Today, err = spentNow(r, c, now); err != nil {
			return err
		}
		if report.Days, err = spentBy(r, Range{Prefix: spentKey(c, "day"), From: firstDay(c, now)}); err != nil {
			return err
		}
		report.Tools, err = spentBy(r, Range{Prefix: spentKey(c, "tool")})
		return err
	})
	return report, asError(err)
}

// spentNow reads what the caps are about.
func spentNow(r Reader, c tool.Caller, now time.Time) (session, today tool.Spent, err error) {
	at, err := readSession(r, c)
	if err != nil {
		return session, today, err
	}
	if at != nil {
		session = at.Spent
	}
	today, err = readSpent(r, dayKey(c, now))
	return session, today, err
}

// spentBy reads sums by the last part of their keys.
func spentBy(r Reader, within Range) (map[string]tool.Spent, error) {
	sums := map[string]tool.Spent{}
	return sums, r.Scan(within, func(k, text []byte) (bool, error) {
		var sum tool.Spent
		err := decode(text, &sum)
		if all, ok := parts(k); ok {
			sums[all[len(all)-1]] = sum
		}
		return true, err
	})
}

// MaySpend returns nil when a model may be asked on a caller's behalf, else an error of code OverQuota that names the cap.
// What is being asked meanwhile is counted afterwards, so that sums may go beyond a cap by as much.
func (s *Shelf) MaySpend(ctx context.Context, c tool.Caller) error {
	if err := c.Validate(); err != nil {
		return err
	}
	return asError(s.store.View(ctx, func(r Reader) error {
		session, today, err := spentNow(r, c, s.opt.Now())
		if err != nil {
			return err
		}
		rules := s.opt.Rules
		switch {
		case tokens(session) >= rules.MaxSessionTokens:
			return overQuota("session "+c.Session, "maxSessionTokens", session, rules.MaxSessionTokens, "go on in another session")
		case tokens(today) >= rules.MaxPersonaTokens:
			return overQuota("persona "+c.Persona, "maxPersonaTokens", today, rules.MaxPersonaTokens, "wait until midnight UTC")
		}
		return nil
	}))
}

func tokens(s tool.Spent) int64 { return s.InputTokens + s.OutputTokens }

func overQuota(who, limit string, spent tool.Spent, most int64, instead string) error {
	return &tool.Error{
		Code: tool.OverQuota, Message: fmt.Sprintf("%s: the %s has used %d tokens of %d", limit, who, tokens(spent), most),
		Hint: instead + ", or raise " + limit,
	}
}
