package selfimprove

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// personality stands for all traits among what can be adjusted.
const personality = "personality"

// suggestion is a change that an agent or a model wants.
type suggestion struct {
	Param     string          `json:"param"`
	Value     json.RawMessage `json:"value"`
	Reasoning string          `json:"reasoning"`
}

// Adjusted is what became of an adjustment.
type Adjusted struct {
	ID string `json:"id,omitempty"` // "" when nothing changed
	Change
	Applied     Applied         `json:"applied"`
	Personality json.RawMessage `json:"personality,omitempty"` // what adapt_personality said
}

// Adjust changes a parameter of a session, or a trait of its persona, if that is adjustable.
func (e *Evaluation) Adjust(ctx context.Context, c tool.Caller, param string, value json.RawMessage, reasoning string) (*Adjusted, error) {
	done, err := e.turns.take(ctx, c)
	if err != nil {
		return nil, err
	}
	defer done()
	return e.adjust(ctx, c, suggestion{param, value, reasoning}, false)
}

// adjust does it in the session's turn.
func (e *Evaluation) adjust(ctx context.Context, c tool.Caller, want suggestion, automatic bool) (*Adjusted, error) {
	switch {
	case want.Param == "":
		return nil, &tool.Error{Code: tool.InvalidInput, Path: "/param", Message: "param is missing", Hint: "name what is to be adjusted"}
	case isNull(want.Value):
		return nil, badValue("value is missing", "give the new value")
	case !e.adjustable(want.Param):
		return nil, &tool.Error{
			Code: tool.Denied, Path: "/param", Message: tool.Quote(want.Param) + " is not adjustable", Hint: "adjustable are: " + e.allowed(),
		}
	}
	state, err := e.load(ctx, c)
	if err != nil {
		return nil, err
	}
	if state.full() {
		return nil, &tool.Error{Code: tool.Limit, Message: fmt.Sprintf("this session has had its %d adjustments", maxAdjustments), Hint: "another session begins anew"}
	}
	if want.Param == personality || isTrait(want.Param) {
		return e.adjustTrait(ctx, c, want, automatic)
	}
	if e.opt.ApplyToSession {
		change, err := e.opt.Parameters.Set(ctx, c, want.Param, want.Value)
		if err != nil {
			return nil, err
		}
		return e.record(ctx, c, Adjustment{Change: change, Applied: AppliedToSession, Automatic: automatic})
	}
	change, err := e.opt.Parameters.change(state.Proposed[want.Param], want.Param, want.Value)
	if err != nil {
		return nil, err
	}
	return e.record(ctx, c, Adjustment{Change: change, Applied: NotApplied, Automatic: automatic})
}

func (e *Evaluation) adjustable(param string) bool {
	return slices.Contains(e.opt.AdjustableParams, param) || isTrait(param) && slices.Contains(e.opt.AdjustableParams, personality)
}

func (e *Evaluation) allowed() string {
	if len(e.opt.AdjustableParams) == 0 {
		return "none"
	}
	return strings.Join(e.opt.AdjustableParams, ", ")
}

func isTrait(name string) bool { return slices.Contains(traitNames(), name) }

// adjustTrait hands a change of a trait to adapt_personality. One that an evaluation suggests is only proposed unless
// evaluations are to have an effect.
func (e *Evaluation) adjustTrait(ctx context.Context, c tool.Caller, want suggestion, automatic bool) (*Adjusted, error) {
	trait, delta, err := want.trait()
	if err != nil {
		return nil, err
	}
	a := Adjustment{Change: Change{Param: trait}, Delta: delta, Applied: NotApplied, Automatic: automatic}
	if automatic && !e.opt.ApplyToSession {
		return e.record(ctx, c, a)
	}
	reasoning := strings.TrimSpace(clip(want.Reasoning, MaxReasoning-1))
	if reasoning == "" {
		reasoning = fmt.Sprintf("self_evaluate: %s is to change by %v", trait, delta)
	}
	return e.adapt(ctx, c, a, reasoning)
}

// trait is the trait and the delta that a suggestion means.
func (s suggestion) trait() (string, float64, error) {
	trait, value := s.Param, s.Value
	if trait == personality {
		var both struct {
			Trait string          `json:"trait"`
			Delta json.RawMessage `json:"delta"`
		}
		if json.Unmarshal(value, &both) != nil || !isTrait(both.Trait) {
			return "", 0, badValue("the value of personality has no trait that there is", "give an object of trait and delta; the traits are "+strings.Join(traitNames(), ", "))
		}
		trait, value = both.Trait, both.Delta
	}
	delta, ok := finite(value)
	if !ok || math.Abs(delta) > 1 {
		return "", 0, badValue("the change of "+trait+" is not a finite number from -1 to 1", "give the number to add, such as 0.05")
	}
	return trait, delta, nil
}

