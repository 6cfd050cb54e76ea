package source

import (
	"context"
	_ "embed"
	"encoding/json"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// bundle is sucrase as a script that defines execute({ code }). It is built by `npm --prefix runtime/source/stripts run
// build` and never edited.
//
//go:embed stripts/strip-ts.js
var bundle string

// stripLimits bound one run of the stripper. It is the fuel that ends what was made to take long: the same everywhere,
// and several times what an honest source of the largest size needs.
var stripLimits = tool.Limits{
	Timeout: 30 * time.Second, Fuel: 1e9, MemoryBytes: 256 << 20, SourceBytes: tool.MaxLimits.SourceBytes,
	InputBytes: 4 << 20, OutputBytes: 4 << 20,
}

// Stripper turns TypeScript into JavaScript, inside the sandbox: the text is an agent's, and so is what it may do to a
// parser. The bundle is loaded on first use. A Stripper is safe for concurrent use; it lives as long as its engine and
// needs no closing.
type Stripper struct {
	engine *wasmjs.Engine
	recent *recent
}

// NewStripper makes a Stripper that runs in the engine.
func NewStripper(engine *wasmjs.Engine) *Stripper {
	return &Stripper{engine: engine, recent: newRecent(4 << 20)}
}

// stripped is what the bundle is asked and answers.
type stripped struct {
	Code   string `json:"code"`
	Error  string `json:"error"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// Strip takes the types out of TypeScript. Lines stay where they are, columns may move. Enums and parameter properties
// become JavaScript; namespaces are refused, and decorators stay for Check to refuse. The error is a *tool.Error:
// InvalidSource, with the place, for what is no TypeScript or takes too long to read; else what kept the stripper from
// running.
func (s *Stripper) Strip(ctx context.Context, code string) (string, error) {
	if v := admit(code, tool.MaxLimits.SourceBytes); v != nil {
		return "", v.failure()
	}
	if text, ok := s.recent.get(code); ok {
		return text, nil
	}
	answer, err := s.run(ctx, code)
	if err != nil {
		return "", err
	}
	if answer.Error != "" {
		return "", answer.failure(code)
	}
	s.recent.put(code, answer.Code)
	return answer.Code, nil
}

func (s *Stripper) run(ctx context.Context, code string) (stripped, error) {
	var answer stripped
	program, err := s.engine.Load(ctx, wasmjs.Source{Name: "strip-ts.js", Code: bundle}, stripLimits)
	if err != nil {
		return answer, unavailable(ctx, err)
	}
	input, err := json.Marshal(stripped{Code: code})
	if err != nil {
		return answer, tool.AsError(err)
	}
	result, err := program.Call(ctx, input, wasmjs.CallOptions{Limits: stripLimits, Now: time.Unix(0, 0), Seed: 1})
	if err != nil {
		return answer, tooHard(ctx, err)
	}
	if err := json.Unmarshal(result.Output, &answer); err != nil {
		return answer, tool.Errorf(tool.Internal, "the TypeScript stripper answered nonsense: %w", err)
	}
	return answer, nil
}

// unavailable is why the bundle was not loaded: an end of the caller's, or a fault here.
func unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return tool.AsError(ctx.Err())
	}
	if e := tool.AsError(err); e.Code == tool.Unavailable {
		return e
	}
	return tool.Errorf(tool.Internal, "the TypeScript stripper does not load: %w", err)
}

// tooHard tells what the source did to the stripper from what the caller or the engine did.
func tooHard(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return tool.AsError(ctx.Err())
	}
	e := tool.AsError(err)
	switch e.Code {
	case tool.OutOfFuel, tool.OutOfMemory, tool.StackOverflow, tool.GuestError, tool.OutputTooLarge:
		v := Violation{
			Rule: RuleSyntax, Message: "the TypeScript cannot be read: it is nested too deeply or too intricate", Line: 1, Column: 1,
			Hint: "split the source into smaller functions, or write it as JavaScript",
		}
		failure := Violations{v}.failure()
		failure.Name = string(e.Code)
		return failure
	default:
		return e
	}
}

// failure makes the error for what the bundle could not read.
func (s stripped) failure(code string) error {
	p := newPlaces(code)
	line := min(max(s.Line, 1), len(p.starts))
	text := p.line(line)
	return Violations{{
		Rule: RuleSyntax, Message: s.Error, Line: line, Column: max(s.Column, 1), Snippet: window(text, s.Column),
		Hint: hintFor(s.Error, text, TypeScript),
	}}.failure()
}
