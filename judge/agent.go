package judge

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/toolsmith/runtime/tool"
)

// Agent is a specialist that the manager of an agency asks for, exactly as it would run.
type Agent struct {
	Role          string // an identifier
	Instructions  string // the whole of them
	Justification string // why it is needed, in the manager's words; "" when it gave none
	// What the host knows: the names of the tools that it could call, and of the members that are there.
	Tools, Members []string
}

// AgentVerdict says whether a specialist may exist.
type AgentVerdict struct {
	Approved   bool       `json:"approved"`
	Unheard    bool       `json:"unheard,omitempty"` // the judge could not be asked, or did not answer: the reason says why
	Reason     string     `json:"reason"`
	JudgeModel string     `json:"judgeModel,omitempty"` // provider/model, or tool.JudgedByPerson and a name
	Spent      tool.Spent `json:"spent"`
	At         tool.Time  `json:"at"`
}

// ReviewAgent says whether a specialist may exist, with one call to the model of Options.Agent: only when that answers exactly
// that it approves. It fails closed: whatever goes wrong, the end of the context included, is a rejection that says so.
func (m *Models) ReviewAgent(ctx context.Context, _ tool.Actor, a Agent) AgentVerdict {
	v := AgentVerdict{At: tool.At(m.opt.Now())}
	p, err := m.prompt(agentRole, aboutAgent(a))
	if err != nil {
		v.Reason = notJudged(err)
		return v
	}
	said, err := m.ask(ctx, m.opt.Agent, p)
	v.JudgeModel, v.Spent, v.Reason, v.Unheard = said.model, said.spent, said.why, said.none || err != nil
	switch {
	case err != nil:
		v.Reason = "LLM call failed: " + failure(err)
	case said.reply == nil && said.text != "":
		v.Reason += ": " + quoted(line(said.text, 200))
	case said.reply == nil:
	case said.reply.answer("approved") != nil:
		v.Reason = unreadable + said.reply.answer("approved").Error()
	default:
		v.Approved = said.reply.is("approved")
		v.Reason = orDefault(words(said.reply.text("reasoning"), maxReasoning), "the judge gave no reason")
	}
	return v
}

// ReviewAgent asks the person whether a specialist may exist.
func (h *Human) ReviewAgent(ctx context.Context, by tool.Actor, a Agent) AgentVerdict {
	v := AgentVerdict{At: tool.At(h.opt.Now()), JudgeModel: h.model()}
	var err error
	if v.Approved, v.Reason, err = h.decide(ctx, "May this specialist join the team?", by, aboutAgent(a)); err != nil {
		v.Reason, v.Unheard = "nobody answered: "+failure(err), true
	}
	return v
}

// ReviewTask asks the person whether a member of an agency may be given a task. The reason says who decided and why.
func (h *Human) ReviewTask(ctx context.Context, by tool.Actor, member, task string) AgentVerdict {
	d := &dossier{}
	d.fact("the task has %d characters", utf8.RuneCountInString(task))
	d.add("member", quoted(member))
	d.code("task", task, false)
	v := AgentVerdict{At: tool.At(h.opt.Now()), JudgeModel: h.model()}
	var err error
	if v.Approved, v.Reason, err = h.decide(ctx, "May this member be given this task?", by, d); err != nil {
		v.Reason, v.Unheard = "nobody answered: "+failure(err), true
	}
	return v
}

// aboutAgent is a specialist as it is shown. Names in facts are those that the operator wrote.
func aboutAgent(a Agent) *dossier {
	d := &dossier{}
	d.fact("the instructions have %d characters, and are shown whole", utf8.RuneCountInString(a.Instructions))
	d.fact("tools that it could call: %s", listed(a.Tools))
	d.fact("members that are there already: %s", listed(a.Members))
	d.fact("it cannot delegate, spawn others, or get more rights than the manager that asks for it")
	if strings.TrimSpace(a.Justification) == "" {
		d.fact("the manager gave no justification")
	}
	d.add("role", quoted(a.Role))
	d.code("instructions", a.Instructions, false)
	if a.Justification != "" {
		d.code("justification", a.Justification, false)
	}
	return d
}

// listed names what is in a list, as far as one reads.
func listed(names []string) string {
	const most = 32
	var shown []string
	for _, name := range names[:min(len(names), most)] {
		shown = append(shown, line(name, 60))
	}
	if len(names) > most {
		shown = append(shown, fmt.Sprintf("and %d more", len(names)-most))
	}
	return orDefault(strings.Join(shown, ", "), "none")
}
