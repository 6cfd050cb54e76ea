package forge_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

// TestT176To188RejectionsAreClassified has the rows of the classifier by their numbers; each text also in capitals.
func TestT176To188RejectionsAreClassified(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		want  forge.Category
		texts []string
	}{
		"T-176": {forge.SchemaExtraField, []string{
			"The output violates its schema: additional properties although none are allowed", "additionalProperties is false, and there is one",
		}},
		"T-177": {forge.SchemaExtraField, []string{"the schema is violated by an extra field", "two extra properties"}},
		"T-178": {forge.SchemaExtraField, []string{"it emits extra properties", "the code returns an extra one", "returning an undeclared one"}},
		"T-179": {forge.SchemaExtraField, []string{"it emits an additional undeclared field", "returns additional data"}},
		"T-180": {forge.ShapeCheck, []string{"Shape check failed: need at least 2 testCases, got 1", "need at least 2 testCases, got 0"}},
		"T-181": {forge.ShapeCheck, []string{"Shape check failed: inputSchema has no declared properties", "2 testCases use empty input"}},
		"T-182": {forge.ParseError, []string{
			"Failed to parse the reply of the judge: it holds no object", "Failed to parse LLM response", "could not parse judge response",
			"judge response was not valid JSON", "The judge's reply could not be parsed",
		}},
		"T-183": {forge.SchemaExtraField, []string{"a logic error, and an extra recommendations field"}},
		"T-184": {forge.JudgeCorrectness, []string{
			"the score is clamped here and unclamped there", "inconsistent clamping", "logic error in the loop", "threshold ordering is wrong",
			"division by zero", "unbounded output", "it returns NaN for 0", "an infinite loop", "it is not deterministic", "nondeterministic",
			"correctness is questionable", "fails safety", "inconsistent risk grading",
		}},
		"T-185": {forge.Other, []string{"", "I do not like it"}},
		"T-186": {forge.Other, []string{"the sandbox timeout was met"}},
		"T-187": {forge.SyntaxError, []string{
			"Unexpected token 'const' during tests", "SyntaxError before execution: …", "syntax error", "unexpected end of input",
			"Unexpected reserved word 'interface'", "unexpected identifier",
		}},
	} {
		for _, text := range c.texts {
			if got := forge.ClassifyText(text); got != c.want {
				t.Errorf("%s: %q is %s, want %s", name, text, got, c.want)
			}
			if got := forge.ClassifyText(strings.ToUpper(text)); got != c.want {
				t.Errorf("T-188, %s: %q in capitals is %s, want %s", name, text, got, c.want)
			}
		}
	}
}

// The stage counts more than the words.
func TestStagesClassify(t *testing.T) {
	t.Parallel()
	words := errors.New("syntax error: extra field")
	for stage, want := range map[forge.Stage]forge.Category{
		forge.StageShape: forge.ShapeCheck, forge.StageSyntax: forge.SyntaxError, forge.StageJudgeParse: forge.ParseError,
		forge.StageJudge: forge.SchemaExtraField, forge.StageTests: forge.Other, forge.StageLimit: forge.Other, forge.StageCollision: forge.Other,
		forge.StageStatic: forge.Other, forge.StageDuplicate: forge.Other, forge.StageDisabled: forge.Other, "": forge.Other,
	} {
		if got := forge.Classify(stage, words); got != want {
			t.Errorf("%s is %s, want %s", stage, got, want)
		}
	}
	if got := forge.Classify(forge.StageJudge, nil); got != forge.Other {
		t.Errorf("nothing is %s", got)
	}
}

// An output that has more than its schema allows is told by what the schema says, not by words.
func TestExtraFieldsInTestsAreClassified(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]forge.Category{
		`{"type":"object","additionalProperties":false}`:                 forge.SchemaExtraField,
		`{"type":"object","unevaluatedProperties":false}`:                forge.SchemaExtraField,
		`{"type":"object","properties":{"extra":{"type":"boolean"}}}`:    forge.Other,
		`{"type":"object","properties":{"extra":true},"required":["a"]}`: forge.Other,
	} {
		s, err := schema.Compile([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		failed := &tool.Error{Code: tool.Rejected, Message: "1 of 2 test cases failed", Cause: s.Validate([]byte(`{"extra":"field"}`))}
		if got := forge.Classify(forge.StageTests, failed); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func FuzzClassifyText(f *testing.F) {
	for _, text := range []string{"", "extra x field", "logic error", "Failed to parse\xff", strings.Repeat("additional ", 100)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := forge.ClassifyText(text); !slices.Contains(forge.Categories(), got) {
			t.Errorf("%q is %q", text, got)
		}
	})
}
