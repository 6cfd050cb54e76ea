package compose

import (
	"time"

	"example.com/toolsmith/runtime/tool"
)

// Trace tells what a run did, step by step. It holds sizes, never data.
type Trace struct{ Steps []StepTrace } // those that were reached

// StepTrace is one of them.
type StepTrace struct {
	Name, Tool    string
	Skipped       bool // by its condition
	ArgumentBytes int
	OutputBytes   int
	Duration      time.Duration // of the call
	Code          tool.Code     // of the failure; empty when it succeeded
	Notes         []string      // conditions that could not be evaluated and text that looks like a reference
}

// maxNotes bounds the notes of a step.
const maxNotes = 10

func (s *StepTrace) note(notes ...string) {
	s.Notes = append(s.Notes, notes[:min(len(notes), maxNotes-len(s.Notes))]...)
}
