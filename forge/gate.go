package forge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/compose"
	"example.com/toolsmith/runtime/source"
	"example.com/toolsmith/runtime/tool"
)

func (j *job) enabled(context.Context) error {
	j.result.Stage = StageDisabled
	if !j.forge.opt.Enabled {
		return &tool.Error{Code: tool.Denied, Message: "forging tools is disabled", Hint: "an operator enables it with emergent: true in the configuration"}
	}
	j.result.Stage = StageShape
	return j.by.Validate()
}

func (j *job) read(arguments []byte) error {
	request, err := Read(arguments, ReadRules{MinTestCases: j.forge.opt.MinTestCases})
	j.result.Notes = request.Notes
	if err != nil {
		return err
	}
	j.request = request
	hash, err := request.Implementation.Hash()
	if err != nil {
		return err
	}
	j.candidate = tool.Candidate{
		Name: request.Name, Description: request.Description, InputSchema: request.InputSchema, OutputSchema: request.OutputSchema,
		Implementation: request.Implementation, SourceHash: hash,
	}
	return nil
}

// nameIsFree refuses the names of others early; registering decides it again, for good.
func (j *job) nameIsFree(ctx context.Context) (err error) {
	j.result.Stage = StageCollision
	if j.forge.sandbox.Reserved(j.request.Name) {
		return &tool.Error{
			Code: tool.Collision, Path: "/name", Message: fmt.Sprintf("the name %s is taken by a tool of the host, or too much like it", j.request.Name),
			Hint: "choose another name, or use that tool",
		}
	}
	j.candidate.Supersedes, err = j.forge.shelf.NameIsFree(ctx, j.by.Caller, j.request.Name)
	return err
}

// attempt reads a request, and counts it whatever is wrong with it: one that is refused has cost the host its time, and stands in the
// audit log. Who has no attempt left is not told more.
func (j *job) attempt(ctx context.Context, read func() error) (err error) {
	unfit := read()
	stage := j.result.Stage
	j.result.Stage = StageLimit
	if j.result.Attempt, err = j.forge.shelf.Attempt(ctx, j.by, j.asked()); err != nil {
		return err
	}
	j.result.Stage = stage
	return unfit
}

// asked is what the audit log says of a request: nothing when it could not be read.
func (j *job) asked() any {
	if j.request == nil {
		return nil
	}
	return map[string]any{
		"name": j.request.Name, "mode": j.request.Implementation.Mode, "sourceHash": j.candidate.SourceHash,
		"allowlist": j.request.Implementation.Allowlist, "testCases": len(j.request.TestCases),
	}
}

func (j *job) permitted(context.Context) error {
	j.result.Stage = StagePermission
	if j.request.Implementation.Mode == tool.SandboxMode && !j.forge.opt.AllowSandbox {
		return &tool.Error{
			Code: tool.Denied, Path: "/implementation/mode", Message: "Sandboxed emergent tools are disabled (emergentConfig.allowSandboxTools)",
			Hint: "compose existing tools, or have an operator set emergentConfig.allowSandboxTools: true (--allow-sandbox on the command line)",
		}
	}
	return nil
}

// check has the implementation looked at before it runs.
func (j *job) check(ctx context.Context) error {
	j.enter(ctx, StageStatic)
	report, try, err := j.forge.sandbox.Prepare(ctx, j.by.Caller, j.request.Name, j.request.Implementation)
	if err != nil {
		return j.unfit(err)
	}
	j.try = try
	if j.describes(clockWords) {
		report.Flags = slices.DeleteFunc(report.Flags, func(f tool.Flag) bool { return f == tool.FlagReadsClock })
	}
	report.Flags = append(report.Flags, j.suspicions(report)...)
	j.candidate.Report = report
	j.result.Report = &j.candidate.Report
	return nil
}

// unfit says in the words of its stage what is wrong with an implementation.
func (j *job) unfit(err error) error {
	e := *tool.AsError(err)
	e.Cause = err
	switch {
	case e.Code != tool.InvalidSource && j.request.Implementation.Mode == tool.SandboxMode:
		e.Message = prefixed("loading the code failed: ", e.Message)
	case j.request.Implementation.Mode == tool.ComposeMode:
		e.Message = prefixed("Compose validation failed: ", e.Message)
	case syntaxError(err):
		j.result.Stage = StageSyntax
		e.Message = prefixed("SyntaxError before execution: ", strings.TrimPrefix(e.Message, "SyntaxError: "))
	default:
		e.Message = prefixed("Code validation failed: ", e.Message)
	}
	return &e
}

// prefixed puts words before a text that does not begin with them.
func prefixed(words, text string) string { return words + strings.TrimPrefix(text, words) }

// syntaxError reports whether a source could not be read at all: the gate says so by its rule, the engine by the error's name.
func syntaxError(err error) bool {
	if found, ok := errors.AsType[source.Violations](err); ok {
		return slices.ContainsFunc(found, func(v source.Violation) bool { return v.Rule == source.RuleSyntax })
	}
	e := tool.AsError(err)
	return e.Line > 0 || strings.Contains(e.Name+e.Message, "SyntaxError")
}

// problemsOf lists what an error holds when it is about more than one thing.
func problemsOf(err error) (list []*tool.Error) {
	if found, ok := errors.AsType[Problems](err); ok {
		return found
	}
	if found, ok := errors.AsType[source.Violations](err); ok && len(found) > 1 {
		for _, v := range found {
			list = append(list, &tool.Error{
				Code: tool.InvalidSource, Path: "/implementation/code", Message: v.Message, Line: v.Line, Column: v.Column, Snippet: v.Snippet, Hint: v.Hint,
			})
		}
	}
	if found, ok := errors.AsType[compose.Problems](err); ok && len(found) > 1 {
		for _, p := range found {
			list = append(list, &tool.Error{Code: tool.InvalidRequest, Path: "/implementation" + p.Path, Message: p.Message, Hint: p.Hint})
		}
	}
	return list
}

// mentions are words by which a description owns up to an API.
var mentions = map[string][]string{
	source.Fetch: {
		"fetch", "http", "url", "web", "network", "internet", "online", "download", "request", "api", "remote", "service", "server", "page", "site",
	},
	source.ReadFile: {"file", "read", "disk", "path", "folder", "director", "document", "csv"},
	source.Crypto:   {"crypt", "hash", "sha", "hmac", "digest", "checksum", "uuid", "random", "sign", "fingerprint", "token", "md5"},
}

// clockWords are those by which a description owns up to reading the time.
var clockWords = []string{"now", "today", "current", "clock", "time", "date", "age", "expir", "deadline", "until", "since", "elapsed", "day", "week", "year"}

// describes reports whether a name or description has one of some words.
func (j *job) describes(words []string) bool {
	text := strings.ToLower(j.request.Description + " " + j.request.Name)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// suspicions are the flags that can be raised before anything runs.
func (j *job) suspicions(report tool.Report) (flags []tool.Flag) {
	if slices.ContainsFunc(report.Uses, func(api string) bool { return !j.describes(mentions[api]) }) {
		flags = append(flags, tool.FlagCapabilityMismatch)
	}
	if !slices.ContainsFunc(j.request.TestCases, asserts) {
		flags = append(flags, tool.FlagNoAssertions)
	}
	return flags
}

// asserts reports whether a test case says anything of the output.
func asserts(c tool.TestCase) bool {
	return c.ExpectedOutput != nil && (!c.Partial || string(c.ExpectedOutput) != "{}")
}
