package toolsmith_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "example.com/toolsmith"

// A room is a folder with one job; the packages below it belong to it. Arrows run one way, from the last room to the
// first: docs/adr/0001-rooms-and-arrows.md.
type room struct {
	path string   // below the module; "." is the root package alone
	may  []string // the other rooms it may import
	why  string   // why no more than these
}

// rooms holds those that stand and those that are planned; a package outside of all of them fails the test.
var rooms = []room{
	{"assets", nil, "bytes and their licences, nothing else"},
	{"runtime/tool", nil, "every room speaks these nouns: what they import, everybody imports"},
	{"runtime/decimal", nil, "a number is what it is: schemas, pipelines and tests of tools compare it the same way"},
	{"runtime/match", []string{"runtime/decimal"}, "whether two values are the same is a question about their texts alone"},
	{"runtime/search", []string{"runtime/tool"}, "what a query finds and what is alike are questions about words and code: who may see what is asked elsewhere"},
	{"runtime/wire", []string{"runtime/tool"}, "bounded reading comes before everything that has an opinion on what was read"},
	{"wasmjs", []string{"runtime/tool", "assets"}, "the engine moves bytes and knows no policy"},
	{"runtime/model", []string{"runtime/tool"}, "a chat model is asked, it asks nobody"},
	{"runtime/schema", []string{"runtime/tool", "runtime/wire", "runtime/decimal"}, "a schema is judged by its text alone"},
	{"runtime/compose", []string{"runtime/tool", "runtime/decimal"}, "a pipeline is checked and run by whoever hands it the tools: it knows none"},
	{"runtime/source", []string{"runtime/tool", "wasmjs"}, "the gate reads source and asks the engine for syntax and TypeScript, no more"},
	{"runtime/cases", []string{"runtime/tool", "runtime/match", "wasmjs"}, "a case says what is right; how it is run is handed in"},
	{
		"runtime",
		[]string{
			"runtime/tool", "runtime/wire", "runtime/decimal", "runtime/schema", "runtime/compose", "runtime/source", "runtime/model", "runtime/search",
			"wasmjs",
		},
		"the orchestrator knows neither verdicts nor records, so that judge, tiers and runtime can be replaced one by one",
	},
	{"judge", []string{"runtime/tool", "runtime/wire", "runtime/model"}, "a verdict comes from facts and a model, never from running the tool or reading the shelf"},
	{"tiers", []string{"runtime/tool", "runtime/wire"}, "records outlive engines and models"},
	{
		"forge",
		[]string{"runtime/tool", "runtime/wire", "runtime/match", "runtime/decimal", "runtime/schema", "runtime/compose", "runtime/source", "runtime/search"},
		"forge names the sandbox, the judge and the shelf as interfaces and is handed them",
	},
	{
		"selfimprove",
		[]string{"runtime/tool", "runtime/wire", "runtime/schema", "runtime/compose", "runtime/model", "runtime"},
		"self-improvement reaches the world through runtime.Call only",
	},
	{"hierarchy", []string{"runtime/tool", "runtime/wire", "runtime/model", "judge"}, "specialists reach the world through the tools they are given"},
	{
		".",
		[]string{
			"runtime/tool", "runtime/wire", "runtime/decimal", "runtime/schema", "runtime/compose", "runtime/source", "runtime/model", "runtime/search",
			"runtime", "wasmjs", "assets", "judge", "tiers", "forge", "selfimprove", "hierarchy",
		},
		"the public door wires the rooms; the faces stand outside of it",
	},
	{"cmd", []string{"*"}, "the faces may import anything"},
	{"examples", []string{"*"}, "an example shows what an embedder writes"},
}

// A library is what a room takes from outside of the module.
type library struct {
	path  string
	rooms []string // those that may import it
	why   string   // why no others
}

// libraries holds every one that code outside of tests may import.
var libraries = []library{
	{"github.com/tetratelabs/wazero", []string{"wasmjs", "cmd"}, "only the engine runs WebAssembly"},
	{"github.com/dgraph-io/badger", []string{"tiers", "cmd"}, "only tiers knows the store, so that another can stand behind the same interface"},
	{"github.com/google/uuid", []string{"tiers", "cmd"}, "ids are made where records are"},
	{"github.com/santhosh-tekuri/jsonschema", []string{"runtime/schema", "cmd"}, "only schema knows a library's idea of a schema"},
	{"github.com/sashabaranov/go-openai", []string{"runtime/model", "cmd"}, "only runtime/model speaks to providers"},
	{"github.com/tdewolff/parse", []string{"runtime/source", "cmd"}, "only the gate reads syntax trees"},
	{"github.com/modelcontextprotocol/go-sdk", []string{"cmd"}, "protocols are spoken by the faces"},
	{"github.com/danielgtaylor/huma", []string{"cmd"}, "protocols are spoken by the faces"},
	{"github.com/hashicorp/go-hclog", []string{"cmd"}, "rooms return errors and tell observers; what is logged is up to the faces"},
	{"github.com/prometheus/client_golang", []string{"cmd"}, "rooms tell observers; what is counted is up to the faces"},
	{"go.opentelemetry.io", []string{"cmd"}, "rooms tell observers; what is counted and traced is up to the faces"},
	{"github.com/spf13/cobra", []string{"cmd"}, "flags belong to the faces; rooms take values"},
	{"github.com/spf13/pflag", []string{"cmd"}, "flags belong to the faces; rooms take values"},
	{"go.yaml.in/yaml/v4", []string{"runtime/wire", "cmd"}, "all YAML is read within the bounds of wire"},
	{"golang.org/x/net", []string{"runtime", "cmd"}, "only policies compare host names"},
	{"golang.org/x/sys", []string{"wasmjs", "tiers", "cmd"}, "the engine asks the system for memory, tiers who is at the other end of a socket"},
}

