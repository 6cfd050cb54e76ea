package selfimprove

import (
	"bytes"
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
	Unchanged   bool            `json:"unchanged,omitempty"`   // it is so already: nothing is kept of it
	Personality json.RawMessage `json:"personality,omitempty"` // what adapt_personality said
}

// Adjust changes a parameter of a session, or a trait of its persona, if that is adjustable.
func (e *Evaluation) Adjust(ctx context.Context, c tool.Caller, param string, value json.RawMessage, reasoning string) (*Adjusted, error) {
	done, err := e.turns.take(ctx, c)
	if err != nil {
		return nil, err
	}
	defer done()
	if strings.TrimSpace(reasoning) == "" {
		return nil, &tool.Error{Code: tool.InvalidInput, Path: "/reasoning", Message: "reasoning is missing", Hint: "say in a sentence why"}
	}
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
		change, err := e.opt.Parameters.set(ctx, c, want.Param, want.Value, state.known(want.Param))
		if err != nil {
			return nil, err
		}
		return e.record(ctx, c, Adjustment{Change: change, Applied: AppliedToSession, Automatic: automatic})
	}
	change, err := e.opt.Parameters.change(state.Proposed[want.Param], state.known(want.Param), want.Param, want.Value)
	if err != nil {
		return nil, err
	}
	return e.record(ctx, c, Adjustment{Change: change, Applied: NotApplied, Automatic: automatic})
}

// known is the last value that the adjustments tell of a parameter, also of one that was taken back; nil when there is none.
func (s *evaluationState) known(param string) json.RawMessage {
	for _, a := range slices.Backward(s.Adjustments) {
		if a.Param == param {
			if isNull(a.New) {
				return a.Previous
			}
			return a.New
		}
	}
	return nil
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
	if automatic && math.Abs(delta) > maxSuggestedDelta {
		return nil, badValue(fmt.Sprintf("%s would change by %v: suggestions are from -%v to %[3]v", trait, delta, maxSuggestedDelta), "suggest less")
	}
	if automatic && !e.opt.ApplyToSession {
		if a.Change, err = e.wouldBe(ctx, c, trait, delta); err != nil {
			return nil, err
		}
		return e.record(ctx, c, a)
	}
	reasoning := strings.TrimSpace(clip(want.Reasoning, MaxReasoning-1))
	if reasoning == "" {
		reasoning = fmt.Sprintf("self_evaluate: %s is to change by %v", trait, delta)
	}
	return e.adapt(ctx, c, a, reasoning)
}

// wouldBe is what a change of a trait would come to.
func (e *Evaluation) wouldBe(ctx context.Context, c tool.Caller, trait string, delta float64) (Change, error) {
	if e.opt.Traits == nil {
		return Change{Param: trait}, nil
	}
	values, err := e.opt.Traits(ctx, c)
	if err != nil {
		return Change{}, err
	}
	return Change{trait, number(values[trait]), number(rounded(clamp(values[trait] + delta)))}, nil
}

// trait is the trait and the delta that a suggestion means.
func (s suggestion) trait() (string, float64, error) {
	trait, value := s.Param, s.Value
	if trait == personality {
		var both struct {
			Trait string          `json:"trait"`
			Delta json.RawMessage `json:"delta"`
		}
		if strict(value, &both) != nil || !isTrait(both.Trait) {
			return "", 0, badValue("the value of personality is no object of a trait that there is and a delta", "give trait and delta, and nothing else; the traits are "+strings.Join(traitNames(), ", "))
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
		return &Adjusted{Change: a.Change, Applied: NotApplied, Unchanged: true, Personality: output}, nil
	}
	result, err := e.record(ctx, c, a)
	if err == nil {
		result.Personality = output
	}
	return result, err
}

// strict reads an object that has no members but those that are known.
func strict(text []byte, into any) error {
	read := json.NewDecoder(bytes.NewReader(text))
	read.DisallowUnknownFields()
	return read.Decode(into)
}

// number is a finite number as JSON.
func number(x float64) json.RawMessage {
	text, err := json.Marshal(x)
	if err != nil {
		return json.RawMessage("null") // only what is not finite has no JSON form
	}
	return text
}

// record keeps an adjustment, and marks the one that it reverts. One that changes nothing takes no place.
func (e *Evaluation) record(ctx context.Context, c tool.Caller, a Adjustment) (*Adjusted, error) {
	if a.none() && a.Reverts == "" {
		return &Adjusted{Change: a.Change, Applied: NotApplied, Unchanged: true}, nil
	}
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
