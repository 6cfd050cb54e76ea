package peers

import (
	"errors"
	"time"
)

// Engine is a JavaScript engine that lives in this process and is offered to another by Serve.
type Engine interface {
	// Version names the engine's release.
	Version() string
	// Load readies a script that defines execute(input).
	Load(source string, mode Mode) (Function, error)
	// Close frees what the engine holds.
	Close() error
}

// Function calls a loaded program with a JSON text and returns the JSON text of its result. A call that runs longer
// than timeout is stopped. Functions loaded Fresh may be called from many goroutines, Kept ones from one at a time.
type Function func(input string, timeout time.Duration) (output string, err error)

// Holder is an Engine whose live instances do not belong to a program, so that loading it n times would not make n.
type Holder interface {
	// Hold brings n instances to life, each after one call, and leaves them idle.
	Hold(source, input string, n int) error
}

// errTimeout is what an engine's Function returns when its deadline stopped a call.
var errTimeout = errors.New("timeout")

// adapter is appended to a program for engines that only call functions: JSON text in, JSON text out.
const adapter = `
function callWithJSON(input) { return JSON.stringify(execute(JSON.parse(input))); }
`
