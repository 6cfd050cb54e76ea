package web_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// A corpus is a file of testdata: function bodies, run inside the engine behind the prelude, and what each must return
// (undefined counts as null) or the name of what it must throw. Most answers were checked against Node; a note says
// what the standards have where Node differs.
type corpus struct {
	Prelude string `json:"prelude"`
	Cases   []struct {
		Code   string          `json:"code"`
		Want   json.RawMessage `json:"want"`
		Throws string          `json:"throws"`
		Note   string          `json:"note"`
	} `json:"cases"`
}

type answer struct {
	Want   any    `json:"want"`
	Throws string `json:"throws"`
}

func TestCorpora(t *testing.T) {
	engine := newEngine(t)
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no corpora: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			c := readCorpus(t, path)
			var got []answer
			if err := json.Unmarshal(run(t, engine, c.program()).Output, &got); err != nil {
				t.Fatal(err)
			}
			for i, test := range c.Cases {
				want := answer{Throws: test.Throws}
				if test.Throws == "" {
					if err := json.Unmarshal(test.Want, &want.Want); err != nil {
						t.Fatalf("%s: %v", test.Code, err)
					}
				}
				if diff := cmp.Diff(want, got[i]); diff != "" {
					t.Errorf("%s\n-want +got:\n%s%s", test.Code, diff, test.Note)
				}
			}
		})
	}
}

// program returns a tool that runs every case and returns the answers.
func (c corpus) program() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nconst cases = [\n", c.Prelude)
	for _, test := range c.Cases {
		fmt.Fprintf(&b, "async () => { %s },\n", test.Code)
	}
	b.WriteString(`];
async function execute() {
  const answers = [];
  for (const one of cases) {
    try {
      answers.push({ want: JSON.parse(JSON.stringify((await one()) ?? null)), throws: '' });
    } catch (e) {
      answers.push({ want: null, throws: e.name });
    }
  }
  return answers;
}`)
	return b.String()
}

func readCorpus(t *testing.T, path string) corpus {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var c corpus
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func newEngine(t testing.TB) *wasmjs.Engine {
	t.Helper()
	engine, err := wasmjs.New(t.Context(), wasmjs.Options{CacheDir: filepath.Join(os.TempDir(), "toolsmith-web-test")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return engine
}

func run(t *testing.T, engine *wasmjs.Engine, code string) *wasmjs.Result {
	t.Helper()
	limits := tool.Limits{SourceBytes: tool.MaxLimits.SourceBytes, LogBytes: tool.MaxLimits.LogBytes}
	program, err := engine.Load(t.Context(), wasmjs.Source{Code: code}, limits)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	result, err := program.Call(t.Context(), []byte(`{}`), wasmjs.CallOptions{Limits: limits})
	if err != nil {
		t.Fatalf("call: %v\n%s", err, tool.AsError(err).Stack)
	}
	return result
}

func TestThrowingListenersAreReported(t *testing.T) {
	result := run(t, newEngine(t), `function execute() {
  const target = new EventTarget(), seen = [];
  target.addEventListener('x', () => { throw new TypeError('from a listener'); });
  target.addEventListener('x', () => seen.push('second'));
  seen.push(target.dispatchEvent(new Event('x')));
  return seen;
}`)
	if got, want := string(result.Output), `["second",true]`; got != want {
		t.Errorf("output %s, want %s", got, want)
	}
	if len(result.Unhandled) != 1 || !strings.Contains(result.Unhandled[0], "from a listener") {
		t.Errorf("unhandled %q, want the listener's error", result.Unhandled)
	}
}

func TestPendingTimeoutSignalDelaysNothing(t *testing.T) {
	result := run(t, newEngine(t), `function execute() { return AbortSignal.timeout(60_000).aborted }`)
	if got := string(result.Output); got != "false" || result.Stats.Wall.Seconds() > 1 {
		t.Errorf("%s after %v, want false at once", got, result.Stats.Wall)
	}
}
