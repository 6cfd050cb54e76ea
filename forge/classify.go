package forge

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/schema"
)

// Category is what a rejection was about, for statistics. The text is stable.
type Category string

// The categories. A rejection that fits several is of the first.
const (
	SchemaExtraField Category = "schema_extra_field" // the output has members that its schema does not allow
	ShapeCheck       Category = "shape_check"        // the request lacks what every request needs
	SyntaxError      Category = "syntax_error"       // the code could not be read
	ParseError       Category = "parse_error"        // the judge's reply could not be read
	JudgeCorrectness Category = "judge_correctness"  // the judge doubts that the tool is right or safe
	Other            Category = "other"
)

// Categories returns every category there is, in their order.
func Categories() []Category {
	return []Category{SchemaExtraField, ShapeCheck, SyntaxError, ParseError, JudgeCorrectness, Other}
}

// Classify returns what the rejection of a request was about. The stage decides; an error's text counts only where a judge
// wrote it, since everything else says what it means by its type.
func Classify(stage Stage, err error) Category {
	switch stage {
	case StageShape:
		return ShapeCheck
	case StageSyntax:
		return SyntaxError
	case StageJudgeParse:
		return ParseError
	case StageTests:
		if extraField(err) {
			return SchemaExtraField
		}
	case StageJudge:
		if err != nil {
			return ClassifyText(err.Error())
		}
	default:
	}
	return Other
}

// extraField reports whether an output had members that its schema does not allow.
func extraField(err error) bool {
	found, _ := errors.AsType[schema.Mismatches](err)
	return slices.ContainsFunc(found, func(m schema.Mismatch) bool {
		return strings.HasSuffix(m.Keyword, "/additionalProperties") || strings.HasSuffix(m.Keyword, "/unevaluatedProperties")
	})
}

// ClassifyText returns what a rejection was about by the words in which it is explained, in upper or lower case.
func ClassifyText(text string) Category {
	text = strings.ToLower(text)
	for _, c := range phrases {
		if c.pattern.MatchString(text) {
			return c.category
		}
	}
	return Other
}

// phrases are those that tell of a category, in the order of the categories.
var phrases = []struct {
	category Category
	pattern  *regexp.Regexp
}{
	{SchemaExtraField, anyOf(
		`additional propert(y|ies)`, `additionalproperties`, `extra (fields?|propert(y|ies))`, `undeclared field`,
		`(emits|returns|returning) (an additional|extra|an extra)`, `returns additional`, `returning an undeclared`,
		`\b(extra|additional) \w+ (field|property)\b`,
	)},
	{ShapeCheck, anyOf(
		`shape check failed`, `has no declared properties`, `uses? empty input`, `need at least 2 testcases`, `every test needs real field values`,
	)},
	{SyntaxError, anyOf(`syntax ?error`, `unexpected (token|identifier|end of input|reserved word)`)},
	{ParseError, anyOf(
		`failed to parse (llm response|the reply of the judge)`, `could not parse( the)? judge('s)? (response|reply)`,
		`judge('s)? (response|reply) (was not valid json|could not be parsed)`,
	)},
	{JudgeCorrectness, anyOf(
		`logic error`, `threshold ordering`, `\b(un)?clamp(ed|ing)\b`, `inconsistent risk grading`, `division by zero`, `\bunbounded\b`,
		`returns (nan|infinity)`, `infinite loop`, `not deterministic`, `non-?deterministic`, `correctness (is questionable|concern)`,
		`fails safety`, `safety concern`,
	)},
}

func anyOf(patterns ...string) *regexp.Regexp { return regexp.MustCompile(strings.Join(patterns, "|")) }
