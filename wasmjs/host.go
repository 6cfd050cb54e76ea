package wasmjs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// What host_request returns to the guest (guest/shim/state.h).
const (
	requestAccepted = 0
	requestFailed   = 1
	requestTooMany  = 2
)

// What a synchronous host call costs in fuel, besides the work of the guest around it.
const (
	unitsPerCall = 100
	bytesPerUnit = 16
)

// maxRequestBytes is the most that one request may carry out of the guest: 16 MiB of bytes and a MiB for what is said of
// them.
const maxRequestBytes = 17 << 20

// noBytes is the size of the body of a reply that has none.
const noBytes = 1<<32 - 1

// hostCalls is the traffic between one call and its host functions.
type hostCalls struct {
	funcs   map[string]Func
	ctx     context.Context //nolint:containedctx // ends with the call; host functions run under it
	cancel  context.CancelFunc
	running *sync.WaitGroup // the engine's, so that Close waits for host functions too
	answers chan answer     // made by the first asynchronous request
	count   int
	reply   Reply // what the guest is about to fetch
}

// newHostCalls prepares the traffic of a call that ends at the deadline at the latest.
func newHostCalls(ctx context.Context, deadline time.Time, funcs map[string]Func, running *sync.WaitGroup) hostCalls {
	h := hostCalls{funcs: funcs, running: running, cancel: func() {}}
	if len(funcs) > 0 {
		h.ctx, h.cancel = context.WithDeadline(ctx, deadline)
	}
	return h
}

// answer is what an asynchronous host function came back with.
type answer struct {
	id    uint32
	ok    bool
	reply Reply
}

// hostRequest is the guest's way to a host function: id 0 is answered at once, others through the answers channel.
func hostRequest(in *instance, stack []uint64) {
	at := func(i int) []byte { return in.bytes(uint32(stack[i]), uint32(stack[i+1])) } //nolint:gosec // i32 values
	id, op := uint32(stack[0]), string(at(1))                                          //nolint:gosec // an i32
	if len(at(3))+len(at(5)) > maxRequestBytes {
		in.job.host.reply = failure(tool.Errorf(tool.Limit, "a request of more than %d bytes to %s", maxRequestBytes, op))
		stack[0] = requestFailed
		return
	}
	req := Request{Value: bytes.Clone(at(3))}
	if uint32(stack[5]) != 0 { //nolint:gosec // an i32
		req.Bytes = bytes.Clone(at(5))
	}
	stack[0] = in.job.request(id, op, req)
}

func (j *job) request(id uint32, op string, req Request) uint64 {
	h := &j.host
	call := h.funcs[op]
	switch {
	case j.loading:
		h.reply = failure(tool.Errorf(tool.Denied, "%s cannot be used while the tool is loading; call it inside execute", op))
		return requestFailed
	case call == nil:
		h.reply = failure(tool.Errorf(tool.Denied, "%s is not granted to this call", op))
		return requestFailed
	case id == 0:
		j.budget.charge(unitsPerCall + uint64(len(req.Value)+len(req.Bytes))/bytesPerUnit)
		status := h.answerNow(call, req)
		j.budget.charge(uint64(len(h.reply.Value)+len(h.reply.Bytes)) / bytesPerUnit)
		return status
	case h.count >= j.budget.limits.HostCalls:
		return requestTooMany
	}
	h.count++
	j.budget.look("hostCalls", uint64(h.count), uint64(j.budget.limits.HostCalls)) //nolint:gosec // both are positive
	if h.answers == nil {
		h.answers = make(chan answer, j.budget.limits.HostCalls)
	}
	h.running.Go(func() {
		if h.ctx.Err() != nil {
			return // the call ended before its request began
		}
		reply, ok := invoke(h.ctx, call, req)
		h.answers <- answer{id, ok, reply} // never blocks: one place for each request there may be
	})
	return requestAccepted
}

func (h *hostCalls) answerNow(call Func, req Request) uint64 {
	var ok bool
	if h.reply, ok = invoke(h.ctx, call, req); !ok {
		return requestFailed
	}
	return requestAccepted
}

// invoke runs a host function. A panic in it is a fault of the host, told to the guest as an internal error.
func invoke(ctx context.Context, call Func, req Request) (reply Reply, ok bool) {
	defer func() {
		if fault := recover(); fault != nil {
			reply, ok = failure(tool.Errorf(tool.Internal, "the host function failed: %v", fault)), false
		}
	}()
	reply, err := call(ctx, req)
	if err != nil {
		return failure(tool.AsError(err)), false
	}
	if reply.Value == nil {
		reply.Value = json.RawMessage("null")
	}
	return reply, true
}

// Marks of errors (guest/shim/state.h).
const (
	markNone = iota
	markOutOfMemory
	markStackOverflow
	markDenied
	markLimit
)

// failure is the reply that becomes an exception in the guest.
func failure(e *tool.Error) Reply {
	mark := map[tool.Code]int{tool.Denied: markDenied, tool.Limit: markLimit}[e.Code]
	name := e.Name
	if name == "" {
		name = "Error"
	}
	answer := map[string]any{"name": name, "message": e.Message, "code": e.Code, "mark": mark}
	if e.Hint != "" {
		answer["hint"] = e.Hint
	}
	text, err := json.Marshal(answer)
	if err != nil {
		text = fmt.Appendf(nil, `{"name":"Error","message":"the host function failed","code":%q}`, tool.Internal)
	}
	return Reply{Value: text}
}

// Parts of a reply, as the guest asks for them. The upper half of a slot that carries an i32 is undefined.
const partJSON = 0

func hostReplySize(in *instance, stack []uint64) {
	reply := &in.job.host.reply
	switch {
	case uint32(stack[0]) == partJSON: //nolint:gosec // an i32
		stack[0] = uint64(len(reply.Value))
	case reply.Bytes == nil:
		stack[0] = noBytes
	default:
		stack[0] = uint64(len(reply.Bytes))
	}
}

func hostReply(in *instance, stack []uint64) {
	part := in.job.host.reply.Value
	if uint32(stack[0]) != partJSON { //nolint:gosec // an i32
		part = in.job.host.reply.Bytes
	}
	copy(in.bytes(uint32(stack[1]), uint32(len(part))), part) //nolint:gosec // an i32
}
