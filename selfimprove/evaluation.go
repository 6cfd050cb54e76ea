package selfimprove

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// Bounds of evaluations.
const (
	defaultEvaluations = 10
	maxEvaluations     = 1000   // of a session, whatever is wanted
	maxAdjustments     = 200    // of a session; each can be reverted once
	maxSuggestions     = 3      // that one evaluation tries
	maxJudged          = 50_000 // characters of the query, and of the response
	maxShown           = 60     // characters of a name that a model wrote
	window             = 3      // evaluations that are compared before and after an adjustment
	maxSuggestedDelta  = 0.1    // of a trait, that an evaluation suggests
)

// EvaluationOptions say what an evaluation may do. The zero value evaluates nothing and adjusts nothing.
type EvaluationOptions struct {
	Model            model.Model // that gives scores; nil makes evaluate unavailable. It should not be the one that answers.
	MaxTokens        int         // of its reply; 0 is 200
	MaxEvaluations   int         // of a session; 0 is 10
	AutoAdjust       bool        // try what the model suggests
	AdjustableParams []string    // parameters, traits, or "personality" for all traits
	// ApplyToSession lets what an evaluation suggests, and adjustments of parameters, have an effect. Otherwise they are
	// recorded as proposed, and no evaluation changes a later turn by itself.
	ApplyToSession bool
	Parameters     *Parameters // what adjustments reach; nil has the usual ones
	// Adapt is adapt_personality: it returns previousValue, newValue and delta, which may be less than what was asked for;
	// nil refuses traits.
	Adapt func(ctx context.Context, c tool.Caller, trait string, delta float64, reasoning string) (json.RawMessage, error)
	// Traits are what the caller's traits are worth, for what is only proposed; nil knows nothing of them.
	Traits func(ctx context.Context, c tool.Caller) (map[string]float64, error)
	// Remember is given a trace of each evaluation; nil forgets it.
	Remember func(ctx context.Context, c tool.Caller, trace json.RawMessage)

	Now    func() time.Time // nil is time.Now
	Random io.Reader        // nil is the system's
}

// Evaluation is the tool self_evaluate: an agent has its answers scored, and adjusts itself by the scores.
type Evaluation struct {
	shelf  Shelf
	opt    EvaluationOptions
	random sync.Mutex
	turns  turns
}

