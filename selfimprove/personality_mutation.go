package selfimprove

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// Bounds of mutations.
const (
	leastStrength  = 0.1            // at which a mutation is gone
	budgetLife     = 48 * time.Hour // after the last change of a session, for which its budget is remembered
	maxMutationDoc = 1 << 20        // bytes of all mutations of a persona, as the shelf has it: some thousands
)

// Mutation is a change that a persona made to one of its traits.
type Mutation struct {
	ID            string  `json:"id"`
	AgentID       string  `json:"agentId,omitempty"` // the persona; not kept
	Session       string  `json:"sessionId"`         // in which it was made
	Trait         string  `json:"trait"`
	Delta         float64 `json:"delta"` // what was applied; never 0
	Reasoning     string  `json:"reasoning"`
	BaselineValue float64 `json:"baselineValue"` // of the trait, before
	MutatedValue  float64 `json:"mutatedValue"`  // of the trait, after
	Strength      float64 `json:"strength"`      // share of Delta that counts: 1 when new
	CreatedAt     int64   `json:"createdAt"`     // Unix epoch, milliseconds
}

// mutations is the document.
type mutations struct {
	Day     string             `json:"day"`  // on which they were last weakened, as in 2026-01-31 (UTC)
	Rows    []Mutation         `json:"rows"` // oldest first
	Budgets map[string]*budget `json:"budgets,omitempty"`
}

// budget is what a session has used.
type budget struct {
	Used   map[string]float64 `json:"used"` // sum of absolute deltas, by trait
	Count  int                `json:"count"`
	LastAt int64              `json:"lastAt"` // Unix epoch, milliseconds
}

func readMutations(text []byte) (m mutations, err error) {
	if text == nil {
		return m, nil
	}
	if err = json.Unmarshal(text, &m); err == nil {
		err = m.check()
	}
	if err != nil {
		return mutations{}, &tool.Error{
			Code: tool.Internal, Message: "the mutations of the persona cannot be read: " + err.Error(), Hint: "persona reset begins anew", Cause: err,
		}
	}
	return m, nil
}

// check says what Adapt has never written.
func (m mutations) check() error {
	const most = 1e6 // far beyond all that options allow, and far from where sums of it overflow
	for i, row := range m.Rows {
		if math.Abs(row.Delta) > most || math.Abs(row.Strength) > 1 {
			return fmt.Errorf("mutation %d has a delta of %v and a strength of %v", i, row.Delta, row.Strength)
		}
	}
	for _, b := range m.Budgets {
		if b == nil {
			return errors.New("a budget is null")
		}
		for trait, used := range b.Used {
			if !(used >= 0 && used <= most) {
				return fmt.Errorf("%v is used of %s", used, tool.Quote(trait))
			}
		}
	}
	return nil
}

// mind is the mutations of a persona as one of its sessions sees them, while they change.
type mind struct {
	mutations
	opt      *PersonalityOptions
	session  string
	baseline map[string]float64
	now      time.Time
	changed  bool
	events   []tool.DocumentEvent
}

// traitChange is the data of an audit entry.
type traitChange struct {
	Trait     string  `json:"trait"`
	From      float64 `json:"from"`
	To        float64 `json:"to"`
	Delta     float64 `json:"delta"`
	Reasoning string  `json:"reasoning"`
	Clamped   bool    `json:"clamped"`
	Cause     string  `json:"cause"` // adapt, decay or reset
}

// counts reports whether a mutation bears on what the session sees.
func (m *mind) counts(row Mutation) bool { return m.opt.Reload || row.Session == m.session }

// sum is baseline and mutations of a trait together, which may lie outside of 0..1.
func (m *mind) sum(trait string) float64 {
	sum := m.baseline[trait]
	for _, row := range m.Rows {
		if row.Trait == trait && row.Strength > leastStrength && m.counts(row) {
			sum += row.Delta * row.Strength
		}
	}
	return rounded(sum)
}

func (m *mind) values() map[string]float64 {
	values := make(map[string]float64, len(m.baseline))
	for trait := range m.baseline {
		values[trait] = clamp(m.sum(trait))
	}
	return values
}

// adapt applies what the budget and 0..1 leave of a wish.
func (m *mind) adapt(wish Mutation) Adaptation {
	m.forget()
	used, sum := m.used(), m.sum(wish.Trait)
	delta := rounded(room(sum, math.Copysign(min(math.Abs(wish.Delta), m.left(used, wish.Trait)), wish.Delta)))
	done := Adaptation{Trait: wish.Trait, PreviousValue: clamp(sum), NewValue: clamp(sum), Delta: delta, Clamped: delta != rounded(wish.Delta)}
	if delta != 0 {
		m.pay(used, wish.Trait, delta)
		m.reinforce(wish.Trait, delta)
		wish.Delta, wish.Strength, wish.CreatedAt = delta, 1, used.LastAt
		m.Rows = append(m.Rows, wish)
		done.NewValue = clamp(m.sum(wish.Trait))
		row := &m.Rows[len(m.Rows)-1]
		row.BaselineValue, row.MutatedValue = done.PreviousValue, done.NewValue
		m.tell(traitChange{wish.Trait, done.PreviousValue, done.NewValue, delta, wish.Reasoning, done.Clamped, "adapt"})
	}
	done.SessionTotal, done.RemainingBudget = used.Used[wish.Trait], m.left(used, wish.Trait)
	return done
}

