package forge

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

// test runs the author's test cases and, when all hold, inputs beside them.
func (j *job) test(ctx context.Context) error {
	j.enter(ctx, StageTests)
	output, err := schema.Compile(j.request.OutputSchema)
	if err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, j.forge.opt.TestTime)
	defer cancel()
	for _, c := range j.request.TestCases {
		t := j.testCase(within, c, output)
		j.candidate.TestResults = append(j.candidate.TestResults, t)
		if costly(t.Error) || hostFailed(t.Error) { // the others would cost as much, or fail as well
			break
		}
	}
	j.result.TestResults = j.candidate.TestResults
	last := j.candidate.TestResults[len(j.candidate.TestResults)-1].Error
	switch {
	case ctx.Err() != nil:
		return tool.AsError(ctx.Err())
	case within.Err() != nil:
		return &tool.Error{
			Code: tool.Limit, Path: "/testCases", Message: fmt.Sprintf("the test cases took longer than the %s there are for all of them", j.forge.opt.TestTime),
			Hint: "give fewer or smaller test cases, or make the tool faster",
		}
	case hostFailed(last):
		return untested(last, len(j.candidate.TestResults)-1)
	}
	j.candidate.Report.Deterministic = j.deterministic()
	if err := failedTests(j.candidate.TestResults, len(j.request.TestCases)); err != nil && !j.forge.opt.KeepFailing {
		return err
	}
	j.explore(within)
	return nil
}

// testCase runs one test case; a second time, with another clock and other randomness, where that can change nothing
// outside.
func (j *job) testCase(ctx context.Context, c tool.TestCase, output *schema.Schema) tool.TestResult {
	t := tool.TestResult{Input: c.Input, ExpectedOutput: c.ExpectedOutput}
	first := j.try(ctx, j.trial(c.Input, 0))
	t.Output, t.Error, t.Logs = first.Output, first.Err, first.Logs
	t.DurationMs, t.Fuel, t.MemoryBytes = tool.Millis(first.Duration), first.Fuel, first.MemoryBytes
	if t.Error == nil {
		t.Error = j.skipped(first.Output, unexpected(c, first.Output, output))
	}
	t.Success = t.Error == nil
	t.Matched = first.Err == nil && matches(c, first.Output)
	if j.candidate.Report.SideEffects || costly(first.Err) {
		return t
	}
	second := j.try(ctx, j.trial(c.Input, anotherYear))
	if hostFailed(second.Err) {
		t.Success, t.Error = false, second.Err
		return t
	}
	t.Repeatable = sameResult(first, second)
	if t.Success && !t.Repeatable {
		if err := secondRun(c, second, output); err != nil {
			t.Success, t.Error = false, err
		}
	}
	return t
}

// hostFailed reports whether an error says nothing of the candidate: the host could not run it.
func hostFailed(err *tool.Error) bool {
	return err != nil && (err.Code == tool.Unavailable || err.Code == tool.Internal || err.Code == tool.Canceled)
}

// untested is the error of a candidate whose tests the host could not run.
func untested(err *tool.Error, index int) *tool.Error {
	e := *err
	e.Path, e.Cause = pointer("/testCases", strconv.Itoa(index)), err
	e.Message = fmt.Sprintf("test case %d could not be run: %s", index, err.Message)
	e.Hint = cmp.Or(e.Hint, "nothing is known against the tool: try again later")
	return &e
}

// anotherYear is how far the clocks of the two runs are apart: another year, month, weekday and hour.
const anotherYear = (400*24 + 7) * time.Hour

func (j *job) trial(input json.RawMessage, later time.Duration) tool.Trial {
	return tool.Trial{Input: input, Now: j.forge.opt.Now().Add(later), Seed: j.seed()}
}

// seed draws a seed that is not zero.
func (j *job) seed() uint64 {
	var b [8]byte
	if _, err := io.ReadFull(j.forge.opt.Random, b[:]); err != nil {
		return 1
	}
	return max(binary.LittleEndian.Uint64(b[:]), 1)
}

