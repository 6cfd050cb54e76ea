package selfimprove

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// The parameters that every session has.
const (
	temperature = "temperature"
	verbosity   = "verbosity"
)

// Parameter says what a parameter may be: a number within bounds, or one of some words.
type Parameter struct {
	Min, Max float64           // of a number; both belong to it
	Step     float64           // the most by which one change moves it; 0 is no bound
	Words    map[string]string // what may be said, in lower case, and the word that it stands for; nil means a number
}

// usual are declared everywhere.
var usual = map[string]Parameter{
	temperature: {Min: 0, Max: 2, Step: 0.2},
	verbosity: {Words: map[string]string{
		"low": "concise", "brief": "concise", "concise": "concise", "short": "concise", "minimal": "concise",
		"medium": "balanced", "balanced": "balanced", "normal": "balanced", "default": "balanced", "moderate": "balanced",
		"high": "detailed", "verbose": "detailed", "detailed": "detailed", "comprehensive": "detailed", "thorough": "detailed",
	}},
}

// verbosityLines are what a model is told.
var verbosityLines = map[string]string{
	"concise":  "Verbosity: concise. Say what is needed in few words.",
	"balanced": "Verbosity: balanced. Say what is needed with the explanation that it takes.",
	"detailed": "Verbosity: detailed. Explain thoroughly, with examples where they help.",
}

// ParameterOptions say which parameters there are.
type ParameterOptions struct {
	// Declared are those besides temperature and verbosity. They are kept for the program, which reads them with Get.
	Declared map[string]Parameter
}

// Parameters are what the model calls of sessions are made with. A session sees its own, and they end with it.
type Parameters struct {
	shelf    Shelf
	declared map[string]Parameter
}

// NewParameters keeps parameters on a shelf.
func NewParameters(shelf Shelf, opt ParameterOptions) *Parameters {
	declared := maps.Clone(usual)
	maps.Copy(declared, opt.Declared)
	return &Parameters{shelf, declared}
}

// Change is a parameter before and after. Values are JSON; null stands for none.
type Change struct {
	Param    string          `json:"param"`
	Previous json.RawMessage `json:"previousValue"`
	New      json.RawMessage `json:"newValue"`
}

// none reports whether a change changes nothing.
func (c Change) none() bool { return !isNull(c.New) && string(c.Previous) == string(c.New) }

// All returns what is set in a session, as JSON by name.
func (p *Parameters) All(ctx context.Context, c tool.Caller) (map[string]json.RawMessage, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	text, err := p.shelf.Document(ctx, session(c, tool.Parameters, ""))
	if err != nil {
		return nil, err
	}
	return readParameters(text)
}

// Get returns a parameter of a session as JSON; nil when it is not set.
func (p *Parameters) Get(ctx context.Context, c tool.Caller, param string) (json.RawMessage, error) {
	all, err := p.All(ctx, c)
	return all[param], err
}

// Set changes a parameter of a session to a JSON value that its declaration allows, and says what it was. Nothing is written when
// it is that already.
func (p *Parameters) Set(ctx context.Context, c tool.Caller, param string, value json.RawMessage) (Change, error) {
	return p.set(ctx, c, param, value, nil)
}

// set is Set for a parameter of which a value is known that it had before it was taken back.
func (p *Parameters) set(ctx context.Context, c tool.Caller, param string, value, known json.RawMessage) (Change, error) {
	var done Change
	err := p.edit(ctx, c, func(all map[string]json.RawMessage) (err error) {
		done, err = p.change(all[param], known, param, value)
		all[param] = done.New
		return err
	}, &done)
	return done, err
}

// undo takes a change back. It fails when the parameter is no longer what the change made of it.
func (p *Parameters) undo(ctx context.Context, c tool.Caller, was Change) error {
	back := Change{was.Param, was.New, was.Previous}
	return p.edit(ctx, c, func(all map[string]json.RawMessage) error {
		if string(all[was.Param]) != string(was.New) {
			return &tool.Error{
				Code: tool.Collision, Path: "/id", Message: fmt.Sprintf("%s is %s by now", was.Param, orNull(all[was.Param])), Hint: "adjust it anew",
			}
		}
		if all[was.Param] = was.Previous; isNull(was.Previous) {
			delete(all, was.Param)
		}
		return nil
	}, &back)
}

