package measures

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/toolsmith"
	"example.com/toolsmith/bench/report"
	"example.com/toolsmith/judge"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// labelledSet is where the labelled tools lie, as seen from the folder of this module.
const labelledSet = "../testdata/gate"

// classes are the files of the set.
var classes = []string{"good", "subtly-wrong", "unsafe", "unbounded", "nondeterministic", "gaming", "addressing-judge"}

// labelled is a request to forge a tool of which it is known whether it is good.
type labelled struct {
	ID, Class string
	Good      bool
	Request   json.RawMessage
}

// verdicts measures how good the gates are: what becomes of the labelled tools when the judge approves everything, so that the
// gates decide alone, and when it believes everything that it is told.
func verdicts(ctx context.Context, s *Session) ([]report.Result, error) {
	list, err := readLabelled(labelledSet)
	if err != nil {
		return nil, err
	}
	result := report.Result{Measure: s.now.Name, Unit: report.Tools, Ours: report.Figures{N: len(list)}}
	for i, reviewer := range []struct {
		name string
		model.Model
	}{{"gates alone", judgetest.ApproveAll()}, {"a judge that believes", judgetest.Believes()}} {
		s.tell(float64(i) / 2)
		counts, err := s.forgeAll(ctx, list, reviewer.Model)
		if err != nil {
			return nil, err
		}
		for _, class := range classes {
			v := counts[class]
			v.Class, v.Judge = class, reviewer.name
			result.Verdicts = append(result.Verdicts, v)
		}
	}
	return []report.Result{result}, nil
}

func readLabelled(dir string) (list []labelled, err error) {
	for _, class := range classes {
		path := filepath.Join(dir, class+".json")
		text, err := os.ReadFile(path) //nolint:gosec // a file of the project
		if err != nil {
			return nil, err
		}
		var of []labelled
		if err := json.Unmarshal(text, &of); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, of...)
	}
	return list, nil
}

// forgeAll forges tools in a host in memory, each in a session of its own, and counts what became of them by class.
func (s *Session) forgeAll(ctx context.Context, list []labelled, reviewer model.Model) (counts map[string]report.Verdicts, err error) {
	box, err := runtime.OpenSandbox(ctx, runtime.Options{Engine: wasmjs.Options{CacheDir: filepath.Join(s.Cache, "ours")}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	host, err := openJudged(ctx, box, reviewer)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	counts = map[string]report.Verdicts{}
	var mu sync.Mutex
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(goruntime.GOMAXPROCS(0))
	for _, one := range list {
		all.Go(func() error {
			_, err := host.Forge(ctx, tool.Caller{Tenant: "acme", Persona: "ann", Session: one.ID}, one.Request)
			if errors.Is(err, tool.Internal) || errors.Is(err, tool.Canceled) {
				return fmt.Errorf("%s: %w", one.ID, err)
			}
			mu.Lock()
			defer mu.Unlock()
			v := counts[one.Class]
			v.Count(one.Good, err == nil)
			counts[one.Class] = v
			return nil
		})
	}
	return counts, all.Wait()
}

// openJudged opens a host in memory with a judge of one model. Crypto is granted and the network is not, and it is a Wednesday.
func openJudged(ctx context.Context, box *runtime.Sandbox, reviewer model.Model) (*toolsmith.Host, error) {
	decides, err := judge.New(judge.Options{Creation: reviewer, Safety: reviewer, Correctness: reviewer})
	if err != nil {
		return nil, err
	}
	c := generous()
	c.EmergentConfig.AllowedSandboxAPIs = []string{"crypto"}
	return toolsmith.Open(ctx, "", toolsmith.Options{
		Config: c, Judge: decides, Sandbox: box, Getenv: func(string) string { return "" },
		Now: func() time.Time { return time.Date(2026, time.March, 4, 10, 0, 0, 0, time.UTC) },
	})
}
