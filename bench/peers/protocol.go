package peers

// Mode says what a call finds when it begins.
type Mode string

const (
	// Fresh gives every call a context, VM or isolate of its own, made for it and thrown away after it.
	Fresh Mode = "fresh"
	// Kept makes one context when the program is loaded; all calls run in it.
	Kept Mode = "kept"
)

// Request is one line to an engine's process. Which fields count depends on Do.
type Request struct {
	// Do is "hello": report the version; "load": ready Source under Name; "run": call Name N times, one after the
	// other, after Warm calls that do not count; "spin": call Name from Workers threads at once for Millis; "hold":
	// load N variants of Source, call each once, keep them all, and give back the memory of everything else (so that
	// with N = 0 it readies the process for a first look at its memory).
	Do      string `json:"do"`
	Name    string `json:"name,omitempty"`
	Mode    Mode   `json:"mode,omitempty"`
	Source  string `json:"source,omitempty"`
	Input   string `json:"input,omitempty"` // JSON, passed to every call
	N       int    `json:"n,omitempty"`
	Warm    int    `json:"warm,omitempty"`
	Timeout int    `json:"timeout,omitempty"` // milliseconds that every call may take; armed also when no call comes near it
	Workers int    `json:"workers,omitempty"`
	Millis  int    `json:"millis,omitempty"`
}

// Reply is the one line that answers a Request.
type Reply struct {
	Version string    `json:"version,omitempty"` // of the engine, after "hello"
	Nanos   []float64 `json:"nanos,omitempty"`   // what each counted call took, after "run"
	Output  string    `json:"output,omitempty"`  // JSON that the last call returned
	Outcome string    `json:"outcome,omitempty"` // why the last call did not return; "" when it did
	Calls   int       `json:"calls,omitempty"`   // calls that ended within Millis, after "spin"
	Error   string    `json:"error,omitempty"`   // why the request as a whole could not be done
}