func sameResult(a, b tool.TrialResult) bool {
	if a.Err != nil || b.Err != nil {
		return a.Err != nil && b.Err != nil && a.Err.Code == b.Err.Code && a.Err.Message == b.Err.Message
	}
	_, same := equal(a.Output, b.Output, false)
	return same
}

func matches(c tool.TestCase, output json.RawMessage) bool {
	if c.ExpectedOutput == nil {
		return true
	}
	_, same := equal(c.ExpectedOutput, output, c.Partial)
	return same
}

// unexpected says how an output is not what it should be; nil when it is.
func unexpected(c tool.TestCase, output json.RawMessage, want *schema.Schema) *tool.Error {
	if err := want.Validate(output); err != nil {
		e := *tool.AsError(err)
		e.Message = "the output does not fit the output schema: " + e.Message
		if e.Code == tool.InvalidInput {
			e.Code = tool.InvalidOutput
		}
		return &e
	}
	if c.ExpectedOutput == nil {
		return nil
	}
	if path, same := equal(c.ExpectedOutput, output, c.Partial); !same {
		return &tool.Error{
			Code: tool.InvalidOutput, Path: path, Message: fmt.Sprintf("expected %s, got %s", excerpt(c.ExpectedOutput), excerpt(output)),
			Hint: "mend the tool, or the expectation if that is what is wrong; partial: true allows more members than expected",
		}
	}
	return nil
}

// skipped says of an output that is not what it should be that a condition of the last step may have led to it.
func (j *job) skipped(output json.RawMessage, err *tool.Error) *tool.Error {
	steps := j.candidate.Implementation.Steps
	if err == nil || !isNull(output) || len(steps) == 0 || steps[len(steps)-1].Condition == "" {
		return err
	}
	last := steps[len(steps)-1]
	err.Hint = fmt.Sprintf("the output is null when the last step, %q, is skipped because its condition does not hold: %s; "+
		"put the condition on an earlier step, or let the output schema take null", last.Name, shorten(last.Condition, shown))
	return err
}

// secondRun says how the second run broke what the first kept; nil when it kept it too.
func secondRun(c tool.TestCase, second tool.TrialResult, want *schema.Schema) *tool.Error {
	err := second.Err
	if err == nil {
		err = unexpected(c, second.Output, want)
	}
	if err == nil {
		return nil
	}
	e := *err
	e.Message = "a second run, with another clock and other randomness, failed: " + e.Message
	e.Hint = "take what varies from the input instead of the clock or Math.random"
	return &e
}

// excerpt is a value within a message.
func excerpt(value json.RawMessage) string {
	const most = 200
	if r := []rune(string(value)); len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(value)
}

func (j *job) deterministic() bool {
	for _, t := range j.candidate.TestResults {
		if !t.Repeatable {
			if !j.candidate.Report.SideEffects && !costly(t.Error) && !slices.Contains(j.candidate.Report.Flags, tool.FlagNondeterministic) {
				j.candidate.Report.Flags = append(j.candidate.Report.Flags, tool.FlagNondeterministic)
			}
			return false
		}
	}
	return true
}

// failedTests is the error that tells of the tests that failed; nil when none did.
func failedTests(results []tool.TestResult, cases int) error {
	var failed Problems
	for i, t := range results {
		if !t.Success {
			e := *t.Error
			e.Message = fmt.Sprintf("test case %d: %s", i, e.Message)
			if e.Path != "" {
				side := "output"
				if e.Code == tool.InvalidInput {
					side = "input"
				}
				e.Message += " (at " + e.Path + " of the " + side + ")"
			}
			e.Path = fmt.Sprintf("/testCases/%d", i)
			if e.Hint == "" {
				e.Hint = "mend the tool, or the test case if that is what is wrong"
			}
			failed = append(failed, &e)
		}
	}
	if len(failed) == 0 {
		return nil
	}
	if last := results[len(results)-1]; costly(last.Error) && len(results) < cases {
		failed[len(failed)-1].Message += "; the test cases after it were not run"
	}
	return &tool.Error{
		Code: tool.Rejected, Path: failed[0].Path, Message: fmt.Sprintf("%d of %d test cases failed; %s", len(failed), cases, failed[0].Message),
		Hint: failed[0].Hint, Cause: failed,
	}
}
