package wasmjs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// Options configure an Engine. The zero value works.
type Options struct {
	CacheDir        string           // folder of compiled code, made with mode 0700; empty: none, and starting takes about a second
	Instances       int              // most instances alive at once; zero: 256. Further calls wait for one
	ImageCacheBytes int64            // most bytes of tools' images kept in memory; zero: 256 MiB
	MaxMemoryBytes  uint64           // address space of an instance, which no memory limit exceeds: 128 MiB to 1 GiB; zero: 1 GiB, 128 MiB where there is no mmap
	Interpreter     bool             // do without machine code: 10 to 50 times slower
	Now             func() time.Time // the guest's clock where a call sets none; nil: time.Now
	Random          func() uint64    // seeds of Math.random where a call sets none; nil: math/rand

	// Started is told how the sandbox of a call, or of a load, came to be, and how long that took; nil: nobody.
	Started func(Start, time.Duration)
}

// Start is how a sandbox came to be. The text is stable.
type Start string

// The starts, from the slowest to the fastest.
const (
	StartLoaded   Start = "loaded"   // the source was evaluated, and its image taken
	StartRestored Start = "restored" // an instance was given the image
	StartWarm     Start = "warm"     // the instance held the image already
)

// Engine runs programs. It is safe for concurrent use.
type Engine struct {
	options Options
	module  *module
	base    *base // of the bare engine
	bases   bases // of the library
	pool    *pool
	images  *cache
	running sync.WaitGroup // calls in flight and their host functions

	mu     sync.Mutex
	closed bool
}

// New compiles the engine and boots its first instance.
func New(ctx context.Context, opt Options) (*Engine, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	m, err := compileModule(ctx, opt.CacheDir, opt.Interpreter)
	if err != nil {
		return nil, err
	}
	e := &Engine{options: opt, module: m, images: newCache(opt.ImageCacheBytes), bases: bases{byKey: map[string]*base{}}}
	e.pool = newPool(opt.Instances, e.newInstance)
	if err := e.boot(); err != nil { //nolint:contextcheck // the engine outlives ctx
		return nil, errors.Join(err, m.close()) //nolint:contextcheck // closing must not be cut short
	}
	return e, nil
}

func (o Options) withDefaults() (Options, error) {
	if o.Instances < 0 || o.ImageCacheBytes < 0 || o.MaxMemoryBytes > tool.MaxLimits.MemoryBytes ||
		o.MaxMemoryBytes != 0 && o.MaxMemoryBytes < tool.DefaultLimits.MemoryBytes {
		return o, tool.Errorf(tool.InvalidRequest, "the engine's options are out of range: instances %d, image cache %d bytes, memory %d bytes",
			o.Instances, o.ImageCacheBytes, o.MaxMemoryBytes)
	}
	if o.Instances == 0 {
		o.Instances = 256
	}
	if o.ImageCacheBytes == 0 {
		o.ImageCacheBytes = 256 << 20
	}
	if o.MaxMemoryBytes == 0 {
		o.MaxMemoryBytes = defaultMaxMemory
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Uint64
	}
	return o, nil
}

// boot makes the base image, and keeps the instance that it was made in.
func (e *Engine) boot() error {
	in, err := e.module.newInstance(e.options.MaxMemoryBytes, true)
	if err != nil {
		return err
	}
	shared, err := in.enter(opBoot, 0, 0)
	if err != nil || shared <= 0 {
		return fmt.Errorf("booting the sandbox engine: status %d: %w", shared, err)
	}
	writable, err := readOnlyEnd()
	if err != nil {
		return err
	}
	e.base, err = takeBase(in, uint32(shared), writable)
	if err != nil {
		return err
	}
	in.base = e.base
	if abi := in.shared32(sharedABI); abi != shimABI {
		return fmt.Errorf("the engine's module speaks version %d of the shim, this package %d", abi, shimABI)
	}
	in.job, in.image = nil, e.base.blank
	in.restore()
	e.pool.idle, e.pool.live = append(e.pool.idle, in), 1
	return nil
}

// newInstance makes an instance and gives it the blank image.
func (e *Engine) newInstance() (*instance, error) {
	in, err := e.module.newInstance(e.options.MaxMemoryBytes, false)
	if err != nil {
		return nil, err
	}
	in.attach(e.base.blank)
	return in, nil
}

// seed is a usable seed of Math.random: never zero, which its generator cannot leave.
func (e *Engine) seed(wanted uint64) uint64 {
	if wanted != 0 {
		return wanted
	}
	return e.options.Random() | 1
}

// started tells how a sandbox came to be.
func (e *Engine) started(how Start, since time.Time) {
	if e.options.Started != nil {
		e.options.Started(how, time.Since(since))
	}
}

// enter counts a call in, unless the engine is closed.
func (e *Engine) enter() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return tool.Errorf(tool.Unavailable, "the engine is closed")
	}
	e.running.Add(1)
	return nil
}

func (e *Engine) leave() { e.running.Done() }

// Close refuses further calls, waits for those in flight and their host functions, and frees everything. It may be
// called more than once.
func (e *Engine) Close() error {
	e.mu.Lock()
	closed := e.closed
	e.closed = true
	e.mu.Unlock()
	e.running.Wait()
	if closed {
		return nil
	}
	e.pool.close()
	return e.module.close()
}

// EngineStats is the engine's state at one moment.
type EngineStats struct {
	Compiler      bool // machine code; false: the interpreter
	Instances     int  // alive
	IdleInstances int
	Images        int // tools' images kept
	ImageBytes    int64
}

// Stats returns the engine's state.
func (e *Engine) Stats() EngineStats {
	s := EngineStats{Compiler: e.module.compiler}
	s.Instances, s.IdleInstances = e.pool.counts()
	s.Images, s.ImageBytes = e.images.counts()
	return s
}
