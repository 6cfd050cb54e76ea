package modeltest_test

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/model/modeltest"
)

// TestCommand runs testdata/*.txtar. The command ask asks the model of the script's environment.
func TestCommand(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"model": func(ts *testscript.TestScript, neg bool, args []string) { modeltest.Command(ts, neg, args) },
			"ask": func(ts *testscript.TestScript, neg bool, args []string) {
				spec, err := model.FromEnv(ts.Getenv)
				ts.Check(err)
				m, err := model.Open(spec, model.Options{Getenv: ts.Getenv})
				ts.Check(err)
				reply, err := m.Chat(t.Context(), model.Request{Messages: []model.Message{model.Ask(strings.Join(args, " "))}})
				switch {
				case err == nil != !neg:
					ts.Fatalf("reply %+v, error %v", reply, err)
				case err != nil:
					reply.Text = err.Error()
				}
				ts.Check(os.WriteFile(ts.MkAbs("reply"), []byte(reply.Text+"\n"), 0o600))
			},
		},
	})
}

func TestWhen(t *testing.T) {
	t.Parallel()
	server := modeltest.Start(
		modeltest.Step{When: "safety", Text: "safe"}, modeltest.Step{When: "correct", Text: "right"}, modeltest.Step{When: "safety", Text: "still safe"},
	)
	defer server.Close()
	m, err := model.Open(model.Spec{Provider: model.Anthropic, BaseURL: server.URL}, model.Options{Getenv: server.Getenv})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var got []string
	var group sync.WaitGroup
	for _, text := range []string{"correct?", "safety?", "safety?", "taste?"} {
		group.Go(func() {
			reply, err := m.Chat(t.Context(), model.Request{Messages: []model.Message{model.Ask(text)}})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				reply.Text = "none"
			}
			got = append(got, text+" "+reply.Text)
		})
	}
	group.Wait()
	slices.Sort(got)
	if diff := cmp.Diff([]string{"correct? right", "safety? safe", "safety? still safe", "taste? none"}, got); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
	if server.Left() != 0 || len(server.Seen()) != 4 {
		t.Errorf("%d steps left, %d requests", server.Left(), len(server.Seen()))
	}
}

// A model that has to repeat a word of its prompt can.
func TestEcho(t *testing.T) {
	t.Parallel()
	steps, err := modeltest.Parse([]byte(`[{"json": {"word": "$1", "n": 1}, "echo": "the word is (\\w+)"}]`))
	if err != nil {
		t.Fatal(err)
	}
	server := modeltest.Start(append(steps, modeltest.Step{Text: "[$1]", Echo: "the word is (\\w+)"})...)
	defer server.Close()
	m, err := model.Open(model.Spec{Provider: model.Anthropic, BaseURL: server.URL}, model.Options{Getenv: server.Getenv})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{"now\nthe word is plum", `{"word": "plum", "n": 1}`}, {"none", "[]"}} {
		reply, err := m.Chat(t.Context(), model.Request{Messages: []model.Message{model.Ask(c[0])}})
		if err != nil || reply.Text != c[1] {
			t.Errorf("%q: %q, %v", c[0], reply.Text, err)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	got, err := modeltest.Parse([]byte(`["a", {"json": {"b": 1}, "when": "c"}, {"calls": [{"name": "f", "arguments": {"x": 1}}, {"name": "g", "arguments": "{"}]}, {"status": 429, "retryAfter": "1"}]`))
	want := []modeltest.Step{
		{Text: "a"},
		{JSON: []byte(`{"b": 1}`), When: "c"},
		{Calls: []modeltest.Call{{Name: "f", Arguments: `{"x": 1}`}, {Name: "g", Arguments: "{"}}},
		{Status: 429, RetryAfter: "1"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	for _, bad := range []string{``, `{}`, `[7]`, `[{"stauts": 429}]`, `[{"echo": "("}]`} {
		if _, err := modeltest.Parse([]byte(bad)); err == nil {
			t.Errorf("%s is taken for steps", bad)
		}
	}
}
