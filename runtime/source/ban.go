package source

import (
	"cmp"
	"fmt"
	"strings"

	"example.com/toolsmith/runtime/source/internal/syntax"
)

// ban is what a name means that no tool may use.
type ban struct {
	rule          Rule
	message, hint string
}

// bans are the global names that are refused in every position but behind typeof.
var bans = map[string]ban{
	"eval": {RuleEval, "eval() is forbidden", "compute the value directly; JSON.parse reads data"},
	"Function": {
		RuleFunction, "Function() is forbidden",
		"write the function out; to test for one, use typeof x === 'function'",
	},
	"require": {RuleRequire, "require() is forbidden: there are no modules in the sandbox", "write the code inline"},
	"process": {
		RuleProcess, "process access is forbidden: there is no process in the sandbox",
		"pass what the tool needs in its input; report failure by throwing an Error",
	},
	"child_process": {RuleChildProcess, "child_process access is forbidden", "a tool cannot start programs"},
}

// grants are the global names that need an entry of the allowlist, and that entry.
var grants = map[string]string{"fetch": Fetch, "fs": ReadFile, "crypto": Crypto}

// modules are hints for code that wants one of Node's modules or a popular package.
var modules = map[string]string{
	"fs": readHint, "crypto": cryptoHint,
	"http": fetchHint, "https": fetchHint, "node-fetch": fetchHint, "axios": fetchHint, "undici": fetchHint, "got": fetchHint,
	"url": "URL and URLSearchParams are global", "util": "TextEncoder and TextDecoder are global",
	"path": "join paths by hand; only fs.readFile takes one", "buffer": "use Uint8Array, TextEncoder, btoa and atob",
}

const (
	fetchHint  = `put "fetch" on the allowlist and call the global fetch(url)`
	readHint   = `put "fs.readFile" on the allowlist and call the global fs.readFile(path), which gives a promise of text`
	cryptoHint = `put "crypto" on the allowlist and use the global crypto: ` + cryptoNames
)

// changesFiles reports whether a member of fs writes, removes, renames or otherwise changes files.
func changesFiles(name string) bool {
	for _, prefix := range []string{
		"write", "append", "unlink", "rmdir", "truncate", "ftruncate", "mkdir", "mkdtemp", "rename", "copyFile",
		"chmod", "chown", "fchmod", "fchown", "lchmod", "lchown", "symlink", "createWriteStream", "open", "utimes", "futimes",
		"lutimes",
	} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	switch strings.TrimSuffix(name, "Sync") {
	case "rm", "cp", "link":
		return true
	}
	return false
}

// reference is one use of a global name.
func (g *gate) reference(name string, n, parent *syntax.Node) {
	if b, ok := bans[name]; ok {
		if name == "Function" && parent.Kind == syntax.New {
			b.message = "new Function() is forbidden"
		}
		if name == "require" && parent.Kind == syntax.Call && len(parent.Kids) == 2 {
			b.hint = g.moduleHint(parent.Kids[1], b.hint)
		}
		g.refuse(n, b.rule, b.message, b.hint)
		return
	}
	if entry, ok := grants[name]; ok {
		g.power(name, entry, n)
		return
	}
	g.remark(name, n)
}

func (g *gate) moduleHint(name *syntax.Node, otherwise string) string {
	text, _ := g.value(name).asText()
	return cmp.Or(g.useOf(text), otherwise)
}

// useOf says what to use instead of a module, "" when nothing is known. What is on the allowlist need not be put there.
func (g *gate) useOf(module string) string {
	hint := modules[moduleOf(module)]
	for entry := range g.allow {
		hint = strings.TrimPrefix(hint, fmt.Sprintf("put %q on the allowlist and ", entry))
	}
	return hint
}

// power is a use of an API of the host.
func (g *gate) power(name, entry string, n *syntax.Node) {
	if g.allow[entry] {
		g.uses[entry] = true
		return
	}
	what := name + " access"
	if name == "fetch" {
		what = "fetch()"
	}
	g.refuse(n, RuleAllowlist, fmt.Sprintf("%s is not allowed: %q is not in the allowlist", what, entry),
		fmt.Sprintf("add %q to the tool's allowlist, or do without", entry))
}

// path looks at a member of a global variable.
func (g *gate) path(path string, n *syntax.Node) {
	root, name, _ := strings.Cut(path, ".")
	name = strings.TrimPrefix(name, "promises.")
	switch {
	case root == "fs" && changesFiles(name):
		g.refuse(n, RuleFileWrite, "fs."+name+"() is forbidden: files cannot be changed ("+family(name)+")",
			"return the data as the tool's output instead")
	case root == "fs" && name != "readFile" && name != "promises":
		g.note(n, FactMissing, "fs has no member "+name+", only readFile")
	case root == "crypto" && !cryptoMembers[name]:
		g.note(n, FactMissing, "crypto has no member "+name+", only "+cryptoNames)
	default:
		g.remark(path, n)
	}
}

// cryptoMembers are what there is of crypto, by its path.
var cryptoMembers = set("randomUUID createHash createHmac timingSafeEqual getRandomValues subtle")

const cryptoNames = "randomUUID, createHash, createHmac, timingSafeEqual, getRandomValues and subtle.digest"

// family names the ban as the specification does: fs.write*.
func family(name string) string {
	for _, prefix := range []string{"write", "append", "unlink", "rmdir", "truncate"} {
		if strings.HasPrefix(name, prefix) {
			return "fs." + prefix + "*"
		}
	}
	return "fs." + name
}

// remarks are facts about global names.
var remarks = map[string]struct {
	kind    FactKind
	message string
}{
	"Proxy":                  {FactProxy, "uses Proxy"},
	"Reflect":                {FactReflect, "uses Reflect"},
	"globalThis":             {FactGlobalThis, "uses globalThis"},
	"setTimeout":             {FactTimer, "sets a timer (setTimeout)"},
	"setInterval":            {FactTimer, "sets a timer (setInterval)"},
	"Math.random":            {FactRandom, "reads Math.random"},
	"crypto.randomUUID":      {FactRandom, "reads crypto.randomUUID"},
	"crypto.getRandomValues": {FactRandom, "reads crypto.getRandomValues"},
	"Date.now":               {FactClock, "reads the clock (Date.now)"},
	"performance.now":        {FactClock, "reads the clock (performance.now)"},
}

// missing are globals of other platforms that models reach for.
var missing = set("Intl WebAssembly SharedArrayBuffer Atomics XMLHttpRequest WebSocket Worker Buffer window document " +
	"navigator location localStorage sessionStorage global module exports __dirname __filename setImmediate Deno Bun")

func (g *gate) remark(name string, n *syntax.Node) {
	if r, ok := remarks[name]; ok {
		g.note(n, r.kind, r.message)
	} else if missing[name] {
		g.note(n, FactMissing, name+" may not exist in the sandbox: test with typeof, or do without")
	}
}
