package toolsmith_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"example.com/toolsmith"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// original refuses duplicates, as a host does unless it is told otherwise.
func original(o *toolsmith.Options) { o.Config.EmergentConfig.AllowDuplicates = false }

const addCode = `{"mode":"sandbox","code":%q,"allowlist":[]}`

func TestDuplicatesAreRefusedBeforeTheJudge(t *testing.T) {
	t.Parallel()
	renamed := fmt.Sprintf(addCode, "function run(args) { return { sum: args.a + args.b } } // adds")
	for name, c := range map[string]struct {
		change  func(*toolsmith.Options)
		members map[string]string
		repeats bool
	}{
		"the same under another name": {original, map[string]string{"name": `"plus"`, "description": `"Works out what two things come to."`}, true},
		"the same code in other words": {
			original, map[string]string{"name": `"plus"`, "description": `"Works out what two things come to."`, "implementation": renamed}, true,
		},
		"the same face": {
			original, map[string]string{
				"name": `"add_numbers_v2"`, "implementation": fmt.Sprintf(addCode, "function execute({ a, b }) { let sum = a; sum += b; return { sum } }"),
			}, true,
		},
		"the next version": {original, map[string]string{"implementation": renamed}, false},
		"something else": {original, map[string]string{
			"name": `"subtract_numbers"`, "description": `"Takes one number from another."`,
			"implementation": fmt.Sprintf(addCode, "function execute(input) { return { sum: input.a - input.b } }"),
			"testCases":      `[{"input":{"a":1,"b":2},"expectedOutput":{"sum":-1}},{"input":{"a":5,"b":5},"expectedOutput":{"sum":0}}]`,
		}, false},
		"only the same implementation counts": {
			func(o *toolsmith.Options) { original(o); o.Config.EmergentConfig.DuplicateThreshold = 1 },
			map[string]string{"name": `"plus"`, "implementation": renamed},
			false,
		},
		"duplicates are allowed": {nil, map[string]string{"name": `"plus"`}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			judge := watched(approveAll)
			w := open(t, "", judge, c.change)
			if _, err := w.Forge(t.Context(), ann, request(t, nil)); err != nil {
				t.Fatal(err)
			}
			result, err := w.Forge(t.Context(), ann, request(t, c.members))
			if !c.repeats {
				w.must(err)
				return
			}
			w.wants(name, err, tool.Collision, "repeats the tool add_numbers")
			if result.Stage != forge.StageDuplicate || judge.calls.Load() != 1 || !strings.Contains(result.Error.Hint, `use this instead: add_numbers, which says of itself "Adds two numbers."`) {
				t.Errorf("%s, %d calls, %+v", result.Stage, judge.calls.Load(), result.Error)
			}
			if last := w.audited(tool.ForgeRejected); len(last) != 1 || !strings.Contains(string(last[0].Data), `"stage":"duplicate"`) {
				t.Errorf("the audit log has %+v", last)
			}
			if got := w.ForgeStats(); got.Attempts != 2 || got.Approved != 1 || got.RejectionReasons[forge.Other] != 1 {
				t.Errorf("the statistics are %+v", got)
			}
		})
	}
}

// together is a judge that approves once so many requests have come to it.
func together(n int) model.Model {
	var all sync.WaitGroup
	all.Add(n)
	return judgetest.Func(func(ctx context.Context, p judgetest.Prompt) (model.Reply, error) {
		all.Done()
		all.Wait()
		return model.Reply{Text: judgetest.Approval(p.Canary)}, nil
	})
}

