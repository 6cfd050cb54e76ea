package peers

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"example.com/toolsmith/bench/programs"
)

// Serve answers requests from in on out with the engine until in ends.
func Serve(engine Engine, in io.Reader, out io.Writer) error {
	s := server{engine: engine, loaded: map[string]Function{}}
	lines := json.NewDecoder(bufio.NewReader(in))
	replies := json.NewEncoder(out)
	for {
		var request Request
		if err := lines.Decode(&request); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		reply, err := s.do(request)
		if err != nil {
			reply = &Reply{Error: err.Error()}
		}
		if err := replies.Encode(reply); err != nil {
			return err
		}
	}
}

// server is the state of one Serve.
type server struct {
	engine Engine
	loaded map[string]Function
	held   []Function // kept alive for their memory to be measured
}

func (s *server) do(r Request) (*Reply, error) {
	switch r.Do {
	case "hello":
		return &Reply{Version: s.engine.Version()}, nil
	case "load":
		return s.load(r)
	case "run":
		return s.run(r)
	case "spin":
		return s.spin(r)
	case "hold":
		return s.hold(r)
	}
	return nil, fmt.Errorf("unknown request %q", r.Do)
}

func (s *server) load(r Request) (*Reply, error) {
	function, err := s.engine.Load(r.Source, r.Mode)
	if err != nil {
		return nil, err
	}
	s.loaded[r.Name] = function
	return &Reply{}, nil
}

func (s *server) function(name string) (Function, error) {
	function, ok := s.loaded[name]
	if !ok {
		return nil, fmt.Errorf("program %q is not loaded", name)
	}
	return function, nil
}

func (s *server) run(r Request) (*Reply, error) {
	function, err := s.function(r.Name)
	if err != nil {
		return nil, err
	}
	reply := &Reply{Nanos: make([]float64, 0, r.N)}
	for i := range r.Warm + r.N {
		begin := time.Now()
		output, err := function(r.Input, r.timeout())
		took := time.Since(begin)
		reply.Output, reply.Outcome = output, outcome(err)
		if i >= r.Warm {
			reply.Nanos = append(reply.Nanos, float64(took.Nanoseconds()))
		}
	}
	return reply, nil
}

func (s *server) spin(r Request) (*Reply, error) {
	function, err := s.function(r.Name)
	if err != nil {
		return nil, err
	}
	var calls atomic.Int64
	var failure error
	var once sync.Once
	var workers sync.WaitGroup
	end := time.Now().Add(time.Duration(r.Millis) * time.Millisecond)
	for range r.Workers {
		workers.Go(func() {
			for time.Now().Before(end) {
				if _, err := function(r.Input, r.timeout()); err != nil {
					once.Do(func() { failure = err })
					return
				}
				calls.Add(1)
			}
		})
	}
	workers.Wait()
	return &Reply{Calls: int(calls.Load())}, failure
}

func (s *server) hold(r Request) (*Reply, error) {
	defer debug.FreeOSMemory() // what is measured is what is held, not garbage
	if holder, ok := s.engine.(Holder); ok && r.Mode == Kept {
		return &Reply{}, holder.Hold(r.Source, r.Input, r.N)
	}
	for range r.N {
		variant := programs.Program{Source: r.Source}.Variant(fmt.Sprint(len(s.held)))
		function, err := s.engine.Load(variant.Source, r.Mode)
		if err != nil {
			return nil, err
		}
		if _, err := function(r.Input, r.timeout()); err != nil {
			return nil, err
		}
		s.held = append(s.held, function)
	}
	goruntime.GC()
	return &Reply{}, nil
}

// timeout is what every call of the request may take.
func (r Request) timeout() time.Duration { return time.Duration(r.Timeout) * time.Millisecond }

// outcome is the word for how a call ended: "" when it returned.
func outcome(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// ServeStandard opens the Go engine of that name and serves it on standard input and output: the whole life of a
// process started with Command.
func ServeStandard(ctx context.Context, name, cache string) error {
	engine, err := Open(ctx, name, cache)
	if err != nil {
		return err
	}
	return errors.Join(Serve(engine, os.Stdin, os.Stdout), engine.Close())
}
