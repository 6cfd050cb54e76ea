package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/builtin"
	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/tool"
)

const shop = `{
	"store": {"book": [{"title": "A", "price": 8.950}, {"title": "B", "price": 12345678901234567890, "isbn": "0-5"}, {"title": "C"}], "bicycle": {"price": 1e2}},
	"first name": "x", "a'b\"c": [], "é": {"$": null}, "n": [0, 1, 2, 3, 4, 5]
}`

func TestJSONQuery(t *testing.T) {
	t.Parallel()
	const none, empty = `{"value": null, "found": false}`, `{"value": [], "found": false}`
	found := func(value string) string { return `{"value": ` + value + `, "found": true}` }
	for query, output := range map[string]string{
		`$`:                               found(shop),
		`$.store.book[1].price`:           found(`12345678901234567890`),
		`$.store.book[0].price`:           found(`8.950`),
		`$["store"]['book'][-1]["title"]`: found(`"C"`),
		`$ ["store"] .book [ 0 ] .title`:  found(`"A"`),
		`$.store.book[3]`:                 none,
		`$.store.book[-4]`:                none,
		`$.store.book.title`:              none,
		`$.n["0"]`:                        none,
		`$.store[0]`:                      none,
		`$.store.book[0].title.length`:    none,
		`$.é["$"]`:                        found(`null`),
		`$['first name']`:                 found(`"x"`),
		`$['a\'b"c']`:                     found(`[]`),
		`$["a'b\"c"]`:                     found(`[]`),
		`$["a'b\"c"][*]`:                  empty,
		`$["\u00e9"].$x`:                  "",
		`$.store.book[*].title`:           found(`["A", "B", "C"]`),
		`$.store.book[*].isbn`:            found(`["0-5"]`),
		`$.store.*.price`:                 found(`[1e2]`),
		`$..price`:                        found(`[8.950, 12345678901234567890, 1e2]`),
		`$..book[0, -1].title`:            found(`["A", "C"]`),
		`$..[0].title`:                    found(`["A"]`),
		`$.store.bicycle.*`:               found(`[1e2]`),
		`$.store.bicycle..*`:              found(`[1e2]`),
		`$.store.book[0]['price', "title", 'none']`: found(`[8.950, "A"]`),
		`$.n[1:3]`:                  found(`[1, 2]`),
		`$.n[:2]`:                   found(`[0, 1]`),
		`$.n[-2:]`:                  found(`[4, 5]`),
		`$.n[::2]`:                  found(`[0, 2, 4]`),
		`$.n[::-2]`:                 found(`[5, 3, 1]`),
		`$.n[3:0:-1]`:               found(`[3, 2, 1]`),
		`$.n[ 1 : 2 : 1 ]`:          found(`[1]`),
		`$.n[-99:99]`:               found(`[0, 1, 2, 3, 4, 5]`),
		`$.n[99:-99:-1]`:            found(`[5, 4, 3, 2, 1, 0]`),
		`$.n[::0]`:                  empty,
		`$.n[5:1]`:                  empty,
		`$.n[999999999::999999999]`: empty,
		`$.store[1:2]`:              empty,
		`$.n[0,0,1:2]`:              found(`[0, 0, 1]`),
		`$..nothing`:                empty,
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			got, e := call(t, builtin.JSONQuery(), nil, `{"data": `+shop+`, "query": `+encode(t, query)+`}`)
			if output == "" {
				row{code: tool.InvalidInput, message: "at character 13", path: "/query"}.check(t, got, e)
				return
			}
			row{output: output}.check(t, got, e)
		})
	}
}

// The order of members is that of the data, and no digit or escape changes.
func TestJSONQueryKeepsTheText(t *testing.T) {
	t.Parallel()
	got, e := call(t, builtin.JSONQuery(), nil, `{"data": {"z": {"b": 1.0, "a": -0, "\u0061b": "\u003c\ud83d\ude00"}}, "query": "$.z"}`)
	if want := `{"value":{"b":1.0,"a":-0,"\u0061b":"\u003c\ud83d\ude00"},"found":true}`; e != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, e, want)
	}
	got, e = call(t, builtin.JSONQuery(), nil, `{"data": {"z": 1, "y": [2], "x": 3, "\u0061": 4}, "query": "$..*"}`)
	if want := `{"value":[1,[2],3,4,2],"found":true}`; e != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, e, want)
	}
}

func TestJSONQueryMistakes(t *testing.T) {
	t.Parallel()
	for query, c := range map[string]row{
		`store`:             {message: "begins with $, which is the whole of data, at character 1 ", hint: "$.name"},
		`$store`:            {message: "at character 2 ", hint: "brackets"},
		`$.`:                {message: "a name or * is missing, at character 3 "},
		`$.0`:               {message: "a name or * is missing", hint: "[0]"},
		`$.a-b`:             {message: "at character 4 ", hint: `["first name"]`},
		`$...a`:             {message: "at character 4 "},
		`$.é[`:              {message: "at character 5 ", hint: "[0]"},
		`$[]`:               {message: "missing", hint: "[*]"},
		`$[a]`:              {message: "missing", hint: `["name"]`},
		`$[?(@.price < 9)]`: {message: "filters are not part", hint: "[*]"},
		`$[01]`:             {message: "not a position"},
		`$[-0]`:             {message: "not a position"},
		`$[-]`:              {message: "not a position"},
		`$[9999999999]`:     {message: "not a position"},
		`$[0`:               {message: "a ] or a comma"},
		`$[0,]`:             {message: "missing"},
		`$[1:2:3:4]`:        {message: "a ] or a comma"},
		`$["a]`:             {message: "does not end", hint: "JSON"},
		`$["a\x"]`:          {message: "does not end, or has an escape"},
		`$["a\`:             {message: "does not end"},
		`$['a`:              {message: "does not end"},
		`$.a `:              {output: `{"value": null, "found": false}`},
	} {
		got, e := call(t, builtin.JSONQuery(), nil, `{"data": {}, "query": `+encode(t, query)+`}`)
		if c.output == "" {
			c.code, c.path = tool.InvalidInput, "/query"
		}
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			c.check(t, got, e)
		})
	}
}

