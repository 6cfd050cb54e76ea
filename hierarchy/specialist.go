package hierarchy

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// Specialist is an agent that a manager asks for. Managers name role, instructions and justification; models come from the
// operator alone.
type Specialist struct {
	Role          string `json:"role"`
	Instructions  string `json:"instructions"`
	Justification string `json:"justification,omitempty"`
	Model         string `json:"model,omitempty"`    // "" is Planner.DefaultModel, then the agency's
	Provider      string `json:"provider,omitempty"` // the same
}

// Judge decides whether a specialist may exist. It fails closed: what goes wrong is a verdict that does not approve.
// *judge.Models and *judge.Human are judges.
type Judge interface {
	ReviewAgent(ctx context.Context, by tool.Actor, a judge.Agent) judge.AgentVerdict
}

// Shelf keeps the specialists of the shared tier, for all personas of a tenant. Both are called with agencies by name.
type Shelf interface {
	// Load returns the newest version of each that is kept, oldest first.
	Load(ctx context.Context, c tool.Caller, agency string) ([]Specialist, error)
	// Save keeps one, with its audit entry, and returns its version. The actor's name is that of the person who approved it.
	Save(ctx context.Context, by tool.Actor, agency string, s Specialist) (version int, err error)
}

// readSpecialist reads what a manager writes. Nothing but a role, instructions and a justification can be asked for: no
// tools, rights, models or limits. What could be read comes back with the error, too.
func readSpecialist(arguments json.RawMessage) (Specialist, error) {
	var asked struct {
		Role          string `json:"role"`
		Instructions  string `json:"instructions"`
		Justification string `json:"justification"`
	}
	err := wire.JSON(arguments, &asked)
	if err != nil {
		err = badArguments(err, "role, instructions and justification are all that can be asked for: tools, rights, models and limits are the host's to give")
	}
	return Specialist{Role: asked.Role, Instructions: asked.Instructions, Justification: asked.Justification}, err
}

// Agent makes an agent of a specialist for an agency whose manager is a persona: with the agency's tools, the usual number of
// turns, and a persona below that of the manager. The error is InvalidRequest, Limit for instructions that are too long.
func (s Specialist) Agent(of Spec, persona string) (Agent, error) {
	of = of.WithDefaults()
	planner := of.Emergent.Planner
	if blank(s.Instructions) {
		return Agent{}, forgeRejected(tool.InvalidRequest, "/instructions", "the instructions are missing or empty", "say what the specialist does and how")
	}
	if problem := RoleProblem(s.Role); problem != "" {
		return Agent{}, forgeRejected(tool.InvalidRequest, "/role", problem, roleHint)
	}
	if n := utf8.RuneCountInString(s.Instructions); n > int(planner.MaxInstructionsLength) {
		return Agent{}, forgeRejected(tool.Limit, "/instructions", fmt.Sprintf("the instructions have %d characters", n),
			fmt.Sprintf("write at most %d: planner.maxInstructionsLength", planner.MaxInstructionsLength))
	}
	a := Agent{
		Name: s.Role, Instructions: s.Instructions, Persona: persona + "/" + s.Role, MaxSteps: of.Limits.AgentSteps,
		Provider: cmp.Or(s.Provider, planner.DefaultProvider, of.Provider), Model: cmp.Or(s.Model, planner.DefaultModel),
	}
	if a.Model == "" && a.Provider == of.Provider {
		a.Model = of.Model
	}
	if len(a.Persona) > tool.MaxIdentityBytes {
		return Agent{}, forgeRejected(tool.InvalidRequest, "/role", "the role makes the name of its persona too long", "choose a shorter role")
	}
	return a, nil
}

func forgeRejected(code tool.Code, path, why, hint string) error {
	return &tool.Error{Code: code, Path: path, Message: "Forge rejected: " + why, Hint: hint}
}

// forge makes a member of a specialist.
func (r *run) forge(s Specialist) (*member, error) {
	a, err := s.Agent(r.agency.spec, r.caller.Persona)
	if err != nil {
		return nil, err
	}
	if _, err := r.agency.model(a, a.Persona); err != nil {
		return nil, err
	}
	return &member{Agent: a, caller: r.callerOf(a.Persona), emergent: true}, nil
}
