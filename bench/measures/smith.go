package measures

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"example.com/toolsmith"
	"example.com/toolsmith/bench/programs"
	"example.com/toolsmith/judge"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// smith is a host on disk, in a directory of its own, whose judge approves everything at once and costs nothing, and whose
// caps are as high as they can be.
type smith struct {
	*toolsmith.Host
	box *runtime.Sandbox
	dir string
}

// openSmith opens a host whose sandbox finds its compiled code in the cache. The caller closes it.
func openSmith(ctx context.Context, cache string) (s *smith, err error) {
	s = &smith{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.dir, err = os.MkdirTemp("", "toolsmith-bench-"); err != nil {
		return s, err
	}
	if s.box, err = runtime.OpenSandbox(ctx, runtime.Options{Engine: wasmjs.Options{CacheDir: filepath.Join(cache, "ours")}}); err != nil {
		return s, err
	}
	stub := judgetest.ApproveAll()
	reviewer, err := judge.New(judge.Options{Creation: stub, Safety: stub, Correctness: stub})
	if err != nil {
		return s, err
	}
	s.Host, err = toolsmith.Open(ctx, s.dir, toolsmith.Options{
		Config: generous(), Judge: reviewer, Sandbox: s.box, Getenv: func(string) string { return "" },
	})
	return s, err
}

// generous is a configuration that lets code be forged, and whose caps a benchmark does not meet.
func generous() *config.Config {
	c := config.Default()
	c.Emergent, c.EmergentConfig.AllowSandboxTools = true, true
	c.EmergentConfig.MaxSessionTools, c.EmergentConfig.MaxForgeAttemptsPerSession = 1000, 10_000
	c.EmergentConfig.MaxCallsPerMinute = 1_000_000
	return &c
}

// close frees what has been opened and deletes the directory.
func (s *smith) close() error {
	var failed error
	if s.Host != nil {
		failed = s.Close()
	}
	if s.box != nil {
		failed = errors.Join(failed, s.box.Close())
	}
	return errors.Join(failed, os.RemoveAll(s.dir))
}

// What the small tool says of itself.
const (
	slugDescription = "Makes the slug of a text, and counts one on."
	slugInput       = `{"type":"object","properties":{"text":{"type":"string","maxLength":1000},"n":{"type":"integer"}},
 "required":["text","n"],"additionalProperties":false}`
	slugOutput = `{"type":"object","properties":{"slug":{"type":"string"},"n":{"type":"integer"}},
 "required":["slug","n"],"additionalProperties":false}`
)

// request asks for the small tool, or a variant of it, under a name and with four test cases.
func request(name string, p programs.Program) ([]byte, error) {
	return json.Marshal(map[string]any{
		"name": name, "description": slugDescription, "inputSchema": json.RawMessage(slugInput), "outputSchema": json.RawMessage(slugOutput),
		"implementation": tool.Implementation{Mode: tool.SandboxMode, Code: p.Source},
		"testCases": []tool.TestCase{
			{Input: json.RawMessage(p.Input), ExpectedOutput: json.RawMessage(p.Want)},
			{Input: json.RawMessage(`{"text":"Tea for 2","n":0}`), ExpectedOutput: json.RawMessage(`{"slug":"tea-for-2","n":1}`)},
			{Input: json.RawMessage(`{"text":"--","n":-1}`), ExpectedOutput: json.RawMessage(`{"slug":"","n":0}`)},
			{Input: json.RawMessage(`{"text":"ONE","n":7}`), ExpectedOutput: json.RawMessage(`{"slug":"one","n":8}`)},
		},
	})
}
