package builtin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/builtin"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

func TestReadFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"text": "a\n<é>", "empty": "", "bytes": "\xff\x00", "large": strings.Repeat("a", 101)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	granted := &policy.Policy{Storage: []policy.Storage{{Root: dir}}, FSLimits: policy.FSLimits{MaxFileBytes: 100}}
	for name, c := range map[string]struct {
		policy *policy.Policy
		row
	}{
		"text":           {granted, row{input: `{"path": "text"}`, output: `{"bytes": 6, "text": "a\n<é>"}`}},
		"absolute":       {granted, row{input: `{"path": ` + encode(t, filepath.Join(dir, "text")) + `, "encoding": "utf8"}`, output: `{"bytes": 6, "text": "a\n<é>"}`}},
		"base64":         {granted, row{input: `{"path": "bytes", "encoding": "base64"}`, output: `{"bytes": 2, "base64": "/wA="}`}},
		"empty":          {granted, row{input: `{"path": "empty"}`, output: `{"bytes": 0, "text": ""}`}},
		"empty, base64":  {granted, row{input: `{"path": "empty", "encoding": "base64"}`, output: `{"bytes": 0, "base64": ""}`}},
		"not UTF-8":      {granted, row{input: `{"path": "bytes"}`, code: tool.InvalidInput, message: "not UTF-8", hint: "base64", path: "/encoding"}},
		"missing":        {granted, row{input: `{"path": "absent"}`, code: tool.NotFound, message: "no such file", hint: "path"}},
		"folder":         {granted, row{input: `{"path": "."}`, code: tool.Denied, hint: "regular file"}},
		"too large":      {granted, row{input: `{"path": "large"}`, code: tool.Limit, message: "fsMaxFileBytes", hint: "operator"}},
		"outside":        {granted, row{input: `{"path": "../text"}`, code: tool.Denied, message: "not granted", hint: "--read-root"}},
		"elsewhere":      {granted, row{input: `{"path": "/etc/passwd"}`, code: tool.Denied, message: "not granted", hint: "--read-root /etc"}},
		"nothing at all": {nil, row{input: `{"path": "text"}`, code: tool.Denied, message: "not granted", hint: "--read-root"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, e := call(t, builtin.ReadFile(), c.policy, c.input)
			c.check(t, got, e)
		})
	}
}
