package tool

import (
	"errors"
	"fmt"
	"strings"
)

// MaxNameBytes is the longest name of a tool: it also becomes the name of a folder.
const MaxNameBytes = 200

// NameProblem says what is wrong with the name of a tool. The text is stable.
type NameProblem string

// The problems.
const (
	NameType      NameProblem = "type"       // missing, or not a string
	NameEmpty     NameProblem = "empty"      //
	NameFirstChar NameProblem = "first_char" // the first character is not an ASCII letter
	NameCharset   NameProblem = "charset"    // a later one is not an ASCII letter, digit, underscore or hyphen
	NameLength    NameProblem = "length"     // more than MaxNameBytes
)

// CheckName returns "" for a name that a tool may have: an ASCII letter, then ASCII letters, digits, underscores and
// hyphens, at most 200 characters in all.
func CheckName(name string) NameProblem {
	switch {
	case name == "":
		return NameEmpty
	case len(name) > MaxNameBytes:
		return NameLength
	case !letter(name[0]):
		return NameFirstChar
	}
	for i := range len(name) {
		if !letter(name[i]) && !strings.Contains("0123456789_-", name[i:i+1]) {
			return NameCharset
		}
	}
	return ""
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// FoldName is what names have in common that are too much alike to stand side by side: upper and lower case count as the
// same, and so do hyphens and underscores.
func FoldName(name string) string {
	return strings.ReplaceAll(strings.ToLower(name), "-", "_")
}

// NameError is the *Error of code InvalidRequest for a name with a problem; nil when there is none.
func NameError(name string, problem NameProblem) error {
	if problem == "" {
		return nil
	}
	message := fmt.Sprintf("%.80q is not a name for a tool: %s", name, problem)
	if problem == NameType || problem == NameEmpty {
		message = "name is required and must be a string"
	}
	return &Error{
		Code: InvalidRequest, Path: "/name", Message: message,
		Hint:  "an ASCII letter, then letters, digits, underscores or hyphens, at most 200 in all",
		Cause: nameError(problem),
	}
}

// nameError carries a NameProblem in the cause of an error.
type nameError NameProblem

func (e nameError) Error() string { return string(e) }

// NameProblemOf returns what is wrong with a name, if that is among what an error says.
func NameProblemOf(err error) (NameProblem, bool) {
	cause, ok := errors.AsType[nameError](err)
	return NameProblem(cause), ok
}