// A wall stands between two packages however long the way from one to the other.
type wall struct{ from, to, why string }

var walls = []wall{
	{"cmd/host", "testing", "what ships carries no test code"},
	{"tiers", "github.com/tetratelabs/wazero", "records outlive engines"},
	{"judge", "github.com/tetratelabs/wazero", "the judge reads, it does not run"},
	{"judge", "github.com/dgraph-io/badger", "the judge keeps no state"},
	{"forge", "github.com/dgraph-io/badger", "forge sees a shelf, not a store"},
	{"runtime", "github.com/dgraph-io/badger", "a call must not depend on where tools are kept"},
}

func TestArrows(t *testing.T) {
	t.Parallel()
	for _, text := range violations(loadGraph(t)) {
		t.Error(text)
	}
}

func TestArrowsFindWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		graph graph
		want  string // within the only violation; "" means none
	}{
		"allowed":           {graph{module + "/runtime/source": {module + "/wasmjs/meter", "strings"}, module + "/wasmjs/meter": nil}, ""},
		"own subpackage":    {graph{module + "/wasmjs": {module + "/wasmjs/meter"}, module + "/wasmjs/meter": nil}, ""},
		"room below a room": {graph{module + "/runtime": {module + "/runtime/hostapi"}, module + "/runtime/hostapi": {module + "/runtime/tool"}}, ""},
		"store in tiers":    {graph{module + "/tiers": {"github.com/dgraph-io/badger/v4"}}, ""},
		"store elsewhere":   {graph{module + "/hierarchy": {"github.com/dgraph-io/badger/v4"}}, "only tiers knows the store"},
		"upwards":           {graph{module + "/runtime/tool": {module + "/wasmjs"}}, "every room speaks these nouns"},
		"sideways":          {graph{module + "/judge": {module + "/tiers"}}, "a verdict comes from facts"},
		"no such room":      {graph{module + "/helpers": nil}, "lies in no room"},
		"unknown library":   {graph{module + "/forge": {"github.com/left/pad"}}, "is in no list"},
		"wall, far away":    {graph{module + "/cmd/host": {"a"}, "a": {"b"}, "b": {"testing"}}, "cmd/host -> a -> b -> testing"},
	} {
		got := violations(c.graph)
		if (c.want == "" && len(got) != 0) || (c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want))) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// graph maps each package to what it imports directly, tests apart.
type graph map[string][]string

// loadGraph asks the go command for the packages of this module and all they depend on.
func loadGraph(t *testing.T) graph {
	t.Helper()
	noteInputs(t)
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	g := graph{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return g
		} else if err != nil {
			t.Fatal(err)
		}
		g[p.ImportPath] = p.Imports
	}
}

// noteInputs lists every folder of the module, so that `go test` runs again when a file changes instead of answering
// from its cache: it does not see what the go command reads.
func noteInputs(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// violations returns one line for each import that breaks the tables above, sorted.
func violations(g graph) []string {
	var found []string
	for from, imports := range g {
		if !below(from, module) {
			continue
		}
		here, ok := roomOf(from)
		if !ok {
			found = append(found, from+" lies in no room: a new one needs a decision record and a line in arrows_test.go")
			continue
		}
		for _, to := range imports {
			if reason := forbidden(here, to); reason != "" {
				found = append(found, fmt.Sprintf("%s imports %s: %s", from, to, reason))
			}
		}
		for _, w := range walls {
			if !below(from, module+"/"+w.from) {
				continue
			}
			if way := g.way(from, w.to); way != nil {
				found = append(found, fmt.Sprintf("%s: %s", strings.Join(way, " -> "), w.why))
			}
		}
	}
	slices.Sort(found)
	return found
}

// forbidden says why room r may not import the package; "" when it may.
func forbidden(r room, path string) string {
	switch {
	case below(path, module):
		there, ok := roomOf(path)
		if ok && there.path != r.path && !slices.Contains(r.may, there.path) && !slices.Contains(r.may, "*") {
			return r.why
		}
		return "" // a package in no room is reported once, as such
	case !strings.Contains(strings.Split(path, "/")[0], "."):
		return "" // the standard library
	}
	for _, l := range libraries {
		if below(path, l.path) {
			if slices.Contains(l.rooms, r.path) {
				return ""
			}
			return l.why
		}
	}
	return "this library is in no list: add it to arrows_test.go and to the README with its reason"
}

// roomOf returns the innermost room that a package of this module lies in.
func roomOf(path string) (room, bool) {
	var best room
	for _, r := range rooms {
		if r.path == "." {
			if path == module {
				return r, true
			}
		} else if below(path, module+"/"+r.path) && len(r.path) > len(best.path) {
			best = r
		}
	}
	return best, best.path != ""
}

// way returns the shortest chain of imports from a package to another or one below it, nil when there is none.
func (g graph) way(from, to string) []string {
	seen := map[string]bool{from: true}
	for queue := [][]string{{from}}; len(queue) > 0; queue = queue[1:] {
		chain := queue[0]
		last := chain[len(chain)-1]
		if below(last, to) {
			return chain
		}
		for _, next := range g[last] {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, append(slices.Clone(chain), next))
			}
		}
	}
	return nil
}

// below reports whether path is root or lies below it.
func below(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}
