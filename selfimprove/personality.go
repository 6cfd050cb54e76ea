package selfimprove

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/toolsmith/runtime/tool"
)

// Personality has the traits of personas, which they may change within bounds. What a trait is worth is never kept: it is always
// computed anew, from the configured baseline and the mutations that still have strength.
type Personality struct {
	shelf Shelf
	opt   PersonalityOptions
}

// PersonalityOptions bound how far traits move, by the configuration's numbers. The zero value lets nothing change.
type PersonalityOptions struct {
	MaxDelta     float64 // sum of absolute changes of one trait in one session
	MaxMutations int     // of a session; 0 is 5
	// PersistWithDecay keeps mutations for the persona, where they outlive sessions and fade. Without it they are documents of
	// the session: they do not fade, and vanish with it.
	PersistWithDecay bool
	DecayRate        float64 // strength that a mutation loses in a day
	Reload           bool    // mutations count in later sessions too; otherwise only in the one that made them

	// Sessions are those of a tenant, whose mutations are looked at and taken back with their personas'; nil knows none.
	Sessions func(ctx context.Context, tenant string) ([]tool.Caller, error)
	// Baseline is what the configuration says of a persona's traits. One that is missing is 0.5; nil says nothing.
	Baseline func(c tool.Caller) map[string]float64
	Now      func() time.Time // nil is time.Now
	Random   io.Reader        // of which ids are made, read concurrently; nil is that of the system
}

