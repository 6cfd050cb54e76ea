package wasmjs

import (
	"bytes"
	"errors"
)

// image is the memory of a loaded tool, from which each of its calls starts. It is immutable.
type image struct {
	base  *base
	pages uint32 // of 64 KiB in use
	spans []span // cover [base.writable, end) in order
	own   []byte // the bytes of the own spans, one after the other
	logs  logBook
}

// span is a stretch of an image and where its bytes come from.
type span struct {
	start, end uint32
	from       origin
}

type origin uint8

const (
	fromBase origin = iota // as in the base image
	fromOwn                // the next bytes of image.own
	fromZero               // zeroes
)

// block is the grain at which an image is compared with the base.
const block = 256

// end is the address behind the last byte in use.
func (im *image) end() uint32 { return im.pages << 16 }

// size is about how many bytes the image keeps alive.
func (im *image) size() int64 {
	return int64(cap(im.own)) + int64(cap(im.spans))*12 + int64(im.logs.bytes) + 200
}

// takeImage makes the image of a tool that in has just loaded on top of its base.
func takeImage(in *instance) (*image, error) {
	b := in.base
	if uint32(in.stackPointer.Get()) != b.stackTop { //nolint:gosec // an i32
		return nil, errors.New("the guest's stack is not empty after loading")
	}
	im := &image{base: b, pages: uint32(in.pages.Get())} //nolint:gosec // an i32
	for at := b.writable; at < im.end(); {
		next := min((at/block+1)*block, im.end())
		im.add(at, next, in.memory.bytes[at:next])
		at = next
	}
	im.own = bytes.Clone(im.own) // no spare capacity: images are kept by the thousand
	im.spans = append(make([]span, 0, len(im.spans)), im.spans...)
	return im, nil
}

// add appends the block [start, end), whose bytes are now.
func (im *image) add(start, end uint32, now []byte) {
	from := fromOwn
	b := im.base
	switch {
	case end <= b.end() && bytes.Equal(now, b.bytes[start-b.stackTop:end-b.stackTop]):
		from = fromBase
	case start >= b.end() && isZero(now):
		from = fromZero
	default:
		im.own = append(im.own, now...)
	}
	if n := len(im.spans); n > 0 && im.spans[n-1].from == from {
		im.spans[n-1].end = end
		return
	}
	im.spans = append(im.spans, span{start, end, from})
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// attach makes the instance equal to im byte for byte, whatever it held before: every byte in use is written, read-only
// data included, so that not even a memory error in the engine can carry from one tool to another.
func (in *instance) attach(im *image) {
	b := im.base
	copy(in.memory.bytes[b.stackTop:b.writable], b.bytes)
	in.image, in.base = im, b
	in.restore()
}

// redZone is how far below the stack pointer a function that calls no other may write without moving it (LLVM's
// WebAssembly back end, WebAssemblyFrameLowering).
const redZone = 128

// restore puts the instance back to its image after a call of the same tool, however that call ended: the part of the
// stack that was used, all writable memory, and the globals.
func (in *instance) restore() {
	im, b := in.image, in.image.base
	low := min(uint32(in.stackLow.Get()), b.stackTop) //nolint:gosec // an i32
	clear(in.memory.bytes[low-min(low, redZone) : b.stackTop])
	own := im.own
	for _, s := range im.spans {
		to := in.memory.bytes[s.start:s.end]
		switch s.from {
		case fromBase:
			copy(to, b.bytes[s.start-b.stackTop:])
		case fromOwn:
			own = own[copy(to, own):]
		case fromZero:
			clear(to)
		}
	}
	if used := in.memoryBytes(); used > uint64(im.end()) {
		in.memory.zero(uint64(im.end()), used)
	}
	in.pages.Set(uint64(im.pages))
	in.stackPointer.Set(uint64(b.stackTop))
	in.stackLow.Set(uint64(b.stackTop))
	in.fuel.Set(0)
}
