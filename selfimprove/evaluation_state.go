package selfimprove

import (
	"context"
	"encoding/json"
	"strconv"

	"example.com/toolsmith/runtime/tool"
)

// Scores are what an answer was worth, each from 0 to 1.
type Scores struct {
	Relevance   float64 `json:"relevance"`
	Clarity     float64 `json:"clarity"`
	Accuracy    float64 `json:"accuracy"`
	Helpfulness float64 `json:"helpfulness"`
}

// Mean is the four in one.
func (s Scores) Mean() float64 { return (s.Relevance + s.Clarity + s.Accuracy + s.Helpfulness) / 4 }

// Scored is an evaluation that counts.
type Scored struct {
	Scores    Scores    `json:"scores"`
	Timestamp tool.Time `json:"timestamp"`
}

// Applied says whom an adjustment has an effect on.
type Applied string

// What adjustments reach.
const (
	AppliedToSession Applied = "session" // its parameters
	AppliedToPersona Applied = "persona" // its traits
	NotApplied       Applied = "none"    // it is only proposed
)

// Adjustment is a change that was made or proposed. A change of a trait has a delta.
type Adjustment struct {
	ID string `json:"id"`
	Change
	Delta       float64   `json:"delta,omitzero"`
	Applied     Applied   `json:"applied"`
	Automatic   bool      `json:"automatic,omitempty"` // an evaluation suggested it
	After       int       `json:"afterEvaluations"`    // how many there were
	ScoreBefore *float64  `json:"scoreBefore"`         // the mean of the last ones before; nil when there were none
	Reverts     string    `json:"reverts,omitempty"`   // the adjustment that this one undoes
	Reverted    bool      `json:"reverted,omitempty"`
	Timestamp   tool.Time `json:"timestamp"`
}

// evaluationState is the document of a session.
type evaluationState struct {
	Evaluations []Scored                   `json:"evaluations,omitempty"`
	Adjustments []Adjustment               `json:"adjustments,omitempty"`
	Proposed    map[string]json.RawMessage `json:"proposed,omitempty"` // the last value of each parameter
}

func (e *Evaluation) load(ctx context.Context, c tool.Caller) (*evaluationState, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	text, err := e.shelf.Document(ctx, session(c, tool.Evaluations, ""))
	if err != nil {
		return nil, err
	}
	return readEvaluations(text)
}

func readEvaluations(text []byte) (*evaluationState, error) {
	state := &evaluationState{}
	if text == nil {
		return state, nil
	}
	if err := json.Unmarshal(text, state); err != nil {
		return nil, tool.Errorf(tool.Internal, "the evaluations of a session cannot be read: %w", err)
	}
	return state, nil
}

// edit changes the document of a session, and returns what it is then.
func (e *Evaluation) edit(ctx context.Context, c tool.Caller, fn func(*evaluationState) error) (state *evaluationState, err error) {
	err = e.shelf.EditDocument(ctx, tool.Actor{Caller: c}, session(c, tool.Evaluations, ""), func(old []byte) (tool.DocumentChange, error) {
		if state, err = readEvaluations(old); err != nil {
			return tool.DocumentChange{}, err
		}
		if err := fn(state); err != nil {
			return tool.DocumentChange{}, err
		}
		text, err := json.Marshal(state)
		if err != nil {
			return tool.DocumentChange{}, tool.Errorf(tool.Internal, "the evaluations have no JSON form: %w", err)
		}
		return tool.DocumentChange{Value: text}, nil
	})
	return state, err
}

// add appends an adjustment, and completes it.
func (s *evaluationState) add(a Adjustment, now tool.Time) *Adjustment {
	a.ID = "a" + strconv.Itoa(len(s.Adjustments)+1)
	a.After, a.Timestamp = len(s.Evaluations), now
	a.ScoreBefore = meanScore(s.Evaluations[max(a.After-window, 0):])
	s.Adjustments = append(s.Adjustments, a)
	return &s.Adjustments[len(s.Adjustments)-1]
}

// full reports whether no more adjustments are kept. Those that undo others always are.
func (s *evaluationState) full() bool {
	n := 0
	for _, a := range s.Adjustments {
		if a.Reverts == "" {
			n++
		}
	}
	return n >= maxAdjustments
}

// find returns an adjustment by its id; nil when there is none.
func (s *evaluationState) find(id string) *Adjustment {
	for i := range s.Adjustments {
		if s.Adjustments[i].ID == id {
			return &s.Adjustments[i]
		}
	}
	return nil
}

// over returns the last adjustment of the same parameter that lies over another one and still holds; nil when none does.
func (s *evaluationState) over(below *Adjustment) (last *Adjustment) {
	later := false
	for i := range s.Adjustments {
		a := &s.Adjustments[i]
		if later && a.Param == below.Param && a.Reverts == "" && !a.Reverted {
			last = a
		}
		later = later || a == below
	}
	return last
}

// meanScore is the mean of evaluations; nil when there are none.
func meanScore(list []Scored) *float64 {
	if len(list) == 0 {
		return nil
	}
	sum := 0.0
	for _, one := range list {
		sum += one.Scores.Mean()
	}
	sum = rounded(sum / float64(len(list)))
	return &sum
}
