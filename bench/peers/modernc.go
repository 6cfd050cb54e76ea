package peers

import (
	"errors"
	"fmt"
	"time"

	"modernc.org/quickjs"
)

// moderncEngine runs programs on modernc.org/quickjs, the C engine QuickJS translated to Go. A program is compiled
// to bytecode once, when it is loaded.
type moderncEngine struct{}

// Version implements Engine.
func (moderncEngine) Version() string { return moduleVersion("modernc.org/quickjs") }

// Close implements Engine.
func (moderncEngine) Close() error { return nil }

// Load implements Engine.
func (moderncEngine) Load(source string, mode Mode) (Function, error) {
	code, err := compileModernc(source + adapter)
	if err != nil {
		return nil, err
	}
	if mode == Fresh {
		return func(input string, timeout time.Duration) (string, error) {
			vm, err := newModernc(code)
			if err != nil {
				return "", err
			}
			defer vm.Close()
			return callModernc(vm, input, timeout)
		}, nil
	}
	vm, err := newModernc(code)
	if err != nil {
		return nil, err
	}
	return func(input string, timeout time.Duration) (string, error) {
		return callModernc(vm, input, timeout)
	}, nil
}

// compileModernc returns the bytecode of a script.
func compileModernc(source string) ([]byte, error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	defer vm.Close()
	return vm.Compile(source, quickjs.EvalGlobal)
}

// newModernc makes a VM that has run the bytecode.
func newModernc(code []byte) (*quickjs.VM, error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	if _, err := vm.EvalBytecode(code); err != nil {
		return nil, errors.Join(err, vm.Close())
	}
	return vm, nil
}

// callModernc calls the adapter in vm, stopped after the timeout.
func callModernc(vm *quickjs.VM, input string, timeout time.Duration) (string, error) {
	if err := vm.SetEvalTimeout(timeout); err != nil {
		return "", err
	}
	result, err := vm.Call("callWithJSON", input)
	if err != nil {
		return "", err
	}
	output, ok := result.(string)
	if !ok {
		return "", fmt.Errorf("the program returned %T in place of JSON", result)
	}
	return output, nil
}