// NewPersonality returns the personality of the personas that a shelf keeps. It has nothing to close.
func NewPersonality(shelf Shelf, opt PersonalityOptions) *Personality {
	if opt.Baseline == nil {
		opt.Baseline = func(tool.Caller) map[string]float64 { return nil }
	}
	if opt.MaxMutations <= 0 {
		opt.MaxMutations = defaultMutations
	}
	if opt.Sessions == nil {
		opt.Sessions = func(context.Context, string) ([]tool.Caller, error) { return nil, nil }
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Random == nil {
		opt.Random = rand.Reader
	}
	return &Personality{shelf, opt}
}

// defaultMutations is what zero MaxMutations stand for.
const defaultMutations = 5

// MaxReasoning bounds the reasoning of a mutation, in characters.
const MaxReasoning = 500

// Adaptation is what became of a wish to change a trait.
type Adaptation struct {
	Trait           string  `json:"trait"`
	PreviousValue   float64 `json:"previousValue"`
	NewValue        float64 `json:"newValue"`
	Delta           float64 `json:"delta"`   // what was applied and paid for; 0 when nothing was left to apply
	Clamped         bool    `json:"clamped"` // less was applied than was asked for
	SessionTotal    float64 `json:"sessionTotal"`
	RemainingBudget float64 `json:"remainingBudget"`
}

// Adapt moves a trait of the caller's persona by delta, as far as 0..1 and the budget of the caller's session let it; where they
// leave nothing it succeeds with a delta of 0 and records nothing. Earlier mutations of the trait in the same direction get their
// whole strength back, which costs no budget: they were paid for when they were made.
func (p *Personality) Adapt(ctx context.Context, c tool.Caller, trait string, delta float64, reasoning string) (done Adaptation, err error) {
	if err := errors.Join(c.Validate(), checkWish(trait, delta, reasoning)); err != nil {
		return done, tool.AsError(err)
	}
	id, err := p.newID()
	if err != nil {
		return done, err
	}
	err = p.edit(ctx, tool.Actor{Caller: c}, p.at(c), func(m *mind) error {
		if p.opt.PersistWithDecay {
			if _, err := m.fade(); err != nil {
				return err
			}
		}
		done = m.adapt(Mutation{ID: id, Session: c.Session, Trait: trait, Delta: delta, Reasoning: reasoning})
		return nil
	})
	if err != nil {
		return Adaptation{}, err
	}
	return done, nil
}

// checkWish says what is wrong with a wish to change a trait.
func checkWish(trait string, delta float64, reasoning string) error {
	switch names := traitNames(); {
	case !slices.Contains(names, trait):
		return &tool.Error{
			Code: tool.InvalidRequest, Path: "/trait", Message: fmt.Sprintf("Invalid trait %s: it is one of %s", tool.Quote(trait), strings.Join(names, ", ")),
			Hint: "name one of them, in lower case",
		}
	case strings.TrimSpace(reasoning) == "" || utf8.RuneCountInString(reasoning) > MaxReasoning:
		return &tool.Error{
			Code: tool.InvalidRequest, Path: "/reasoning", Message: fmt.Sprintf("reasoning is blank or longer than %d characters", MaxReasoning),
			Hint: "say in a sentence why the trait should change",
		}
	case math.IsNaN(delta) || math.IsInf(delta, 0):
		return &tool.Error{Code: tool.InvalidRequest, Path: "/delta", Message: "delta is not a finite number", Hint: "give one such as 0.05 or -0.1"}
	}
	return nil
}

// Traits returns what the six traits of the caller's persona are worth now, each within 0..1.
func (p *Personality) Traits(ctx context.Context, c tool.Caller) (map[string]float64, error) {
	m, err := p.today(ctx, c)
	if err != nil {
		return nil, err
	}
	return m.values(), nil
}

// Baseline returns what the six traits of the caller's persona are worth without mutations.
func (p *Personality) Baseline(c tool.Caller) map[string]float64 {
	values, configured := map[string]float64{}, p.opt.Baseline(c)
	for _, trait := range traitNames() {
		values[trait] = neutralTrait
		if v, ok := configured[trait]; ok && !math.IsNaN(v) {
			values[trait] = clamp(v)
		}
	}
	return values
}

// History returns the mutations of a persona that still have strength, newest first, those of its sessions included.
func (p *Personality) History(ctx context.Context, tenant, persona string) ([]Mutation, error) {
	places, err := p.places(ctx, tenant, persona)
	if err != nil {
		return nil, err
	}
	list := []Mutation{}
	for _, at := range places {
		text, err := p.shelf.Document(ctx, at)
		if err != nil {
			return nil, err
		}
		kept, err := readMutations(text)
		if err != nil {
			return nil, err
		}
		for _, row := range slices.Backward(kept.Rows) {
			if row.Strength > leastStrength {
				row.AgentID = persona
				list = append(list, row)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Mutation) int { return cmp.Compare(b.CreatedAt, a.CreatedAt) })
	return list, nil
}

// Changed returns the personas of a tenant that have mutations, or had some, sorted.
func (p *Personality) Changed(ctx context.Context, tenant string) ([]string, error) {
	list, err := p.shelf.Personas(ctx, tenant, tool.Mutations)
	if err != nil {
		return nil, err
	}
	sessions, err := p.opt.Sessions(ctx, tenant)
	for _, c := range sessions {
		list = append(list, c.Persona)
	}
	slices.Sort(list)
	return slices.Compact(list), err
}

// places are where the mutations of a persona may lie: its own, and those of its sessions.
func (p *Personality) places(ctx context.Context, tenant, persona string) ([]tool.DocumentRef, error) {
	if err := checkPersona(tenant, persona); err != nil {
		return nil, err
	}
	places := []tool.DocumentRef{{Kind: tool.Mutations, Tenant: tenant, Persona: persona}}
	sessions, err := p.opt.Sessions(ctx, tenant)
	for _, c := range sessions {
		if c.Persona == persona {
			places = append(places, session(c, tool.Mutations, ""))
		}
	}
	return places, err
}

// checkPersona refuses what names no persona.
func checkPersona(tenant, persona string) error {
	const any = "any"
	return tool.Caller{Tenant: tenant, Persona: persona, Session: any}.Validate()
}

// Reset removes all mutations of a persona, those of its sessions included, and returns how many there were: its traits are at
// their baselines again. Budgets that sessions have used stay used. It mends documents that cannot be read.
func (p *Personality) Reset(ctx context.Context, by tool.Actor, tenant, persona string) (removed int, err error) {
	if by.Tenant != tenant {
		return 0, noPersona(persona)
	}
	places, err := p.places(ctx, tenant, persona)
	if err != nil {
		return 0, err
	}
	for _, at := range places {
		n, err := p.reset(ctx, by, at)
		removed += n
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// reset is Reset for one document.
func (p *Personality) reset(ctx context.Context, by tool.Actor, at tool.DocumentRef) (removed int, err error) {
	if text, err := p.shelf.Document(ctx, at); err != nil || text == nil {
		return 0, err
	}
	by = inPlaceOf(by, at.Persona)
	if at.Session != "" {
		by.Session = at.Session
	}
	err = p.shelf.EditDocument(ctx, by, at, func(old []byte) (tool.DocumentChange, error) {
		kept, unreadable := readMutations(old)
		m := p.mind(by.Caller, kept)
		removed = len(m.Rows)
		m.reset(unreadable != nil)
		return m.change(old)
	})
	return removed, err
}

// Decayed is what a day took away.
type Decayed struct {
	Decayed int  `json:"decayed"`           // mutations that are weaker than before
	Pruned  int  `json:"pruned"`            // mutations that are gone
	Skipped bool `json:"skipped,omitempty"` // the day has taken its part already
}

// Decay weakens the mutations of a persona by a day, once in a day (UTC) however often it is called; Adapt, Traits and Directives
// do so by themselves before anything else. A day on which nobody asks takes nothing: days that were missed are not made up for.
func (p *Personality) Decay(ctx context.Context, by tool.Actor, tenant, persona string) (done Decayed, err error) {
	if by.Tenant != tenant {
		return done, noPersona(persona)
	}
	if err := checkPersona(tenant, persona); err != nil {
		return done, err
	}
	if !p.opt.PersistWithDecay {
		return Decayed{Skipped: true}, nil
	}
	by = inPlaceOf(by, persona)
	at := tool.DocumentRef{Kind: tool.Mutations, Tenant: tenant, Persona: persona}
	err = p.edit(ctx, by, at, func(m *mind) (err error) {
		done, err = m.fade()
		return err
	})
	if err != nil {
		return Decayed{}, err
	}
	return done, nil
}

// DecayAll is Decay for all personas of a tenant, each in a transaction of its own: one that fails keeps no other from it.
func (p *Personality) DecayAll(ctx context.Context, by tool.Actor, tenant string) (all Decayed, err error) {
	personas, err := p.shelf.Personas(ctx, tenant, tool.Mutations)
	if err != nil {
		return all, err
	}
	all.Skipped = true
	for _, persona := range personas {
		if ctx.Err() != nil {
			return all, tool.AsError(ctx.Err())
		}
		done, failed := p.Decay(ctx, by, tenant, persona)
		err = errors.Join(err, failed)
		all = Decayed{all.Decayed + done.Decayed, all.Pruned + done.Pruned, all.Skipped && done.Skipped}
	}
	return all, err
}

func noPersona(persona string) error {
	return tool.Errorf(tool.NotFound, "there is no persona %s", tool.Quote(persona))
}

// inPlaceOf is who acts, in the place of a persona.
func inPlaceOf(by tool.Actor, persona string) tool.Actor {
	by.Name, by.Persona = by.String(), persona
	return by
}

// at is where the mutations of a caller lie.
func (p *Personality) at(c tool.Caller) tool.DocumentRef {
	if p.opt.PersistWithDecay {
		return persona(c, tool.Mutations, "")
	}
	return session(c, tool.Mutations, "")
}

// today is the caller's mind as of this day. The first to look at it on a day writes what the day took away.
func (p *Personality) today(ctx context.Context, c tool.Caller) (*mind, error) {
	text, err := p.shelf.Document(ctx, p.at(c))
	if err != nil {
		return nil, err
	}
	kept, err := readMutations(text)
	if err != nil {
		return nil, err
	}
	m := p.mind(c, kept)
	if !p.opt.PersistWithDecay || len(m.Rows) == 0 || !m.due() {
		return m, nil
	}
	err = p.edit(ctx, tool.Actor{Caller: c, Name: nobody}, p.at(c), func(now *mind) error {
		m = now
		_, err := m.fade()
		return err
	})
	return m, err
}

// nobody is the actor of what the host does by itself.
const nobody = "host"

// edit changes a mind in one transaction. By's caller is whose mind it is.
func (p *Personality) edit(ctx context.Context, by tool.Actor, at tool.DocumentRef, fn func(*mind) error) error {
	return p.shelf.EditDocument(ctx, by, at, func(old []byte) (tool.DocumentChange, error) {
		kept, err := readMutations(old)
		if err != nil {
			return tool.DocumentChange{}, err
		}
		m := p.mind(by.Caller, kept)
		if err := fn(m); err != nil {
			return tool.DocumentChange{}, err
		}
		return m.change(old)
	})
}

func (p *Personality) mind(c tool.Caller, kept mutations) *mind {
	return &mind{mutations: kept, opt: &p.opt, session: c.Session, baseline: p.Baseline(c), now: p.opt.Now()}
}

func (p *Personality) newID() (string, error) {
	var raw [16]byte
	if _, err := io.ReadFull(p.opt.Random, raw[:]); err != nil {
		return "", tool.Errorf(tool.Internal, "making an id: %w", err)
	}
	return "mutation:" + hex.EncodeToString(raw[:]), nil
}

// Tool is adapt_personality.
func (p *Personality) Tool() Tool {
	return Tool{
		Name: "adapt_personality",
		Description: "Move one of your personality traits a little, up or down, when you have learned that another way of behaving serves better. " +
			"A session may move each trait only so far, and moving back costs as much; the answer says what is left. Changes fade unless they are made again.",
		InputSchema: adaptSchema(),
		Run: func(ctx context.Context, c tool.Caller, input json.RawMessage) (json.RawMessage, error) {
			trait, delta, reasoning := readWish(input)
			done, err := p.Adapt(ctx, c, trait, delta, reasoning)
			if err != nil {
				return nil, err
			}
			return json.Marshal(done)
		},
	}
}

func adaptSchema() json.RawMessage {
	names, _ := json.Marshal(traitNames()) // text is always JSON
	return json.RawMessage(fmt.Sprintf(`{"type":"object","additionalProperties":false,"required":["trait","delta","reasoning"],"properties":{`+
		`"trait":{"type":"string","enum":%s,"description":"the trait to move"},`+
		`"delta":{"type":"number","description":"how far, on a scale of 0 to 1: 0.05 is a little more, -0.05 a little less"},`+
		`"reasoning":{"type":"string","minLength":1,"maxLength":%d,"description":"why; it is kept with the change"}}}`, names, MaxReasoning))
}

// readWish reads the input of adapt_personality. What is missing or of another type is blank, or no number: Adapt says so.
func readWish(input json.RawMessage) (trait string, delta float64, reasoning string) {
	var in struct{ Trait, Delta, Reasoning json.RawMessage }
	_ = json.Unmarshal(input, &in)
	_ = json.Unmarshal(in.Trait, &trait)
	_ = json.Unmarshal(in.Reasoning, &reasoning)
	var number *float64
	if err := json.Unmarshal(in.Delta, &number); err != nil || number == nil {
		return trait, math.NaN(), reasoning
	}
	return trait, *number, reasoning
}