// reinforce gives the earlier mutations of a trait in the same direction their strength back.
func (m *mind) reinforce(trait string, delta float64) {
	for i := range m.Rows {
		if row := &m.Rows[i]; row.Trait == trait && math.Signbit(row.Delta) == math.Signbit(delta) && m.counts(*row) {
			row.Strength = 1
		}
	}
}

// used is what the session has used.
func (m *mind) used() *budget {
	if b := m.Budgets[m.session]; b != nil && b.Used != nil {
		return b
	}
	return &budget{Used: map[string]float64{}}
}

// pay takes from the budget of the session.
func (m *mind) pay(used *budget, trait string, delta float64) {
	used.Used[trait] = rounded(used.Used[trait] + math.Abs(delta))
	used.Count++
	used.LastAt = m.now.UnixMilli()
	if m.Budgets == nil {
		m.Budgets = map[string]*budget{}
	}
	m.Budgets[m.session] = used
}

// forget drops the budgets of sessions that have not changed anything for long.
func (m *mind) forget() {
	maps.DeleteFunc(m.Budgets, func(_ string, b *budget) bool { return m.now.Sub(time.UnixMilli(b.LastAt)) > budgetLife })
}

// left is how far the session may still move a trait.
func (m *mind) left(b *budget, trait string) float64 {
	if b.Count >= m.opt.MaxMutations {
		return 0
	}
	return rounded(max(0, m.opt.MaxDelta-b.Used[trait]))
}

// due reports whether the day has not taken its part yet.
func (m *mind) due() bool { return m.now.UTC().Format(time.DateOnly) > m.Day }

// fade weakens all mutations by a day, once a day.
func (m *mind) fade() (done Decayed, err error) {
	if rate := m.opt.DecayRate; !(rate >= 0) || math.IsInf(rate, 0) { // NaN is neither
		return done, &tool.Error{
			Code: tool.InvalidRequest, Message: fmt.Sprintf("the decay rate is %v: it is finite and non-negative", rate),
			Hint: "mend emergentConfig.selfImprovement.personality.decayRate",
		}
	}
	if !m.due() {
		return Decayed{Skipped: true}, nil
	}
	m.forget()
	before := m.values()
	m.Day, m.changed = m.now.UTC().Format(time.DateOnly), true
	for i := range m.Rows {
		m.Rows[i].Strength = rounded(m.Rows[i].Strength - m.opt.DecayRate)
	}
	done.Decayed = len(m.Rows)
	m.Rows = slices.DeleteFunc(m.Rows, func(row Mutation) bool { return row.Strength <= leastStrength })
	done.Pruned = done.Decayed - len(m.Rows)
	done.Decayed = len(m.Rows)
	for _, trait := range traitNames() {
		if before[trait] != clamp(m.sum(trait)) {
			m.compare(trait, before[trait], "decay", "a day went by")
		}
	}
	return done, nil
}

// reset removes all mutations, and tells of every trait that had one.
func (m *mind) reset(unreadable bool) {
	m.forget()
	before, rows := m.values(), m.Rows
	m.Rows = nil
	for _, trait := range traitNames() {
		if slices.ContainsFunc(rows, func(row Mutation) bool { return row.Trait == trait }) {
			m.compare(trait, before[trait], "reset", "all mutations were removed")
		}
	}
	if unreadable {
		m.tell(traitChange{Reasoning: "mutations that could not be read were removed", Cause: "reset"})
	}
}

// compare tells of a trait that was worth something else before.
func (m *mind) compare(trait string, from float64, cause, reasoning string) {
	to := clamp(m.sum(trait))
	m.tell(traitChange{trait, from, to, rounded(to - from), reasoning, false, cause})
}

func (m *mind) tell(change traitChange) {
	m.changed = true
	m.events = append(m.events, tool.DocumentEvent{Type: tool.TraitChanged, Data: change})
}

// change is what becomes of the document.
func (m *mind) change(old []byte) (tool.DocumentChange, error) {
	if !m.changed {
		return tool.DocumentChange{Value: old}, nil
	}
	if len(m.Rows) == 0 && len(m.Budgets) == 0 {
		return tool.DocumentChange{Events: m.events}, nil
	}
	text, err := json.Marshal(m.mutations)
	if err != nil {
		return tool.DocumentChange{}, tool.Errorf(tool.Internal, "writing mutations: %w", err)
	}
	if len(text) > maxMutationDoc {
		return tool.DocumentChange{}, &tool.Error{
			Code: tool.Limit, Message: fmt.Sprintf("the persona has %d mutations: there is no room for one more", len(m.Rows)-1),
			Hint: "wait until some have faded, or have an operator reset the persona",
		}
	}
	return tool.DocumentChange{Value: text, Events: m.events}, nil
}

// room is what is left of delta when a sum stays within 0..1, or, where it lies outside already, goes no further.
func room(sum, delta float64) float64 {
	return min(max(sum+delta, min(0, sum)), max(1, sum)) - sum
}

// clamp puts a value into 0..1.
func clamp(v float64) float64 { return min(max(v, 0), 1) }

// rounded takes away what binary fractions add: 0.1 and 0.2 make 0.3. It is never -0.
func rounded(v float64) float64 {
	const digits = 1e9
	return math.Round(v*digits)/digits + 0
}
