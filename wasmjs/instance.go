package wasmjs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	goruntime "runtime"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs/meter"
)

// operation is what an instance is asked to do; it mirrors enum op of guest/run.h.
type operation uint64

const (
	opBoot operation = iota
	opInput
	opPiece
	opLoad
	opCall
	opSettle
	opTimers
	opUnhandled
)

// status is how an operation ended; it mirrors enum status of guest/run.h.
type status int32

const (
	statusDone status = iota
	statusWaiting
	statusUnsettled
	statusThrew
	statusRefusedOutput
	statusLargeOutput
	statusBadInput
	statusBadSource
	statusNoEntry
	statusDeepOutput
)

// Offsets within the guest's shared struct (guest/state.h).
const (
	sharedABI         = 0
	sharedInput       = 4
	sharedInputCap    = 8
	sharedOutput      = 12
	sharedOutputLen   = 16
	sharedOutputLimit = 20
	sharedMark        = 24
	sharedRejections  = 28
	sharedPending     = 32
	sharedHasTimer    = 36
	sharedTimerDue    = 40
	sharedRandomState = 48
	sharedSize        = 56
)

// shimABI is the version of that struct which this package speaks.
const shimABI = 1

// deepStack is how much of the C stack a call may use before its native stack, which Go keeps with the function
// object, is worth giving back.
const deepStack = 64 << 10

// instance is one live copy of the module. It belongs to one goroutine at a time and is never closed while it runs.
type instance struct {
	ctx    context.Context //nolint:containedctx // wazero hands it to host functions: it is how they find the instance
	module api.Module
	run    api.Function
	memory *memory

	fuel, pages, pagesLimit, stackLow, stackPointer api.MutableGlobal

	base   *base
	image  *image // what the memory equals between calls
	job    *job   // the work being done; nil between calls
	turns  *turns
	params [3]uint64
}

type instanceKey struct{}

// instanceOf returns the instance that ctx, as given to a host function, belongs to.
func instanceOf(ctx context.Context) *instance {
	return ctx.Value(instanceKey{}).(*instance) //nolint:forcetypeassert // every call is made with such a context
}

// newInstance makes an instance with maxMemory bytes of address space. With boot it also runs the module's
// initialisers, which only the instance that makes the base image needs.
func (m *module) newInstance(maxMemory uint64, boot bool) (*instance, error) {
	in := &instance{turns: m.turns}
	in.ctx = context.WithValue(context.Background(), instanceKey{}, in)
	var err error
	if in.memory, err = reserve(maxMemory); err != nil {
		return nil, &tool.Error{
			Code: tool.Unavailable, Message: err.Error(), Cause: err,
			Hint: "keep fewer instances, or give each less memory",
		}
	}
	allocator := experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory { return in.memory })
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	if boot {
		config = config.WithStartFunctions("_initialize")
		in.job = newBootJob()
		in.job.budget.turns = in.turns
	}
	module, err := m.runtime.InstantiateModule(experimental.WithMemoryAllocator(in.ctx, allocator), m.compiled, config)
	if err != nil {
		in.memory.Free()
		return nil, fmt.Errorf("making a sandbox instance: %w", err)
	}
	in.module = module
	in.run = module.ExportedFunction("run")
	for name, global := range map[string]*api.MutableGlobal{
		meter.ExportFuel: &in.fuel, meter.ExportPages: &in.pages, meter.ExportPagesLimit: &in.pagesLimit,
		meter.ExportSPLow: &in.stackLow, "__stack_pointer": &in.stackPointer,
	} {
		*global, _ = module.ExportedGlobal(name).(api.MutableGlobal)
		if *global == nil {
			return nil, fmt.Errorf("the engine's module exports no global %q", name)
		}
	}
	return in, nil
}

// close frees the instance. It must not be running.
func (in *instance) close() { _ = in.module.Close(in.ctx) }

// enter runs one operation and returns its status. The error is a stop, a trap or a fault of the host.
func (in *instance) enter(op operation, a, b uint32) (status, error) {
	in.params = [3]uint64{uint64(op), uint64(a), uint64(b)}
	err := in.run.CallWithStack(in.ctx, in.params[:])
	in.job.budget.rest()
	return status(int32(uint32(in.params[0]))), err //nolint:gosec // wasm hands an i32 over in 64 bits
}

// bytes returns a view of guest memory, valid until the next operation or restore; nil when out of range.
func (in *instance) bytes(at, length uint32) []byte {
	if uint64(at)+uint64(length) > uint64(len(in.memory.bytes)) {
		return nil
	}
	return in.memory.bytes[at : at+length : at+length]
}

func (in *instance) shared32(field uint32) uint32 {
	return binary.LittleEndian.Uint32(in.memory.bytes[in.base.shared+field:])
}

func (in *instance) shared64(field uint32) uint64 {
	return binary.LittleEndian.Uint64(in.memory.bytes[in.base.shared+field:])
}

func (in *instance) setShared32(field, value uint32) {
	binary.LittleEndian.PutUint32(in.memory.bytes[in.base.shared+field:], value)
}

// setSeed seeds Math.random for the next call.
func (in *instance) setSeed(seed uint64) {
	at := uint32(in.shared64(sharedRandomState)) //nolint:gosec // an address of 32-bit memory
	if state := in.bytes(at, 8); state != nil {
		binary.LittleEndian.PutUint64(state, seed)
	}
}

// write puts text where the next operation reads its input. The status is statusDone unless the guest has no memory.
func (in *instance) write(parts ...[]byte) (status, error) {
	total := 0
	for _, p := range parts {
		total += len(p)
	}
	if total > int(in.shared32(sharedInputCap)) {
		if st, err := in.enter(opInput, uint32(total), 0); err != nil || st != statusDone {
			return st, err
		}
	}
	to := in.bytes(in.shared32(sharedInput), uint32(total))
	if to == nil {
		return statusThrew, errors.New("the guest's input buffer lies outside its memory")
	}
	for _, p := range parts {
		to = to[copy(to, p):]
	}
	return statusDone, nil
}

// output returns a copy of what the last operation left.
func (in *instance) output() []byte {
	view := in.bytes(in.shared32(sharedOutput), in.shared32(sharedOutputLen))
	return append(make([]byte, 0, len(view)), view...)
}

// memoryBytes is how much linear memory is in use, the stack included.
func (in *instance) memoryBytes() uint64 { return in.pages.Get() << 16 }

// setMemoryLimit bounds linear memory from now on.
func (in *instance) setMemoryLimit(bytes uint64) {
	in.pagesLimit.Set(min(bytes, uint64(len(in.memory.bytes))) >> 16)
}

// shedStack gives back the native stack that a deep recursion left with the function object.
func (in *instance) shedStack() {
	if uint64(in.base.stackTop)-min(in.stackLow.Get(), uint64(in.base.stackTop)) > deepStack {
		in.run = in.module.ExportedFunction("run")
	}
}

// isHostFault reports whether err is a panic of our own code that wazero recovered.
func isHostFault(err error) bool {
	var fault goruntime.Error
	return errors.As(err, &fault)
}
