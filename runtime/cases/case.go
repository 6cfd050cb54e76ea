package cases

import (
	"encoding/json"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Case is one run and what is right about it. Parse makes it; treat it as read-only afterwards.
type Case struct {
	ID, Class, Why string
	Line           int // 1-based, where the case begins in its file

	Source string          // JavaScript; WTF-8, so that a lone surrogate of the file reaches the gate as it was written
	Input  json.RawMessage // exactly as written
	Limits tool.Limits     // zero fields are the defaults
	Allow  []string        // APIs the case asks for, and is granted
	Policy Policy

	Expect  []Outcome         // the outcomes that are right, the best one first
	Outputs []json.RawMessage // the outputs that are right when the outcome is OK
	AnyOK   bool              // any output is right
}

// Policy is what the APIs of a case may reach: hosts, and folders, relative to wherever the runner says.
type Policy struct{ AllowHosts, ReadRoots []string }

// Outcome is how a run ended: OK, or a Failure with a code.
type Outcome string

// OK is the outcome of a run that gave a result.
const OK Outcome = "ok"

const errorPrefix = "error:"

// Failure is the outcome of a run that ended with an error of the given code.
func Failure(code tool.Code) Outcome { return errorPrefix + Outcome(code) }

// known reports whether o is OK or names a code that exists.
func (o Outcome) known() bool {
	code, failed := strings.CutPrefix(string(o), errorPrefix)
	return o == OK || failed && tool.Code(code).Known()
}

func codeList() string {
	var names []string
	for _, c := range tool.Codes() {
		names = append(names, string(c))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
