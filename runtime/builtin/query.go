package builtin

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
)

// Bounds of one query.
const (
	maxQuery       = 2048    // bytes
	maxVisits      = 2 << 20 // values that are looked at, and selectors that are tried
	maxResults     = 10_000
	maxResultBytes = 4 << 20
)

const queryDescription = `Takes values out of JSON data by a path, in the language of JSONPath (RFC 9535) without filters and functions.

Arguments: data (any JSON value), query (a path that begins with $, the whole of data).
The path goes on with any number of: .name or ["name"] (a member of an object), [0] (an item of an array; [-1] is the last), .* or [*] (all members or items), [1:3] or [::2] (a slice), [0, "a"] (several at once), and each of these after two dots, as in ..name or ..[0], for everywhere below. Names behind a dot are made of letters, digits and underscores; write others in brackets and quotes.
Result: found, and value. A path of names and positions alone leads to one value: value is that, or null with found false when there is none. Any other path leads to a list: value is an array of what was found, in the order of the data, and found says whether it holds anything.
Values come back as they are in data, with every digit of their numbers.
Limits: 2048 bytes of query, 10000 results, 4 MiB of results. To filter, compute or sort, use or forge another tool.
Example: {"data": {"users": [{"name": "Ada"}, {"name": "Alan"}]}, "query": "$.users[*].name"} gives {"value": ["Ada", "Alan"], "found": true}`

const queryInput = `{
	"type": "object",
	"properties": {
		"data": {"description": "The value to look into."},
		"query": {"type": "string", "minLength": 1, "maxLength": 2048, "description": "The path, such as $.users[0].name or $..price."}
	},
	"required": ["data", "query"],
	"additionalProperties": false
}`

const queryOutput = `{
	"type": "object",
	"properties": {
		"value": {"description": "The value, or the array of values when the path can lead to several."},
		"found": {"type": "boolean", "description": "Whether there was anything."}
	},
	"required": ["value", "found"],
	"additionalProperties": false
}`

// JSONQuery is the tool json_query: parts of a JSON value.
func JSONQuery() runtime.Tool {
	return runtime.Tool{
		Name: "json_query", Description: queryDescription,
		InputSchema: json.RawMessage(queryInput), OutputSchema: json.RawMessage(queryOutput),
		Run: jsonQuery,
	}
}

// queryAnswer is the output of json_query.
type queryAnswer struct {
	Value json.RawMessage `json:"value"`
	Found bool            `json:"found"`
}

func jsonQuery(ctx context.Context, call *runtime.Invocation) (json.RawMessage, error) {
	var ask struct {
		Data  json.RawMessage `json:"data"`
		Query string          `json:"query"`
	}
	if err := read(call.Input, &ask); err != nil {
		return nil, err
	}
	q, err := parseQuery(ask.Query)
	if err != nil {
		return nil, err
	}
	data, err := readNode(ask.Data, "/data")
	if err != nil {
		return nil, err
	}
	s := search{work: work{ended: ctx.Err, most: maxVisits, over: tool.Error{
		Code: tool.Limit, Path: "/query", Message: fmt.Sprintf("the query takes more than %d steps", maxVisits),
		Hint: "name more of the path, and use .. once at most",
	}}}
	if err := s.walk(data, q.segments); err != nil {
		return nil, err
	}
	return write(s.answer(q.single))
}

// search is one evaluation of a query.
type search struct {
	work
	found []*node
	size  int // bytes of what was found
}

// walk follows the segments from a value on, depth first, so that results come in the order of RFC 9535.
func (s *search) walk(n *node, segments []segment) error {
	if len(segments) == 0 {
		return s.keep(n)
	}
	here := segments[0]
	if err := s.step(1 + len(here.selectors)); err != nil {
		return err
	}
	for _, choose := range here.selectors {
		for child := range choose(n) {
			if err := s.walk(child, segments[1:]); err != nil {
				return err
			}
		}
	}
	if !here.deep {
		return nil
	}
	for _, child := range n.all() {
		if err := s.walk(child, segments); err != nil {
			return err
		}
	}
	return nil
}

// keep adds a result.
func (s *search) keep(n *node) error {
	s.found = append(s.found, n)
	s.size += len(n.text) + 1
	switch {
	case len(s.found) > maxResults:
		return &tool.Error{
			Code: tool.Limit, Path: "/query", Message: fmt.Sprintf("the query finds more than %d values", maxResults),
			Hint: "take fewer with a slice, as in [0:100], or name more of the path",
		}
	case s.size > maxResultBytes:
		return &tool.Error{
			Code: tool.OutputTooLarge, Path: "/query", Message: fmt.Sprintf("what the query finds is larger than %d bytes", maxResultBytes),
			Hint: "take fewer with a slice, as in [0:100], or go deeper into each value",
		}
	}
	return nil
}

// answer is what was found: the value itself when the query can lead to one alone.
func (s *search) answer(single bool) queryAnswer {
	found := len(s.found) > 0
	if single {
		if !found {
			return queryAnswer{Value: json.RawMessage("null")}
		}
		return queryAnswer{Value: json.RawMessage(s.found[0].text), Found: true}
	}
	list := []byte{'['}
	for i, n := range s.found {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, n.text...)
	}
	return queryAnswer{Value: append(list, ']'), Found: found}
}