// Requests for the same that come at once are told apart when they are registered: in one host, and in two of one directory.
func TestDuplicatesAtOnce(t *testing.T) {
	t.Parallel()
	other := map[string]string{"name": `"minus"`, "description": `"Takes one number from another."`, "implementation": fmt.Sprintf(addCode, "function execute({ a, b }) { return { sum: -(-a - b) } }")}
	for name, c := range map[string]struct {
		second map[string]string
		change func(*toolsmith.Options)
		dir    string
		both   bool // are registered
	}{
		"the same request":            {nil, original, "", false},
		"the same request, two hosts": {nil, original, t.TempDir(), false},
		"under another name":          {map[string]string{"name": `"plus"`}, original, "", false},
		"under another, two hosts":    {map[string]string{"name": `"plus"`}, original, t.TempDir(), false},
		"something else":              {other, original, "", true},
		"duplicates are allowed":      {map[string]string{"name": `"plus"`}, nil, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			judge := together(2)
			w := open(t, c.dir, judge, c.change)
			hosts := []*world{w, w}
			if c.dir != "" {
				hosts[1] = open(t, c.dir, judge, c.change)
			}
			var results [2]*forge.Result
			var all sync.WaitGroup
			for i, members := range []map[string]string{nil, c.second} {
				asked := request(t, members)
				all.Go(func() { results[i], _ = hosts[i].Forge(context.Background(), ann, asked) })
			}
			all.Wait()
			made, refused := results[0], results[1]
			if !made.Success {
				made, refused = refused, made
			}
			if !made.Success || refused.Success != c.both {
				t.Fatalf("got %+v and %+v", made.Error, refused.Error)
			}
			if c.both {
				return
			}
			if refused.Stage != forge.StageDuplicate || refused.Error.Code != tool.Collision || !strings.Contains(refused.Error.Hint, "use this instead: "+made.Tool.Name) {
				t.Errorf("%s: %+v", refused.Stage, refused.Error)
			}
			if list, err := w.shelf().List(t.Context(), ann.Tenant, tiers.Filter{History: true}); err != nil || len(list) != 1 {
				t.Errorf("there are %d tools, %v", len(list), err)
			}
		})
	}
}

// What another persona has is not told, and does not stand in the way.
func TestDuplicatesOfOthersAreNotTold(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, original)
	bob := tool.Caller{Tenant: ann.Tenant, Persona: "bob", Session: "1"}
	for _, c := range []tool.Caller{ann, bob, session("2")} {
		_, err := w.Forge(t.Context(), c, request(t, map[string]string{"name": `"sum_of_` + c.Persona + c.Session + `"`}))
		w.must(err)
	}
}

// TestStatisticsSayWhatRequestsWereRefusedFor goes the whole way to each category that needs no judge's words.
func TestStatisticsSayWhatRequestsWereRefusedFor(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, original)
	for _, members := range []map[string]string{
		nil,
		{"testCases": `[]`}, // shape
		{"implementation": fmt.Sprintf(addCode, "const execute = (i) => const x = 1;")},                     // syntax
		{"implementation": fmt.Sprintf(addCode, "function execute(i) { return { sum: i.a + i.b, n: 1 } }")}, // extra field
		{"implementation": fmt.Sprintf(addCode, "function execute(i) { throw new Error('extra field') }")},  // other
	} {
		_, _ = w.Forge(t.Context(), ann, request(t, members))
	}
	got := w.ForgeStats()
	want := map[forge.Category]int{forge.ShapeCheck: 1, forge.SyntaxError: 1, forge.SchemaExtraField: 1, forge.Other: 1, forge.ParseError: 0, forge.JudgeCorrectness: 0}
	if fmt.Sprint(got.RejectionReasons) != fmt.Sprint(want) || got.Attempts != 5 || got.Approved != 1 || got.UniqueNames != 1 || got.UniqueTerminalRejections != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestSearchGoesThroughTheDoor(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, nil)
	_, err := w.Forge(t.Context(), ann, request(t, nil))
	w.must(err)
	for query, want := range map[string]string{"adding numbers": "add_numbers", "http": "http_request"} {
		hits, err := w.Search(t.Context(), ann, query, 3)
		if err != nil || len(hits) == 0 || hits[0].Name != want {
			t.Errorf("%s: %+v, %v", query, hits, err)
		}
	}
	if hits, err := w.Search(t.Context(), session("2"), "adding numbers", 3); err != nil || len(hits) > 0 && hits[0].Name == "add_numbers" {
		t.Errorf("another session: %+v, %v", hits, err)
	}
}

