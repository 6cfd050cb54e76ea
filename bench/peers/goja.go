package peers

import (
	"time"

	"github.com/dop251/goja"
)

// gojaEngine runs programs on goja, an interpreter written in Go. A program is compiled once, when it is loaded.
type gojaEngine struct{}

// Version implements Engine.
func (gojaEngine) Version() string { return moduleVersion("github.com/dop251/goja") }

// Close implements Engine.
func (gojaEngine) Close() error { return nil }

// Load implements Engine.
func (gojaEngine) Load(source string, mode Mode) (Function, error) {
	program, err := goja.Compile("tool.js", source+adapter, false)
	if err != nil {
		return nil, err
	}
	if mode == Fresh {
		return func(input string, timeout time.Duration) (string, error) {
			vm := goja.New()
			defer interruptAfter(vm, timeout).Stop()
			call, err := gojaCall(vm, program)
			if err != nil {
				return "", err
			}
			return call(input)
		}, nil
	}
	vm := goja.New()
	call, err := gojaCall(vm, program)
	if err != nil {
		return nil, err
	}
	return func(input string, timeout time.Duration) (string, error) {
		defer interruptAfter(vm, timeout).Stop()
		return call(input)
	}, nil
}

// interruptAfter arms goja's only means to stop a run.
func interruptAfter(vm *goja.Runtime, timeout time.Duration) *time.Timer {
	return time.AfterFunc(timeout, func() { vm.Interrupt(errTimeout) })
}

// gojaCall runs the program in vm and returns what calls its adapter.
func gojaCall(vm *goja.Runtime, program *goja.Program) (func(string) (string, error), error) {
	if _, err := vm.RunProgram(program); err != nil {
		return nil, err
	}
	var call func(string) (string, error)
	err := vm.ExportTo(vm.Get("callWithJSON"), &call)
	return call, err
}
