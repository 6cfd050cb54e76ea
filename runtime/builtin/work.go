package builtin

import "example.com/toolsmith/runtime/tool"

// work counts the steps of one call, up to a number of them and to the end of the call.
type work struct {
	ended func() error // of the call
	most  int
	over  tool.Error // what is said of more steps
	done  int
}

// step pays for work.
func (w *work) step(n int) error {
	const pause = 1024 // steps between looks at the clock
	before := w.done / pause
	if w.done += n; w.done > w.most {
		over := w.over
		return &over
	}
	if w.done/pause > before {
		if err := w.ended(); err != nil {
			return tool.AsError(err)
		}
	}
	return nil
}
