package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestReadFrame(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{ // "" is sound
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`:                                             "",
		`{"jsonrpc":"2.0","id":"a","method":"ping","params":{"a":[1,{"b":null}],"c":{}}}`:      "",
		`{"jsonrpc":"2.0","method":"notifications/x"}`:                                         "",
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                                                 "",
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"key":"key","list":["key","key"]}}`: "",
		`{"jsonrpc":"2.0","id":1,"method":"ping","extra":true}`:                                "",
		``:       "one JSON object",
		`"text"`: "one JSON object",
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`:                              "batches",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\xffng\"}":                  "UTF-8",
		`{"jsonrpc":"2.0","id":1,"method":"ping"}{}`:                              "not JSON",
		`{"jsonrpc":"2.0","id":1,"method":"ping"`:                                 "not JSON",
		`{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}`:                      "given twice",
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":{"y":1,"\u0079":2}}}`: "given twice",
		`{"jsonrpc":"2.0","id":1,"Method":"a"}`:                                   "spelled",
		`{"jsonrpc":"2.0","id":1,"method":"a","PARAMS":{}}`:                       "spelled",
		`{"jsonrpc":"1.0","id":1,"method":"a"}`:                                   "jsonrpc",
		`{"id":1,"method":"a"}`:                                                   "jsonrpc",
		`{"jsonrpc":"2.0","id":{"a":1},"method":"a"}`:                             "an id is",
		`{"jsonrpc":"2.0","id":null,"method":"a"}`:                                "an id is",
		`{"jsonrpc":"2.0","id":1.5,"method":"a"}`:                                 "an id is",
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"a"}`:                    "an id is",
		`{"jsonrpc":"2.0","id":"` + strings.Repeat("i", 300) + `","method":"a"}`:  "an id is",
		`{"jsonrpc":"2.0"}`:                                                       "a method",
		`{"jsonrpc":"2.0","id":7}`:                                                "a method",
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`:               "",
		`{"jsonrpc":"2.0","id":1,"error":7}`:                                      "an error is",
		`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":"x"}}`:               "an error is",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`: "",
		`{"jsonrpc":"2.0","id":1,"method":"initialize"}`:                                                                   "protocolVersion",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`:                                                       "protocolVersion",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5}}`:                                    "protocolVersion",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1","capabilities":7}}`:                 "capabilities",
		`{"jsonrpc":"2.0","id":1,"method":7}`:                                                                              "a method",
		`{"jsonrpc":"2.0","id":1,"method":""}`:                                                                             "a method",
		`{"jsonrpc":"2.0","id":1,"method":"a\u0000b"}`:                                                                     "a method",
		`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("m", 200) + `"}`:                                             "a method",
		`{"jsonrpc":"2.0","id":1,"method":"a","params":[1]}`:                                                               "params is",
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{"n":1e400}}`:                                                       "number",
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{"n":` + strings.Repeat("1", 70) + `}}`:                             "number",
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{"n":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}}`: "deeper",
	} {
		_, wrong := readFrame([]byte(text))
		switch {
		case wrong == nil && want != "":
			t.Errorf("%.80s is taken; want %s", text, want)
		case wrong != nil && (want == "" || !strings.Contains(wrong.message, want)):
			t.Errorf("%.80s: %s; want %s", text, wrong, want)
		case wrong != nil && !json.Valid(wrong.answer(nil)):
			t.Errorf("%.80s: the answer is no JSON: %s", text, wrong.answer(nil))
		}
	}
}

// What is refused is told of with the id of the call, wherever that stands.
func TestIDsOfWhatIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{ // "" is none
		`{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"arguments":{"tool":"x","tool":"y"}}}`:             `13`,
		`{"method":"tools/call","params":{"id":1,"a":[{"id":2}],"s":"}\"],{\\","s":1},"jsonrpc":"2.0","id":"a}\"b"}`: `"a}\"b"`,
		"\t{ \"id\" : 1 , \"Method\" : 1 } ":                                             `1`,
		`{"\u0069d":1,"METHOD":"ping"}`:                                                  `1`,
		`{"jsonrpc":"2.0","id":1,"method":"a","params":` + strings.Repeat("[", 300):      `1`,
		`{"jsonrpc":"2.0","id":1,"method":"a","params":` + strings.Repeat(`{"id":`, 300): `1`,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\xffng\"}":                         `1`,
		`{"jsonrpc":"2.0","id":1,"method":"a","result":{},"result":1}`:                   `1`,
		`{"jsonrpc":"2.0","id":12`:                                                       ``, // and on
		`{"id":1,"id":1,"method":"a"}`:                                                   ``,
		`{"id":1,"method":"a"}{"id":2,"method":"a"}`:                                     ``,
		`[{"id":1,"method":"a","method":"b"}]`:                                           ``,
		`{"id":1.5,"method":"a","method":"b"}`:                                           ``,
		`{"id":1 2,"method":"a"}`:                                                        ``,
		`{"id":[1],"method":"a","method":"b"}`:                                           ``,
		`{"id":"a"b","method":"a"}`:                                                      ``,
		"{\"id\":\"\xff\",\"method\":\"a\"}":                                             ``,
		"{\"id\":\"\n\",\"method\":\"a\"}":                                               ``,
		`{"id":"` + strings.Repeat("i", 300) + `","method":"a"}`:                         ``,
		`}{"id":1,"method":"a"}`:                                                         ``,
		``:                                                                               ``,
	} {
		if f, wrong := readFrame([]byte(text)); wrong == nil || string(f.id) != want {
			t.Errorf("%.80s: %s, %v; want %s", text, f.id, wrong, want)
		}
	}
}

// An answer that is refused has no id of a call, but that of what it was to answer.
func TestAnswersThatAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{ // "" is none
		`{"jsonrpc":"2.0","id":1,"result":{},"result":1}`: `1`,
		`{"jsonrpc":"2.0","id":1,"error":{},"error":1}`:   `1`,
		`{"jsonrpc":"2.0","id":1,"error":7}`:              `1`,
		`{"jsonrpc":"1.0","result":{},"id":"a"}`:          `"a"`,
		`{"jsonrpc":"2.0","id":1,"result":{"action":`:     `1`,
		`{"jsonrpc":"2.0","id":1.5,"result":{}}`:          ``,
		`{"jsonrpc":"2.0","result":{}}`:                   ``,
		`{"jsonrpc":"2.0","id":1}`:                        ``,
	} {
		f, wrong := readFrame([]byte(text))
		if wrong == nil || string(f.asked) != want || f.asked != nil && f.id != nil {
			t.Errorf("%s: %s, %s, %v; want %s", text, f.asked, f.id, wrong, want)
		}
	}
}

// FuzzID looks for ids in parts: where a message ends within the text is all the same, and what is sound has the id that it has.
func FuzzID(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":"a","method":"b","params":{"id":[1]}}`), 7)
	f.Add([]byte(`{"id":1,"method":"a","METHOD":"\u0061\""}`), 1)
	f.Add([]byte(`{"id":12`), 30)
	f.Add([]byte(`}]{[":,\`), 2)
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		id := glimpse(text).id
		if sound, wrong := readFrame(text); wrong == nil && sound.isCall() && string(id) != string(sound.id) {
			t.Errorf("%q has the id %s and %s", text, id, sound.id)
		}
		if id != nil && (!validID(id) || !json.Valid(invalid("x").answer(id)) || !utf8.Valid(id)) {
			t.Errorf("%q has the id %q", text, id)
		}
		cut = max(0, min(cut, len(text)))
		var g glance
		g.over(text[:cut])
		g.over(text[cut:])
		if string(g.frame().id) != string(id) || len(g.part) > maxID+3 {
			t.Errorf("%q in two parts has the id %q, not %q", text, g.frame().id, id)
		}
	})
}

func TestReadLine(t *testing.T) {
	t.Parallel()
	most := strings.Repeat("x", maxLine)
	in := bufio.NewReaderSize(strings.NewReader("one\n"+most+"\n"+most+"\r\nthree"), 4096)
	for _, want := range []int{4, maxLine + 1, maxLine + 2, 5} {
		if line, err := readLine(in); len(line) != want || errors.Is(err, errLine) {
			t.Errorf("a line of %d bytes, want %d: %v", len(line), want, err)
		}
	}
	for _, more := range []string{"x\n", "\r\r\n", most} {
		if line, err := readLine(bufio.NewReader(strings.NewReader(most + more))); !errors.Is(err, errLine) || len(line) > maxLine+4096 {
			t.Errorf("%d bytes, %v", len(line), err)
		}
	}
}

// deaf takes nothing of what is written to it, until it ends.
type deaf struct{ ends chan struct{} }

func (d deaf) Write([]byte) (int, error) { <-d.ends; return 0, io.ErrClosedPipe }

// A client that ends its input, and takes nothing of a refusal, is given up.
func TestARefusalThatNobodyTakes(t *testing.T) {
	t.Parallel()
	out := deaf{make(chan struct{})}
	defer close(out.ends)
	l := &lines{in: strings.NewReader("no JSON"), out: out, linger: time.Millisecond, ended: func() {}}
	c, err := l.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan error, 1)
	go func() { _, err := c.Read(context.Background()); read <- err }() // nothing but the end of the input ends it
	select {
	case err := <-read:
		if err == nil {
			t.Error("there is a message")
		}
	case <-time.After(30 * time.Second):
		t.Error("it is waited for")
	}
}

func TestBucket(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	b := newBucket(func() time.Time { return now }, 2, 3)
	count := func() (n int) {
		for b.take() {
			n++
		}
		return n
	}
	if n := count(); n != 3 {
		t.Errorf("%d at once", n)
	}
	now = now.Add(time.Second)
	if n := count(); n != 2 {
		t.Errorf("%d after a second", n)
	}
	now = now.Add(-time.Hour)
	if n := count(); n != 0 {
		t.Errorf("%d when the clock goes back", n)
	}
}

// FuzzReadFrame holds the reader against the library that reads after it: what is sound is read there, with the same method.
func FuzzReadFrame(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_tool","arguments":{"tool":"x","input":{}}}}`, `[{}]`, `{"jsonrpc":"2.0","id":"a","result":1}`,
		`{"a":{"a":[1,2,{"b":"c"}]},"A":1}`, `{"jsonrpc":"2.0","method":"x","Method":"y"}`, "{\"\xff\":1}", `{"id":1e400}`, `{"jsonrpc":"2.0","id":-0,"method":"a"}`, `{"jsonrpc":"2.0","id":"\ud800","method":"a"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\u0061"}}`, `{"\u006dethod":"a","method":"b"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, wrong := readFrame(text)
		if wrong != nil {
			if !json.Valid(wrong.answer(got.id)) {
				t.Errorf("the answer is no JSON: %s", wrong.answer(got.id))
			}
			return
		}
		if got.isCall() && idKey(got.id) == "" {
			t.Errorf("the id %s has no key", got.id)
		}
		_ = got.cancels()
		var plain map[string]any
		if err := json.Unmarshal(text, &plain); err != nil {
			t.Fatalf("%q is no object: %v", text, err)
		}
		if method, _ := plain["method"].(string); method != got.method {
			t.Errorf("the method of %q is %q and %q", text, method, got.method)
		}
	})
}

// FuzzArguments calls every tool of the face with anything: it is taken or refused with a reason.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{"tool":"a","input":{}}`, `{"query":"x","limit":3}`, `{"tool":"emergent:1","to":"agent"}`, `{"after":1e3,"newest":true}`, `[]`, `{"tool":"x","input":"{}"}`, `{"a":{"a":{}}}`} {
		f.Add([]byte(seed))
	}
	tools := metaTools()
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, m := range tools {
			args, err := m.check(text)
			if err != nil {
				if !json.Valid([]byte(failureText(err))) {
					t.Errorf("%s: the error is no JSON", m.name)
				}
				continue
			}
			if m.name == "call_tool" {
				which, input, err := (&call{tool: m, args: args}).readCall()
				if err == nil && (which == "" || !json.Valid(input)) {
					t.Errorf("%q reads as a call of %q with %q", text, which, input)
				}
			}
		}
	})
}

func failureText(err error) string {
	text, _ := json.Marshal(failure(err).Content[0])
	return string(text)
}
