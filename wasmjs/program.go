package wasmjs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/toolsmith/assets"
	"example.com/toolsmith/runtime/tool"
)

// Source is a tool's code and what its image depends on.
type Source struct {
	Name     string // file name in the positions of errors; empty: tool.js
	Code     string // JavaScript, a script that defines execute(input) or run(input)
	TimeZone string // IANA name; empty: UTC
	APIs     []API  // capabilities bound inside, in this order
}

// Program is a loaded tool. It is safe for concurrent use and needs no closing; its image may leave the cache, and is
// then made anew by the next call.
type Program struct {
	engine *Engine
	source Source
	zone   *time.Location
	key    string
}

// Hash identifies the program: the engine, the source, the bound APIs and the time zone. Fuel figures of equal hashes
// are comparable.
func (p *Program) Hash() string { return p.key }

// Load checks, compiles and evaluates a source under the limits, and keeps what it leaves in memory as the image that
// its calls start from. The clock stands at the Unix epoch meanwhile, Math.random has a fixed seed, and host
// functions and timers fail. The error is a *tool.Error: InvalidSource when the text does not parse or has no entry
// function, else what its evaluation ended with.
func (e *Engine) Load(ctx context.Context, src Source, limits tool.Limits) (*Program, error) {
	if err := limits.Validate(); err != nil {
		return nil, err
	}
	limits = limits.WithDefaults()
	if src.Name == "" {
		src.Name = "tool.js"
	}
	zone, err := checkSource(src, limits)
	if err != nil {
		return nil, err
	}
	if err := e.enter(); err != nil {
		return nil, err
	}
	defer e.leave()
	p := &Program{engine: e, source: src, zone: zone, key: src.key()}
	start := time.Now()
	_, how, err := p.image(ctx, limits, start)
	if err != nil {
		return nil, err
	}
	if how == StartLoaded {
		e.started(how, start)
	}
	return p, nil
}

func checkSource(src Source, limits tool.Limits) (*time.Location, error) {
	switch {
	case len(src.Code) > limits.SourceBytes:
		return nil, &tool.Error{
			Code: tool.InvalidSource, Message: fmt.Sprintf("the source of %d bytes is larger than the limit of %d", len(src.Code), limits.SourceBytes),
			Hint: "split the tool, or move data into its input",
		}
	case !utf8.ValidString(src.Code):
		return nil, tool.Errorf(tool.InvalidSource, "the source is not valid UTF-8")
	case strings.ContainsRune(src.Name, 0):
		return nil, tool.Errorf(tool.InvalidSource, "the file name holds a NUL")
	}
	if src.TimeZone == "Local" {
		return nil, tool.Errorf(tool.InvalidRequest, "the time zone Local differs from machine to machine; name one, such as Europe/Berlin")
	}
	zone, err := time.LoadLocation(src.TimeZone)
	if err != nil {
		return nil, tool.Errorf(tool.InvalidRequest, "no such time zone: %w", err)
	}
	return zone, nil
}

// names is a text that holds every global the source or its APIs may use.
func (s *Source) names() string {
	text := []string{s.Code}
	for _, a := range s.APIs {
		text = append(text, a.Needs...)
	}
	return strings.Join(text, " ")
}

// key is the content hash that images are cached by.
func (s *Source) key() string {
	h := sha256.New()
	put := func(text string) { h.Write([]byte(strconv.Itoa(len(text)) + ":" + text)) }
	put(assets.QuickJSSHA256())
	put(s.Name)
	put(s.Code)
	put(s.TimeZone)
	for _, a := range s.APIs {
		put(a.Name)
		put(a.Glue)
		put(strings.Join(a.Needs, " "))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// image returns the program's image, and how it came: from the cache, or by loading it under the limits.
func (p *Program) image(ctx context.Context, limits tool.Limits, start time.Time) (*image, Start, error) {
	e := p.engine
	if im := e.images.get(p.key); im != nil {
		return im, StartRestored, nil
	}
	deadline := start.Add(limits.Timeout)
	b, err := e.baseFor(ctx, &p.source, deadline)
	if err != nil {
		return nil, "", tool.AsError(err)
	}
	in, err := e.pool.acquire(ctx, b.blank, deadline)
	if err != nil {
		return nil, "", tool.AsError(err)
	}
	if in.image != b.blank {
		in.attach(b.blank)
	}
	j := newJob(ctx, limits, loadClock, p.zone)
	j.file = p.source.Name
	in.begin(j)
	im, err := p.load(in)
	e.settle(in, err)
	if err != nil {
		return nil, "", tool.AsError(err)
	}
	im.logs = j.logs
	e.images.put(p.key, im)
	return im, StartLoaded, nil
}

// load evaluates the program in an instance that holds its base, and takes the image.
func (p *Program) load(in *instance) (*image, error) {
	if err := in.evaluate(opLoad, p.source.Name, p.source.Code); err != nil {
		return nil, locate(err, p.source)
	}
	return takeImage(in)
}

// evaluate hands a named text to the guest.
func (in *instance) evaluate(op operation, name, code string) error {
	st, err := in.write([]byte(name), []byte{0}, []byte(code))
	if err == nil && st == statusDone {
		st, err = in.enter(op, uint32(len(name)), uint32(len(code))) //nolint:gosec // capped by the limits
	}
	if err != nil {
		return in.stopped(err)
	}
	return in.outcome(st)
}

// faulty tells a limit that was met while a library piece was loaded from a piece that is broken.
func (in *instance) faulty(piece string, err error) error {
	e := tool.AsError(err)
	if e.Code == tool.GuestError || e.Code == tool.InvalidSource {
		return tool.Errorf(tool.Internal, "the library %s does not load: %w", piece, err)
	}
	return e
}