// adapt changes a trait by the delta of an adjustment, and records what came of it; nothing is recorded when nothing did.
func (e *Evaluation) adapt(ctx context.Context, c tool.Caller, a Adjustment, reasoning string) (*Adjusted, error) {
	if e.opt.Adapt == nil {
		return nil, &tool.Error{
			Code: tool.Unavailable, Path: "/param", Message: "traits cannot be adjusted: adapt_personality is not there", Hint: "adjust a parameter, or have an operator enable it",
		}
	}
	output, err := e.opt.Adapt(ctx, c, a.Param, a.Delta, reasoning)
	if err != nil {
		return nil, err
	}
	var became struct {
		Previous *float64 `json:"previousValue"`
		New      *float64 `json:"newValue"`
	}
	if json.Unmarshal(output, &became) != nil || became.Previous == nil || became.New == nil {
		return nil, tool.Errorf(tool.Internal, "adapt_personality does not say what the trait was and is")
	}
	a.Previous, a.New, a.Applied = number(*became.Previous), number(*became.New), AppliedToPersona
	if a.Delta = rounded(*became.New - *became.Previous); a.Delta == 0 {
		return &Adjusted{Change: a.Change, Applied: NotApplied, Personality: output}, nil
	}
	result, err := e.record(ctx, c, a)
	if err == nil {
		result.Personality = output
	}
	return result, err
}

// number is a finite number as JSON.
func number(x float64) json.RawMessage {
	text, err := json.Marshal(x)
	if err != nil {
		return json.RawMessage("null") // only what is not finite has no JSON form
	}
	return text
}

// record keeps an adjustment, and marks the one that it reverts.
func (e *Evaluation) record(ctx context.Context, c tool.Caller, a Adjustment) (*Adjusted, error) {
	var kept *Adjustment
	_, err := e.edit(ctx, c, func(s *evaluationState) error {
		if undone := s.find(a.Reverts); undone != nil {
			undone.Reverted = true
		}
		if a.Applied == NotApplied && !isTrait(a.Param) {
			s.propose(a.Change)
		}
		kept = s.add(a, tool.At(e.opt.Now()))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &Adjusted{ID: kept.ID, Change: kept.Change, Applied: kept.Applied}, nil
}

// propose keeps the value of a parameter that has no effect.
func (s *evaluationState) propose(change Change) {
	if isNull(change.New) {
		delete(s.Proposed, change.Param)
		return
	}
	if s.Proposed == nil {
		s.Proposed = map[string]json.RawMessage{}
	}
	s.Proposed[change.Param] = change.New
}

// Revert undoes an adjustment of the session: a parameter is what it was before, and a trait moves back as far as
// adapt_personality lets it. Of several adjustments of a parameter the last is undone first.
func (e *Evaluation) Revert(ctx context.Context, c tool.Caller, id string) (*Adjusted, error) {
	done, err := e.turns.take(ctx, c)
	if err != nil {
		return nil, err
	}
	defer done()
	state, err := e.load(ctx, c)
	if err != nil {
		return nil, err
	}
	was := state.find(id)
	if err := state.checkRevert(was, id); err != nil {
		return nil, err
	}
	back := Adjustment{Change: Change{was.Param, was.New, was.Previous}, Delta: -was.Delta, Applied: was.Applied, Reverts: id}
	if was.Applied == AppliedToPersona {
		result, err := e.adapt(ctx, c, back, "self_evaluate: "+id+" is undone")
		if err == nil && result.ID == "" {
			err = &tool.Error{Code: tool.Limit, Path: "/id", Message: was.Param + " cannot move back any more", Hint: "its budget for this session may be used up"}
		}
		return result, err
	}
	if was.Applied == AppliedToSession {
		if err := e.opt.Parameters.undo(ctx, c, was.Change); err != nil {
			return nil, err
		}
	}
	return e.record(ctx, c, back)
}

func (s *evaluationState) checkRevert(was *Adjustment, id string) error {
	refused := func(code tool.Code, message, hint string) error {
		return &tool.Error{Code: code, Path: "/id", Message: message, Hint: hint}
	}
	switch {
	case was == nil:
		return refused(tool.NotFound, "this session has no adjustment "+tool.Quote(id), "report names those that there are")
	case was.Reverted:
		return refused(tool.Inactive, id+" was reverted already", "report says which still hold")
	case was.Reverts != "":
		return refused(tool.InvalidInput, id+" itself reverts "+was.Reverts, "adjust anew instead")
	}
	if over := s.over(was); over != nil && !isTrait(was.Param) {
		return refused(tool.Inactive, over.ID+" has changed "+was.Param+" since", "revert "+over.ID+" first")
	}
	return nil
}