// operations are the tools that a simulated run asks for again and again: a name, what it says, and what it works out.
var operations = [][3]string{
	{"add_numbers", "Adds two numbers.", "input.a + input.b"},
	{"subtract_numbers", "Takes the second number from the first.", "input.a - input.b"},
	{"multiply_numbers", "Multiplies two numbers.", "input.a * input.b"},
	{"larger_number", "The larger one of two numbers.", "Math.max(input.a, input.b)"},
	{"smaller_number", "The smaller of both.", "Math.min(input.a, input.b)"},
	{"square_sum", "Squares both and adds the squares up.", "input.a * input.a + input.b * input.b"},
	{"mean_of_two", "What lies in the middle between them.", "(input.a + input.b) / 2"},
	{"gap", "How far apart they are.", "Math.abs(input.a - input.b)"},
}

// asked is a request for an operation as some agent words it: sometimes under another name, in other words or with other code.
func asked(t *testing.T, draw *rand.Rand, of [3]string) []byte {
	t.Helper()
	name, says, input := of[0], of[1], []string{"input", "args", "x"}[draw.IntN(3)]
	if draw.IntN(2) == 0 {
		name = []string{"my_" + name, name + "_v2", "tool_" + name, strings.ReplaceAll(name, "_", "-"), fmt.Sprintf("%s_%d", name, draw.IntN(50))}[draw.IntN(5)]
	}
	if draw.IntN(3) == 0 {
		says = "Helps with numbers: " + says
	}
	code := fmt.Sprintf("function execute(%s) { const made = %s; return { sum: made }; } // %d", input, strings.ReplaceAll(of[2], "input", input), draw.IntN(100))
	return request(t, map[string]string{
		"name": fmt.Sprintf("%q", name), "description": fmt.Sprintf("%q", says), "implementation": fmt.Sprintf(addCode, code),
		"testCases": `[{"input":{"a":1,"b":2}},{"input":{"a":-1,"b":5}}]`,
	})
}

// TestAnAgentThatForgesAllTheTime has sessions of one persona ask for much the same over and over. Whatever they forge rises,
// so that the next sessions have it. What there is stays bounded by what there is to do, and repetitions are refused.
func TestAnAgentThatForgesAllTheTime(t *testing.T) {
	t.Parallel()
	forges, perSession := 500, 20
	if testing.Short() {
		forges = 60
	}
	w := open(t, "", approveAll, original)
	draw := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // G404: a simulation that can be repeated
	repeated := 0
	for i := range forges {
		c := session(fmt.Sprint("s", i/perSession))
		result, err := w.Forge(t.Context(), c, asked(t, draw, operations[draw.IntN(len(operations))]))
		switch {
		case err == nil:
			if result.Tool.Tier == tool.SessionTier {
				_, _, err := w.Promote(t.Context(), tool.Actor{Caller: c, Name: "eve"}, result.ToolID, tool.AgentTier, "eve")
				w.must(err)
			}
		case result.Stage == forge.StageDuplicate:
			repeated++
		case result.Stage != forge.StageCollision: // a name that is too much like another
			t.Fatalf("%s: %v", result.Stage, err)
		}
	}
	live, err := w.shelf().List(t.Context(), ann.Tenant, tiers.Filter{})
	w.must(err)
	if len(live) != len(operations) || repeated < forges/4 {
		t.Errorf("after %d forges there are %d tools, and %d repetitions were refused", forges, len(live), repeated)
	}
	if pairs, err := w.Duplicates(t.Context(), ann.Tenant, 0.92); err != nil || len(pairs) != 0 {
		t.Errorf("%d pairs are duplicates, %v", len(pairs), err)
	}
	if got := w.ForgeStats(); got.Attempts != forges || got.Rejected < repeated {
		t.Errorf("the statistics are %+v", got)
	}
}
