// Package hierarchy runs agencies: a manager that reaches a goal by delegating to the members of its team, and that may
// spawn specialists for what none of them covers. A Spec, written in Go or in YAML, says who is there and what all of them
// together may use up.
//
// The package reaches the world through what it is handed: models, the host's one way of calling tools, a judge of
// specialists, and somebody to ask. Everything is safe for concurrent use. Errors are *tool.Error. It imports runtime/tool,
// runtime/wire, runtime/model and judge.
package hierarchy
