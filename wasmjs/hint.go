package wasmjs

import (
	"regexp"

	"example.com/toolsmith/runtime/tool"
)

// missing are names that tools look for in vain, with what to do instead.
var missing = map[string]string{
	"Intl":           "Intl is not available in the sandbox: format numbers and dates by hand",
	"require":        "there are no modules in the sandbox: put what you need into the source",
	"module":         "there are no modules in the sandbox: define function execute(input)",
	"exports":        "there are no modules in the sandbox: define function execute(input)",
	"process":        "there is no process in the sandbox: pass what you need in the input",
	"Buffer":         "use Uint8Array, TextEncoder, TextDecoder, atob and btoa instead of Buffer",
	"window":         "there is no browser in the sandbox; globals are on globalThis",
	"document":       "there is no browser in the sandbox",
	"XMLHttpRequest": "ask for fetch in the allowlist",
	"fetch":          "ask for fetch in the allowlist",
	"fs":             "ask for fs.readFile in the allowlist",
	"crypto":         "ask for crypto in the allowlist",
	"setImmediate":   "use setTimeout or queueMicrotask",
}

var notDefined = regexp.MustCompile(`^'?(\w+)'? is not defined$`)

// hint says how to mend what the tool threw, where that is known.
func hint(code tool.Code, r report) string {
	if code == tool.OutOfMemory {
		return "keep less in memory at a time, or raise the memory limit"
	}
	if code == tool.StackOverflow {
		return "recurse less deep, or use a loop"
	}
	if m := notDefined.FindStringSubmatch(r.Message); m != nil {
		return missing[m[1]]
	}
	return ""
}
