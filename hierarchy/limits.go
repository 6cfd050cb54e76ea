package hierarchy

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"example.com/toolsmith/runtime/wire"
)

// Limits bound one run, all agents of it together; a zero field means its default, and nothing means unlimited.
type Limits struct {
	MaxSteps      Count       `json:"maxSteps"`      // turns of the manager; default 10, at most 100
	AgentSteps    Count       `json:"agentSteps"`    // turns of a member or specialist, each time it gets a task; default 5, at most 100
	MaxModelCalls Count       `json:"maxModelCalls"` // of all agents; default 100, at most 10,000
	MaxToolCalls  Count       `json:"maxToolCalls"`  // of all agents; default 200, at most 10,000
	MaxTokens     Count       `json:"maxTokens"`     // to and from models; default 1M, at most 100M
	MaxCostUSD    Dollars     `json:"maxCostUSD"`    // as far as prices are configured; default 10, at most 10,000
	Timeout       wire.Period `json:"timeout"`       // wall clock; default 5m, at most 1h
	MaxParallel   Count       `json:"maxParallel"`   // calls of one turn at once; default 4, at most 16
	MaxDepth      Count       `json:"maxDepth"`      // agents in a chain of delegation, the manager apart; default 3, at most 8
	MaxAgents     Count       `json:"maxAgents"`     // members and specialists; default 16, at most 64
}

// Count is a limit that is above zero. Its zero value is a limit that was not given. Files may write it with the suffixes of
// wire.Quantity: 100k.
type Count int

// UnmarshalText reads a whole number above zero.
func (c *Count) UnmarshalText(text []byte) error {
	var q wire.Quantity
	if err := q.UnmarshalText(text); err != nil {
		return err
	}
	if q > math.MaxInt32 {
		return errors.New("the number is too large")
	}
	*c = Count(q)
	return nil
}

// Dollars is an amount of US dollars above zero. Its zero value was not given.
type Dollars float64

// UnmarshalText reads a decimal number.
func (d *Dollars) UnmarshalText(text []byte) error {
	amount, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(amount > 0) { // catches NaN, too
		return errors.New("an amount is a number of dollars above zero; leave it out for the default")
	}
	*d = Dollars(amount)
	return nil
}

const (
	defaultCost, maxCost       = Dollars(10), Dollars(10_000)
	defaultTimeout, maxTimeout = wire.Period(5 * time.Minute), wire.Period(time.Hour)
)

// bound is a count, its default, and the most that it may be.
type bound struct {
	name        string
	value       *Count
	usual, most Count
}

func (l *Limits) bounds() []bound {
	return []bound{
		{"maxSteps", &l.MaxSteps, 10, 100},
		{"agentSteps", &l.AgentSteps, 5, 100},
		{"maxModelCalls", &l.MaxModelCalls, 100, 10_000},
		{"maxToolCalls", &l.MaxToolCalls, 200, 10_000},
		{"maxTokens", &l.MaxTokens, 1_000_000, 100_000_000},
		{"maxParallel", &l.MaxParallel, 4, 16},
		{"maxDepth", &l.MaxDepth, 3, 8},
		{"maxAgents", &l.MaxAgents, 16, 64},
	}
}

func (p *Planner) bounds() []bound {
	const most = 64 // as Limits.MaxAgents
	return []bound{
		{"maxSpecialists", &p.MaxSpecialists, 5, most},
		{"maxJudgeCalls", &p.MaxJudgeCalls, 2 * cmp.Or(p.MaxSpecialists, 5), 2 * most},
		{"maxInstructionsLength", &p.MaxInstructionsLength, 8192, 65_536},
	}
}

// WithDefaults returns l with every zero field replaced by its default.
func (l Limits) WithDefaults() Limits {
	for _, b := range l.bounds() {
		*b.value = cmp.Or(*b.value, b.usual)
	}
	l.MaxCostUSD, l.Timeout = cmp.Or(l.MaxCostUSD, defaultCost), cmp.Or(l.Timeout, defaultTimeout)
	return l
}

// check holds counts to their bounds.
func (p *Problems) check(path string, bounds ...bound) {
	for _, b := range bounds {
		if *b.value < 0 || *b.value > b.most {
			p.add(path+"/"+b.name, fmt.Sprintf("%s is %d: it is above zero and at most %d", b.name, *b.value, b.most),
				fmt.Sprintf("leave it out for the default, %d", b.usual))
		}
	}
}

// period holds a time to its bounds.
func (p *Problems) period(path, name string, value, most wire.Period) {
	if value < 0 || value > most {
		p.add(path+"/"+name, fmt.Sprintf("%s is %v: it is above zero and at most %v", name, value, most), "leave it out for the default")
	}
}