// edit changes the parameters of a session together with the audit entry that tells of it.
func (p *Parameters) edit(ctx context.Context, c tool.Caller, fn func(all map[string]json.RawMessage) error, done *Change) error {
	if err := c.Validate(); err != nil {
		return err
	}
	return p.shelf.EditDocument(ctx, tool.Actor{Caller: c}, session(c, tool.Parameters, ""), func(old []byte) (tool.DocumentChange, error) {
		all, err := readParameters(old)
		if err != nil {
			return tool.DocumentChange{}, err
		}
		if err := fn(all); err != nil {
			return tool.DocumentChange{}, err
		}
		if done.none() {
			return tool.DocumentChange{Value: old}, nil
		}
		text, err := json.Marshal(all)
		if err != nil {
			return tool.DocumentChange{}, tool.Errorf(tool.Internal, "parameters have no JSON form: %w", err)
		}
		return tool.DocumentChange{Value: text, Events: []tool.DocumentEvent{{Type: tool.ParamChanged, Data: *done}}}, nil
	})
}

// readParameters reads the document of a session; there is always a map.
func readParameters(text []byte) (map[string]json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	if text == nil {
		return all, nil
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, tool.Errorf(tool.Internal, "the parameters of a session cannot be read: %w", err)
	}
	return all, nil
}

// change says what a parameter becomes that was previous. How far it moves is measured from there or, where it is not set, from
// the last value that is known.
func (p *Parameters) change(previous, known json.RawMessage, param string, value json.RawMessage) (Change, error) {
	declared, ok := p.declared[param]
	if !ok {
		return Change{}, &tool.Error{
			Code: tool.InvalidInput, Path: "/param", Message: "there is no parameter " + tool.Quote(param),
			Hint: "the parameters are " + strings.Join(p.names(), ", "),
		}
	}
	if !isNull(previous) {
		known = previous
	}
	allowed, err := declared.read(param, value, known)
	return Change{param, previous, allowed}, err
}

func (p *Parameters) names() []string { return slices.Sorted(maps.Keys(p.declared)) }

// read reads a value that follows a previous one, and returns it as it is kept.
func (p Parameter) read(name string, value, previous json.RawMessage) (json.RawMessage, error) {
	if p.Words != nil {
		var said string
		if err := json.Unmarshal(value, &said); err == nil && p.Words[fold(said)] != "" {
			return json.Marshal(p.Words[fold(said)])
		}
		return nil, badValue(name+" is not one of its words", "give "+strings.Join(p.meanings(), ", "))
	}
	const rounding = 1e-9 // of differences such as 0.8 - 0.6
	number, ok := finite(value)
	if !ok || number < p.Min || number > p.Max {
		return nil, badValue(name+" is not a number within its range", fmt.Sprintf("give a number from %v to %v", p.Min, p.Max))
	}
	if before, ok := finite(previous); ok && p.Step > 0 && math.Abs(number-before) > p.Step+rounding {
		return nil, badValue(fmt.Sprintf("%s is or was %v, and %v is too far from it", name, before, number), fmt.Sprintf("move it by at most %v at a time", p.Step))
	}
	return json.Marshal(number)
}

// meanings are the words that a parameter can be.
func (p Parameter) meanings() []string { return slices.Compact(slices.Sorted(maps.Values(p.Words))) }

// describe says to a model what a parameter may be.
func (p Parameter) describe() string {
	switch {
	case p.Words != nil:
		return "one of the words " + strings.Join(p.meanings(), ", ")
	case p.Step > 0:
		return fmt.Sprintf("a number from %v to %v, at most %v from what it is", p.Min, p.Max, p.Step)
	}
	return fmt.Sprintf("a number from %v to %v", p.Min, p.Max)
}

func fold(word string) string { return strings.ToLower(strings.TrimSpace(word)) }

func badValue(message, hint string) error {
	return &tool.Error{Code: tool.InvalidInput, Path: "/value", Message: message, Hint: hint}
}

// finite is the number that a JSON text is.
func finite(text json.RawMessage) (float64, bool) {
	var number *float64
	if json.Unmarshal(text, &number) != nil || number == nil {
		return 0, false
	}
	return *number, true // JSON has no others than finite ones, and those that overflow are an error
}

func isNull(text json.RawMessage) bool { return text == nil || string(text) == "null" }

func orNull(text json.RawMessage) string {
	if isNull(text) {
		return "not set"
	}
	return string(text)
}

// Apply makes a request to a model with what is set in a session. A temperature of the request itself stays; the verbosity
// becomes a line of the system text.
func (p *Parameters) Apply(ctx context.Context, c tool.Caller, req *model.Request) error {
	all, err := p.All(ctx, c)
	if err != nil {
		return err
	}
	if number, ok := finite(all[temperature]); ok && req.Temperature == nil {
		req.Temperature = &number
	}
	var word string
	if json.Unmarshal(all[verbosity], &word) == nil && verbosityLines[word] != "" {
		req.System = strings.TrimPrefix(req.System+"\n\n"+verbosityLines[word], "\n\n")
	}
	return nil
}
