package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// object is a JSON object that a model answered. It may have members that nobody asked for.
type object map[string]any

// maxReplyDepth is how deep lists and objects may stand in each other.
const maxReplyDepth = 16

// members are the names that a verdict hangs on. One that is spelt almost so makes the reply ambiguous.
var members = []string{
	"canary", "safety", "correctness", "determinism", "bounded", "confidence", "approved", "reasoning",
	"passed", "score", "likely", "concerns", "failedTests",
}

// readReply reads what stands from the first brace to the last: prose and code fences around it do not matter. It has to
// be one object in which each name stands once, and that repeats the canary.
func readReply(text, canary string) (object, error) {
	if len(text) > MaxReplyBytes {
		return nil, fmt.Errorf("it is longer than %d bytes", MaxReplyBytes)
	}
	if first, last := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}'); first >= 0 && last > first {
		text = text[first : last+1]
	}
	if !json.Valid([]byte(text)) {
		return nil, errors.New("it is not one JSON object")
	}
	r := reader{json.NewDecoder(strings.NewReader(text))}
	r.tokens.UseNumber()
	value, err := r.value(0)
	if err != nil {
		return nil, err
	}
	reply, ok := value.(object)
	switch {
	case !ok:
		return nil, errors.New("it is not a JSON object")
	case reply["canary"] != canary:
		return nil, errors.New("it does not repeat the canary, so it is no answer to this prompt")
	}
	return reply, nil
}

// reader builds values from the tokens of a text that is JSON.
type reader struct{ tokens *json.Decoder }

func (r reader) value(depth int) (any, error) {
	token, err := r.tokens.Token()
	if err != nil {
		return nil, err
	}
	switch {
	case token != json.Delim('{') && token != json.Delim('['):
		return token, nil
	case depth == maxReplyDepth:
		return nil, fmt.Errorf("it is nested more than %d deep", maxReplyDepth)
	case token == json.Delim('{'):
		return r.object(depth)
	}
	list := []any{}
	for r.tokens.More() {
		item, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	_, err = r.tokens.Token()
	return list, err
}

func (r reader) object(depth int) (any, error) {
	o := object{}
	for r.tokens.More() {
		token, err := r.tokens.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string) // a key is nothing else
		if _, twice := o[name]; twice {
			return nil, fmt.Errorf("%s stands twice in one object", quoted(clip(name, 40)))
		}
		if known := almost(name); known != "" {
			return nil, fmt.Errorf("%s is not spelt %s", quoted(clip(name, 40)), known)
		}
		if o[name], err = r.value(depth + 1); err != nil {
			return nil, err
		}
	}
	_, err := r.tokens.Token()
	return o, err
}

// almost returns the member that a name differs from in case alone.
func almost(name string) string {
	for _, known := range members {
		if name != known && strings.EqualFold(name, known) {
			return known
		}
	}
	return ""
}

// part is a member that is an object; of anything else it is one without members.
func (o object) part(name string) object {
	part, _ := o[name].(object)
	return part
}

func (o object) text(name string) string {
	text, _ := o[name].(string)
	return text
}

// is reports whether a member is exactly true.
func (o object) is(name string) bool { return o[name] == true }

// answer is a member that has to be true or false, if it is there: a model that says no in other words has said no.
func (o object) answer(name string) error {
	value, there := o[name]
	if _, ok := value.(bool); there && !ok {
		return fmt.Errorf("%q is neither true nor false", name)
	}
	return nil
}

// fraction is a member that has to be a number from 0 to 1, if it is there and not null: 7 or "0.9" may mean much or little.
func (o object) fraction(name string) error {
	number, isNumber := o[name].(json.Number)
	value, err := number.Float64()
	if o[name] != nil && !(isNumber && err == nil && value >= 0 && value <= 1) {
		return fmt.Errorf("%q is not a number from 0 to 1", name)
	}
	return nil
}

// number is a member that fraction finds nothing wrong with; 0 when it is not there.
func (o object) number(name string) float64 {
	number, _ := o[name].(json.Number)
	value, _ := number.Float64()
	return value
}
