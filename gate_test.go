package toolsmith_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime/model"
)

// labelled is an entry of testdata/gate: a request as models write it, whether the tool is good, and what becomes of it now.
// Outcomes are recorded as they are, not as they should be, so that a change of the gates shows.
type labelled struct {
	ID, Class, Why string
	Good           bool
	Known          string      // why no gate can know it, where that is so
	Gates          outcome     // with a judge that approves everything
	Stage          forge.Stage // then, where it is refused
	Believing      outcome     // with one that believes everything it is told
	Request        json.RawMessage
}

type outcome string

func outcomeOf(err error) outcome {
	if err != nil {
		return "reject"
	}
	return "accept"
}

// wrong reports whether an outcome is a false acceptance or a false rejection.
func (e labelled) wrong(o outcome) bool { return (o == "accept") != e.Good }

var gateClasses = []string{"good", "subtly-wrong", "unsafe", "unbounded", "nondeterministic", "gaming", "addressing-judge"}

// readGate reads the whole set, class by class.
func readGate(t *testing.T) (list []labelled) {
	t.Helper()
	for _, class := range gateClasses {
		text, err := os.ReadFile(filepath.Join("testdata", "gate", class+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var of []labelled
		if err := json.Unmarshal(text, &of); err != nil {
			t.Fatal(class, err)
		}
		list = append(list, of...)
	}
	return list
}

// openGate opens a world for the set: crypto is granted, the network is not, and it is a Wednesday.
func openGate(t *testing.T, reviewer model.Model) *world {
	t.Helper()
	return open(t, "", reviewer, func(o *toolsmith.Options) {
		byFuel(o)
		o.Config.EmergentConfig.AllowedSandboxAPIs = []string{"crypto"}
		o.Now = func() time.Time { return time.Date(2026, time.March, 4, 10, 0, 0, 0, time.UTC) }
	})
}

// TestGate measures the gates. With -short it takes every ninth tool.
func TestGate(t *testing.T) {
	t.Parallel()
	gates, believing := openGate(t, approveAll), openGate(t, judgetest.Believes())
	list := readGate(t)
	for _, class := range gateClasses {
		t.Log("as recorded: " + gateRow(list, class))
	}
	for i, e := range list {
		if testing.Short() && i%9 != 0 {
			continue
		}
		t.Run(e.ID, func(t *testing.T) { t.Parallel(); e.forge(t, gates, believing) })
	}
}

// forge holds both outcomes to what is recorded. Each tool has a session of its own.
func (e labelled) forge(t *testing.T, gates, believing *world) {
	t.Helper()
	result, err := gates.Forge(t.Context(), session(e.ID), e.Request)
	if got := outcomeOf(err); got != e.Gates || result.Stage != e.Stage && err != nil {
		t.Errorf("gates alone: %s at %q, %v; recorded is %s at %q", got, result.Stage, err, e.Gates, e.Stage)
	}
	result, err = believing.Forge(t.Context(), session(e.ID), e.Request)
	if got := outcomeOf(err); got != e.Believing {
		t.Errorf("with a judge that believes: %s at %q, %v; recorded is %s%s", got, result.Stage, err, e.Believing, flagsOf(result))
	}
}

func flagsOf(result *forge.Result) string {
	if result.Report == nil {
		return ""
	}
	return fmt.Sprintf("; the flags are %v", result.Report.Flags)
}

// TestGateSet checks the set itself: enough of each class, each entry once, and labelled to the end.
func TestGateSet(t *testing.T) {
	t.Parallel()
	const enough = 12
	count, seen := map[string]int{}, map[string]bool{}
	for _, e := range readGate(t) {
		count[e.Class]++
		known := e.Gates == "accept" || e.Gates == "reject"
		switch {
		case seen[e.ID] || e.Why == "" || !slices.Contains(gateClasses, e.Class):
			t.Errorf("%s is there twice, or lacks its reason or a class", e.ID)
		case e.Good != (e.Class == "good"):
			t.Errorf("%s is of the class %s, and labelled good=%t", e.ID, e.Class, e.Good)
		case !known || (e.Stage != "") != (e.Gates == "reject") || e.Gates == "reject" && e.Believing != "reject":
			t.Errorf("%s has no whole outcome: %q at %q, %q", e.ID, e.Gates, e.Stage, e.Believing)
		case e.Known != "" && (e.Good || e.Gates == "reject"):
			t.Errorf("%s is said to be beyond the gates, and they do know it", e.ID)
		}
		seen[e.ID] = true
	}
	for _, class := range gateClasses {
		if count[class] < enough {
			t.Errorf("%d tools are of the class %s; want %d", count[class], class, enough)
		}
	}
}

// TestGateIsTold holds the page of benchmarks to the set: its table, and all that is said to be beyond the gates.
func TestGateIsTold(t *testing.T) {
	t.Parallel()
	page := strings.Join(strings.Fields(read(t, "docs/benchmarks.md")), " ")
	list := readGate(t)
	for _, e := range list {
		told := strings.Contains(page, "`"+e.ID+"`") && strings.Contains(page, e.Known)
		if (e.Known != "" || e.wrong(e.Believing)) && !told {
			t.Errorf("docs/benchmarks.md does not tell of %s: %s", e.ID, e.Known)
		}
	}
	for _, class := range gateClasses {
		if row := gateRow(list, class); !strings.Contains(page, row) {
			t.Errorf("docs/benchmarks.md lacks the row %s", row)
		}
	}
}

// gateRow is a row of the table: tools, and what became of them under each judge.
func gateRow(list []labelled, class string) string {
	list = slices.DeleteFunc(slices.Clone(list), func(e labelled) bool { return e.Class != class })
	row := fmt.Sprintf("| %s | %d |", class, len(list))
	for _, of := range []func(labelled) outcome{
		func(e labelled) outcome { return e.Gates },
		func(e labelled) outcome { return e.Believing },
	} {
		accepted := 0
		for _, e := range list {
			if of(e) == "accept" {
				accepted++
			}
		}
		rejected := len(list) - accepted
		falseAccepts, falseRejects := accepted, 0
		if class == "good" {
			falseAccepts, falseRejects = 0, rejected
		}
		row += fmt.Sprintf(" %d | %d | %d | %d |", accepted, rejected, falseAccepts, falseRejects)
	}
	return row
}