func TestJSONQueryLimits(t *testing.T) {
	t.Parallel()
	nested := strings.Repeat(`[`, 900) + strings.Repeat(`]`, 900)
	text := strings.Repeat("a", 5000)
	for name, c := range map[string]struct {
		data, query string
		row
	}{
		"steps":             {"[" + strings.Repeat("[1,2,3,4,5,6,7,8,9],", 300) + "1]", "$" + strings.Repeat("..*", 1) + "[" + strings.TrimSuffix(strings.Repeat("0,", 900), ",") + "]" + "[" + strings.TrimSuffix(strings.Repeat("0,", 50), ",") + "]", row{code: tool.Limit, message: "steps", path: "/query"}},
		"all below":         {nested, "$" + strings.Repeat("..*", 4) + ".a", row{code: tool.Limit, message: "steps", path: "/query"}},
		"results":           {"[" + strings.Repeat("1,", 10_000) + "1]", "$[*]", row{code: tool.Limit, message: "10000 values", hint: "slice", path: "/query"}},
		"size":              {"[" + strings.Repeat(`"`+text+`",`, 10) + "1]", "$[" + strings.TrimSuffix(strings.Repeat("*,", 100), ",") + "]", row{code: tool.OutputTooLarge, message: "4194304 bytes", hint: "slice", path: "/query"}},
		"values":            {"[" + strings.Repeat("1,", 1<<20) + "1]", "$[0]", row{code: tool.Limit, message: "1048576 values", path: "/data"}},
		"deep":              {nested, "$" + strings.Repeat("[0]", 600), row{output: `{"found": true, "value": ` + nested[600:1200] + `}`}},
		"as many as can be": {"[" + strings.Repeat("1,", 9999) + "1]", "$[*]", row{output: `{"found": true, "value": [` + strings.Repeat("1,", 9999) + `1]}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, e := call(t, builtin.JSONQuery(), nil, `{"data": `+c.data+`, "query": `+encode(t, c.query)+`}`)
			c.check(t, got, e)
		})
	}
}

// What only a caller without the schema can send.
func TestJSONQueryWithoutASchema(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`[`, 2000) + strings.Repeat(`]`, 2000)
	for input, path := range map[string]string{
		`{"data": ` + deep + `, "query": "$"}`:                        "/data",
		`{"data": 1, "query": "$` + strings.Repeat(".a", 2000) + `"}`: "/query",
	} {
		_, err := builtin.JSONQuery().Run(t.Context(), &runtime.Invocation{Input: json.RawMessage(input)})
		if e := tool.AsError(err); e == nil || e.Code != tool.InvalidInput || e.Path != path || e.Hint == "" {
			t.Errorf("got %v", err)
		}
	}
}

// Work ends with the call.
func TestPureToolsEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	many := "[" + strings.Repeat("1,", 5000) + "1]"
	for i, input := range []string{`{"data": ` + many + `, "query": "$..*.a"}`, `{"template": "{{#each a}}{{this}}{{/each}}", "values": {"a": ` + many + `}}`} {
		if _, e := callWith(ctx, t, pure()[i], hostapi.Options{}, nil, input); e == nil || e.Code != tool.Canceled {
			t.Errorf("got %v", e)
		}
	}
}

// FuzzJSONQuery: never a panic, and always soon an answer of bounded size or an error that says where.
func FuzzJSONQuery(f *testing.F) {
	for _, query := range []string{"$", "$.store.book[0]['a',\"b\"]", "$..*", "$..book[::-2].title", "$[1:2,*,'x\\'y']", "$[?@.a]", "$.n[-1:]", "$[999999999:-999999999:-999999999]", `$["\ud800"]`, "$..[*]..[*]..[*]"} {
		f.Add([]byte(shop), query)
	}
	f.Add([]byte(`[{"a": 1, "a": 2}, "\ud800", 1e999, []]`), "$..a")
	f.Fuzz(func(t *testing.T, data []byte, query string) {
		if !json.Valid(data) {
			data = []byte(encode(t, string(data)))
		}
		start := time.Now()
		output, err := builtin.JSONQuery().Run(t.Context(), &runtime.Invocation{Input: json.RawMessage(`{"data": ` + string(data) + `, "query": ` + encode(t, query) + `}`)})
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("it took %v", d)
		}
		var got struct {
			Value json.RawMessage
			Found bool
		}
		if err == nil && (json.Unmarshal(output, &got) != nil || len(output) > 5<<20) {
			t.Errorf("got %.200s", output)
		}
		if e, typed := errors.AsType[*tool.Error](err); err != nil && (!typed || e.Code == tool.Internal || e.Path == "" || e.Hint == "") {
			t.Errorf("got %v", err)
		}
	})
}
