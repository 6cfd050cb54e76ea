// Package hostapi gives tools their powers: fetch, fs.readFile and crypto. Each is glue that is bound inside a tool's realm,
// and host functions behind it that ask the operator's policy, guard, meter and record every use.
//
// APIs returns the glue of what an allowlist names. A Host holds what all calls share; Begin makes the Session of one call,
// whose Funcs the engine runs; tools that are written in Go use its Fetch and ReadFile. The package imports runtime/policy,
// runtime/tool and wasmjs. A Host and its Sessions are safe for concurrent use.
package hostapi
