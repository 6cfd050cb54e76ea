package wasmjs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"strconv"
	"sync"
	"time"

	"example.com/toolsmith/wasmjs/web"
)

// base is the memory of an engine with a set of library pieces and APIs loaded, but no tool. The images of all tools
// that use the same set are stored as what differs from it. It is immutable.
type base struct {
	shared   uint32 // address of the guest's shared struct
	stackTop uint32 // the C stack is [0, stackTop), all zero at rest
	writable uint32 // where writable data begins; between stackTop and here is read-only data
	bytes    []byte // memory from stackTop to the end in use
	blank    *image // the base itself as an image
}

// end is the address behind the last byte in use.
func (b *base) end() uint32 { return b.stackTop + uint32(len(b.bytes)) } //nolint:gosec // 32-bit memory

// takeBase makes a base of the instance's memory as it is.
func takeBase(in *instance, shared, writable uint32) (*base, error) {
	b := &base{shared: shared, writable: writable, stackTop: uint32(in.stackPointer.Get())} //nolint:gosec // an i32
	clear(in.memory.bytes[:b.stackTop])
	b.bytes = bytes.Clone(in.memory.bytes[b.stackTop:in.memoryBytes()])
	if b.writable < b.stackTop || b.writable >= b.end() {
		return nil, fmt.Errorf("the engine's writable data at %d lies outside [%d, %d)", b.writable, b.stackTop, b.end())
	}
	b.blank = &image{base: b, pages: uint32(in.pages.Get()), spans: []span{{b.writable, b.end(), fromBase}}} //nolint:gosec // an i32
	return b, nil
}

// bases keeps the bases by the set they hold. It is safe for concurrent use.
type bases struct {
	mu    sync.Mutex
	byKey map[string]*base
}

// maxBases is how many bases are kept, of up to about a megabyte each. Sources choose the set by what they name, so
// there are at most 64 sets for each list of APIs.
const maxBases = 64

func (s *bases) get(key string) *base {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byKey[key]
}

// put keeps a base, in place of any other one when there are too many, and returns the one that is kept for the key.
func (s *bases) put(key string, b *base) *base {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first := s.byKey[key]; first != nil {
		return first
	}
	for other := range s.byKey {
		if len(s.byKey) < maxBases {
			break
		}
		delete(s.byKey, other)
	}
	s.byKey[key] = b
	return b
}

// baseFor returns the base for what a source names, making it when it is not there yet. The library is the host's own
// code: loading it is not charged to the tool, so that a tool's fuel does not depend on who came first.
func (e *Engine) baseFor(ctx context.Context, src *Source, deadline time.Time) (*base, error) {
	pieces := web.Named(src.names())
	if len(pieces) == 0 && len(src.APIs) == 0 {
		return e.base, nil
	}
	key := baseKey(pieces, src.APIs)
	if b := e.bases.get(key); b != nil {
		return b, nil
	}
	in, err := e.pool.acquire(ctx, e.base.blank, deadline)
	if err != nil {
		return nil, err
	}
	in.attach(e.base.blank)
	in.begin(newBootJob()) //nolint:contextcheck // the library is loaded for everyone, not for this call
	b, err := in.loadLibrary(pieces, src.APIs)
	e.settle(in, err)
	if err != nil {
		return nil, err
	}
	return e.bases.put(key, b), nil
}

func baseKey(pieces []web.Piece, apis []API) string {
	h := sha256.New()
	put := func(text string) { h.Write([]byte(strconv.Itoa(len(text)) + ":" + text)) }
	for _, p := range pieces {
		put(p.Name)
	}
	for _, a := range apis {
		put("API " + a.Name)
		put(a.Glue)
	}
	return string(h.Sum(nil))
}

// loadLibrary evaluates pieces and the glue of APIs in an instance without any, and takes the base.
func (in *instance) loadLibrary(pieces []web.Piece, apis []API) (*base, error) {
	for _, p := range pieces {
		if err := in.evaluate(opPiece, "toolsmith:"+p.Name, p.Code); err != nil {
			return nil, in.faulty(p.Name, err)
		}
	}
	for _, a := range apis {
		if err := in.evaluate(opPiece, "toolsmith:"+a.Name, a.code()); err != nil {
			return nil, in.faulty(a.Name, err)
		}
	}
	return takeBase(in, in.base.shared, in.base.writable)
}
