package forge

import (
	"context"
	"errors"

	"example.com/toolsmith/runtime/tool"
)

// Stage is where a request was refused. The text is stable.
type Stage string

// The stages, in the order of the way.
const (
	StageDisabled   Stage = "disabled"
	StagePackage    Stage = "package"   // what was to be imported, its digest and its signature
	StageShape      Stage = "shape"     // the request itself, its name and its schemas
	StageCollision  Stage = "collision" // the name is taken
	StageLimit      Stage = "limit"     // attempts, tools or costs are used up
	StagePermission Stage = "permission"
	StageSyntax     Stage = "syntax"
	StageStatic     Stage = "static"
	StageDuplicate  Stage = "duplicate" // there is a tool that does the same
	StageTests      Stage = "tests"
	StageJudge      Stage = "judge"
	StageJudgeParse Stage = "judge_parse" // the judge's reply could not be read
	StageRegister   Stage = "register"
)

// Result is what became of a request.
type Result struct {
	Success bool                  `json:"success"`
	ToolID  string                `json:"toolId,omitempty"`
	Tool    *tool.Record          `json:"tool,omitempty"`
	Verdict *tool.CreationVerdict `json:"verdict,omitempty"`
	Error   *tool.Error           `json:"error,omitempty"`
	Stage   Stage                 `json:"stage,omitempty"` // where it was refused
	// Problems are all that was wrong at that stage, when there is more than one thing to say.
	Problems    []*tool.Error     `json:"problems,omitempty"`
	Notes       []string          `json:"notes,omitempty"` // what was mended in the request on the way
	TestResults []tool.TestResult `json:"testResults,omitempty"`
	Report      *tool.Report      `json:"report,omitempty"`
	Attempt     int               `json:"attempt,omitempty"` // of the session, from 1
}

// EventKind is what an Event tells. The text is stable.
type EventKind string

// The kinds.
const (
	Started  EventKind = "start" // the gates let it through; tests and judge follow
	Approved EventKind = "approved"
	Rejected EventKind = "rejected"
	Failed   EventKind = "error" // the host could not decide
)

// Event tells what becomes of a request.
type Event struct {
	Kind       EventKind
	By         tool.Actor
	Name       string // "unnamed" when none could be read
	Mode       tool.Mode
	Stage      Stage    // of a rejection
	Category   Category // of a rejection or failure
	Confidence float64  // of an approval
	Reason     string   // of a rejection or failure, at most 240 characters
}

func (j *job) tell(e Event) {
	e.By, e.Name, e.Mode = j.by, unnamed, "?"
	if j.request != nil {
		e.Name, e.Mode = j.request.Name, j.request.Implementation.Mode
	}
	const most = 240
	if r := []rune(e.Reason); len(r) > most {
		e.Reason = string(r[:most])
	}
	j.forge.opt.Watch(e)
}

// refused ends a job: the result says why, and so do the audit log and the event.
func (j *job) refused(ctx context.Context, err error) error {
	e := tool.AsError(err)
	j.result.Error = e
	j.result.Problems = problemsOf(err)
	kind := Rejected
	if e.Code == tool.Internal || e.Code == tool.Unavailable || e.Code == tool.Canceled {
		kind = Failed
	}
	j.tell(Event{Kind: kind, Stage: j.result.Stage, Category: Classify(j.result.Stage, err), Reason: e.Message})
	if j.result.Stage == StageDisabled || j.by.Validate() != nil || !j.telling(e) {
		return e // nothing else happens
	}
	data := map[string]any{"stage": j.result.Stage, "code": e.Code, "reason": cut(e.Message)}
	if j.request != nil {
		data["name"], data["sourceHash"] = j.request.Name, j.candidate.SourceHash
	}
	if j.result.Verdict != nil {
		data["verdict"] = j.result.Verdict
	}
	if logged := j.forge.shelf.Log(context.WithoutCancel(ctx), j.by, "", tool.ForgeRejected, data); logged != nil {
		return errors.Join(e, logged)
	}
	return e
}

// overrun is that a persona asked on when nothing was left.
type overrun struct {
	tenant, persona string
	code            tool.Code
}

// telling reports whether a refusal belongs in the audit log: all of attempts do, whose number is bounded, and of what is no attempt
// any more a persona's first in a minute.
func (j *job) telling(e *tool.Error) bool {
	return j.result.Attempt > 0 || j.forge.told.First(overrun{j.by.Tenant, j.by.Persona, e.Code}, j.forge.opt.Now())
}

// cut shortens what stands in an audit entry.
func cut(text string) string {
	const most = 2000
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