// NewEvaluation keeps evaluations on a shelf.
func NewEvaluation(shelf Shelf, opt EvaluationOptions) *Evaluation {
	if opt.MaxTokens <= 0 {
		opt.MaxTokens = 200
	}
	if opt.MaxEvaluations <= 0 {
		opt.MaxEvaluations = defaultEvaluations
	}
	opt.MaxEvaluations = min(opt.MaxEvaluations, maxEvaluations)
	if opt.Parameters == nil {
		opt.Parameters = NewParameters(shelf, ParameterOptions{})
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Random == nil {
		opt.Random = rand.Reader
	}
	return &Evaluation{shelf: shelf, opt: opt}
}

const evaluationDescription = `Has an answer of yours scored by another model, and adjusts how you answer in this session.

Actions: evaluate (query, response) gives scores from 0 to 1 for relevance, clarity, accuracy and helpfulness, and may adjust something by itself; adjust (param, value, reasoning) changes a parameter: temperature (0 to 2, by at most 0.2 at a time), verbosity (concise, balanced, detailed), a trait by a number to add such as 0.05, or "personality" with {"trait", "delta"}; report shows averages, the trend, and what the scores did after each adjustment; revert (id) undoes an adjustment, such as one that report has flagged because the scores did not get better.
Result: what the action gives. "applied" says whether an adjustment has an effect: session, persona, or none when it is only noted as proposed.
Limits: 50000 characters each of query and response, a number of evaluations per session, and only parameters that the operator lets you adjust.
Example: {"action": "evaluate", "query": "What is 2 + 2?", "response": "4"} gives {"scores": {"relevance": 1, "clarity": 1, "accuracy": 1, "helpfulness": 0.9}, "evalCount": 1, "remainingEvaluations": 9}`

const evaluationInput = `{
	"type": "object",
	"properties": {
		"action": {"enum": ["evaluate", "adjust", "report", "revert"], "description": "What is to be done."},
		"query": {"type": "string", "minLength": 1, "maxLength": 50000, "description": "evaluate: what was asked."},
		"response": {"type": "string", "minLength": 1, "maxLength": 50000, "description": "evaluate: what you answered."},
		"param": {"type": "string", "minLength": 1, "maxLength": 100, "description": "adjust: temperature, verbosity, the name of a trait, or personality."},
		"value": {"type": ["number", "string", "object"], "description": "adjust: the new value; of a trait the number to add to it; of personality an object of trait and delta."},
		"reasoning": {"type": "string", "minLength": 1, "maxLength": 2000, "description": "adjust: why; it is required."},
		"id": {"type": "string", "minLength": 1, "maxLength": 20, "description": "revert: the adjustment, as adjust and report name it."}
	},
	"required": ["action"],
	"additionalProperties": false
}`

// Tool is self_evaluate.
func (e *Evaluation) Tool() Tool {
	return Tool{Name: "self_evaluate", Description: evaluationDescription, InputSchema: json.RawMessage(evaluationInput), Run: e.run}
}

func (e *Evaluation) run(ctx context.Context, c tool.Caller, input json.RawMessage) (json.RawMessage, error) {
	var ask struct {
		Action   string `json:"action"`
		Query    string `json:"query"`
		Response string `json:"response"`
		ID       string `json:"id"`
		suggestion
	}
	if err := json.Unmarshal(input, &ask); err != nil {
		return nil, &tool.Error{Code: tool.InvalidInput, Message: "the input cannot be read", Hint: "give one JSON object, as the input schema has it", Cause: err}
	}
	if err := checkMembers(input, ask.Action); err != nil {
		return nil, err
	}
	var result any
	var err error
	switch ask.Action {
	case "evaluate":
		result, err = e.Evaluate(ctx, c, ask.Query, ask.Response)
	case "adjust":
		result, err = e.Adjust(ctx, c, ask.Param, ask.Value, ask.Reasoning)
	case "report":
		result, err = e.Report(ctx, c)
	case "revert":
		result, err = e.Revert(ctx, c, ask.ID)
	default:
		err = &tool.Error{
			Code: tool.InvalidInput, Path: "/action", Message: "there is no action " + tool.Quote(ask.Action), Hint: "the actions are evaluate, adjust, report and revert",
		}
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(result)
	if err != nil {
		return nil, tool.Errorf(tool.Internal, "the result has no JSON form: %w", err)
	}
	return text, nil
}

// membersOf are those that the actions take.
var membersOf = map[string][]string{
	"evaluate": {"query", "response"}, "adjust": {"param", "value", "reasoning"}, "report": {}, "revert": {"id"},
}

// checkMembers refuses members that an action does not take: whoever gives them means something else.
func checkMembers(input []byte, action string) error {
	takes, known := membersOf[action]
	if !known {
		return nil // it is refused for that
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(input, &given); err != nil {
		return tool.Errorf(tool.InvalidInput, "the input cannot be read: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if name != "action" && !slices.Contains(takes, name) {
			return &tool.Error{
				Code: tool.InvalidInput, Path: "/" + name, Message: fmt.Sprintf("%s has no member %s", action, tool.Quote(name)),
				Hint: "it takes: " + strings.Join(append([]string{"action"}, takes...), ", "),
			}
		}
	}
	return nil
}

// Evaluated is what an evaluation gave.
type Evaluated struct {
	Scores    Scores    `json:"scores"`
	Count     int       `json:"evalCount"`
	Remaining int       `json:"remainingEvaluations"`
	Applied   []Tried   `json:"appliedAdjustments,omitempty"`
	Skipped   []Skipped `json:"skippedAdjustments,omitempty"`
}

// Tried is a suggestion that was followed; what is in Output says whether it has an effect.
type Tried struct {
	Param  string    `json:"param"`
	Output *Adjusted `json:"output"`
}

// Skipped is a suggestion that was not followed.
type Skipped struct {
	Param  string `json:"param"`
	Reason string `json:"reason"`
}

// Evaluate has the response to a query scored, and tries what is suggested with the scores. Nothing is counted unless the
// scores are whole.
func (e *Evaluation) Evaluate(ctx context.Context, c tool.Caller, query, response string) (*Evaluated, error) {
	if err := checkJudged(query, response); err != nil {
		return nil, err
	}
	done, err := e.turns.take(ctx, c)
	if err != nil {
		return nil, err
	}
	defer done()
	state, err := e.load(ctx, c)
	if err != nil {
		return nil, err
	}
	if len(state.Evaluations) >= e.opt.MaxEvaluations {
		return nil, &tool.Error{
			Code: tool.Limit, Message: fmt.Sprintf("Maximum evaluations: this session has had its %d", e.opt.MaxEvaluations),
			Hint: "use report to see what they gave; another session begins anew",
		}
	}
	opinion, err := e.ask(ctx, c, state, query, response)
	if err != nil {
		return nil, err
	}
	scored := Scored{Scores: opinion.scores, Timestamp: tool.At(e.opt.Now())}
	state, err = e.edit(ctx, c, func(s *evaluationState) error { s.Evaluations = append(s.Evaluations, scored); return nil })
	if err != nil {
		return nil, err
	}
	n := len(state.Evaluations)
	result := &Evaluated{Scores: opinion.scores, Count: n, Remaining: max(e.opt.MaxEvaluations-n, 0)}
	e.follow(ctx, c, opinion.suggestions, result)
	e.remember(ctx, c, query, result)
	return result, nil
}

// follow tries the first suggestions, and says of the others why not.
func (e *Evaluation) follow(ctx context.Context, c tool.Caller, suggestions []suggestion, result *Evaluated) {
	for i, s := range suggestions {
		if i >= maxSuggestions {
			result.Skipped = append(result.Skipped, Skipped{clip(s.Param, maxShown), fmt.Sprintf("only the first %d suggestions are tried", maxSuggestions)})
			continue
		}
		output, err := e.adjust(ctx, c, s, true)
		if err != nil {
			result.Skipped = append(result.Skipped, Skipped{clip(s.Param, maxShown), tool.AsError(err).Message})
			continue
		}
		if output.Unchanged {
			result.Skipped = append(result.Skipped, Skipped{clip(s.Param, maxShown), "nothing would change"})
			continue
		}
		result.Applied = append(result.Applied, Tried{s.Param, output})
	}
}

// remember hands on a trace of an evaluation.
func (e *Evaluation) remember(ctx context.Context, c tool.Caller, query string, result *Evaluated) {
	if e.opt.Remember == nil {
		return
	}
	content, err := json.Marshal(map[string]any{"query": query, "scores": result.Scores, "autoAdjustments": result.Applied})
	if err != nil {
		return // a trace is nothing that an evaluation fails for
	}
	trace, err := json.Marshal(map[string]any{
		"type": "self-evaluation", "scope": "session", "content": string(content), "tags": []string{"evaluation", "quality"},
	})
	if err == nil {
		e.opt.Remember(ctx, c, trace)
	}
}

// turns let each session do one thing after the other, so that none counts or undoes something twice.
type turns struct {
	mu  sync.Mutex
	now map[tool.Caller]*turn
}

// turn is taken by whoever has put a token into busy.
type turn struct {
	busy  chan struct{}
	users int
}

// take waits for the turn of a session. What it returns gives the turn back.
func (t *turns) take(ctx context.Context, c tool.Caller) (done func(), err error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	t.mu.Lock()
	if t.now == nil {
		t.now = map[tool.Caller]*turn{}
	}
	mine := t.now[c]
	if mine == nil {
		mine = &turn{busy: make(chan struct{}, 1)}
		t.now[c] = mine
	}
	mine.users++
	t.mu.Unlock()
	select {
	case mine.busy <- struct{}{}:
		return func() { <-mine.busy; t.leave(c, mine) }, nil
	case <-ctx.Done():
		t.leave(c, mine)
		return nil, tool.AsError(ctx.Err())
	}
}

func (t *turns) leave(c tool.Caller, mine *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mine.users--; mine.users == 0 {
		delete(t.now, c)
	}
}
