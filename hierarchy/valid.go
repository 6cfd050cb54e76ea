package hierarchy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/toolsmith/runtime/tool"
)

// The bounds of text, in bytes.
const (
	maxInstructions = 64 << 10
	maxDescription  = 4 << 10
	maxWord         = 200 // of a model, a provider, a persona
	maxTools        = 64  // of one list
	maxMembers      = 64  // that are looked at
)

// MaxRoleBytes is the longest name of a member or specialist: with delegate_to_ before it, it is the name of a tool.
const MaxRoleBytes = 52

// Validate holds the Spec to what can be run. The error is InvalidRequest; its cause are the Problems, all that is wrong.
func (s Spec) Validate() error { return s.problems().failure() }

// CheckProviders holds the providers that the Spec names to those that there are. The error is that of Validate.
func (s Spec) CheckProviders(known ...string) error { return s.strangers(known).failure() }

// strangers are providers that are not known; with none known, all are.
func (s Spec) strangers(known []string) (p Problems) {
	check := func(path, provider string) {
		if len(known) > 0 && provider != "" && !slices.Contains(known, provider) {
			p.add(path, fmt.Sprintf("there is no provider %s of models", tool.Quote(provider)), "use one of "+strings.Join(known, ", "))
		}
	}
	check("/provider", s.Provider)
	for i, a := range s.Agents {
		check(fmt.Sprintf("/agents/%d/provider", i), a.Provider)
	}
	check("/emergent/planner/defaultProvider", s.Emergent.Planner.DefaultProvider)
	return p
}

// problems finds all that is wrong. s is not changed: what bounds points to is a copy.
func (s Spec) problems() (p Problems) {
	p.name(s.Name)
	p.strategy(s)
	p.text("/instructions", s.Instructions, maxInstructions)
	if s.Model == "" && s.Provider == "" {
		p.add("/provider", "the agency has neither a model nor a provider", "name one of them, as in provider: openai")
	}
	p.text("/model", s.Model, maxWord)
	p.text("/provider", s.Provider, maxWord)
	p.persona("/persona", s.Persona)
	p.tools("/tools", s.Tools)
	p.roster(s)
	p.check("/limits", s.Limits.bounds()...)
	if c := s.Limits.MaxCostUSD; !(c >= 0 && c <= maxCost) { // NaN is not
		p.add("/limits/maxCostUSD", fmt.Sprintf("maxCostUSD is %v: it is above zero and at most %v", c, maxCost), "leave it out for the default, 10")
	}
	p.period("/limits", "timeout", s.Limits.Timeout, maxTimeout)
	p.emergent(s.Emergent)
	p.approvals(s)
	return p
}

var agencyName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

func (p *Problems) name(name string) {
	switch {
	case name == "":
		p.add("/name", "the agency has no name", "give it one: name: research-desk")
	case !agencyName.MatchString(name):
		p.add("/name", tool.Quote(name)+" is not a name", "a letter or digit, then letters, digits, dots, underscores or hyphens, at most 100 in all")
	}
}

// strategy: specialists need a manager, and so does all that can be run.
func (p *Problems) strategy(s Spec) {
	const hint = "write strategy: hierarchical, or adaptive: true"
	switch {
	case s.Strategy != "" && !slices.Contains(strategies, s.Strategy):
		p.add("/strategy", "there is no strategy "+tool.Quote(string(s.Strategy)), hint)
	case s.Adaptive, s.Strategy == "", s.Strategy == Hierarchical:
	case s.Emergent.Enabled:
		p.add("/strategy", fmt.Sprintf("emergent.enabled needs a manager: the strategy %s has none", s.Strategy), hint)
	default:
		p.add("/strategy", fmt.Sprintf("the strategy %s cannot be run here: hierarchical is the one that can", s.Strategy), hint)
	}
}

// text holds text to a length, and to be text.
func (p *Problems) text(path, text string, most int) {
	switch {
	case len(text) > most:
		p.add(path, fmt.Sprintf("the text has %d bytes", len(text)), fmt.Sprintf("write at most %d", most))
	case !utf8.ValidString(text), strings.ContainsRune(text, 0):
		p.add(path, "the text is not UTF-8, or holds a NUL", "write plain text")
	}
}

// persona: a slash stands between the persona of a manager and the role of its specialist.
func (p *Problems) persona(path, persona string) {
	p.text(path, persona, maxWord)
	if strings.Contains(persona, "/") {
		p.add(path, "the name of a persona holds a slash", "name a persona of the configuration")
	}
}

func (p *Problems) tools(path string, names []string) {
	if len(names) > maxTools {
		p.add(path, fmt.Sprintf("there are %d tools", len(names)), fmt.Sprintf("name at most %d", maxTools))
		return
	}
	seen := map[string]bool{}
	for i, name := range names {
		at := fmt.Sprintf("%s/%d", path, i)
		folded := tool.FoldName(name)
		switch problem := tool.CheckName(name); {
		case problem != "":
			p.add(at, fmt.Sprintf("%s is not the name of a tool: %s", tool.Quote(name), problem), "an ASCII letter, then letters, digits, underscores or hyphens")
		case folded == SpawnTool, strings.HasPrefix(folded, DelegatePrefix):
			p.add(at, fmt.Sprintf("the name %s is the manager's own", tool.Quote(name)), "agents get the tools that delegate and spawn by themselves")
		case seen[folded]:
			p.add(at, fmt.Sprintf("%s is listed twice", tool.Quote(name)), "upper and lower case count as the same, and so do hyphens and underscores")
		}
		seen[folded] = true
	}
}

// roster checks the members, and whom they name.
func (p *Problems) roster(s Spec) {
	most := int(s.Limits.WithDefaults().MaxAgents)
	switch {
	case len(s.Agents) == 0:
		p.add("/agents", "the agency has no agents", "list at least one under agents")
	case len(s.Agents) > most:
		p.add("/agents", fmt.Sprintf("there are %d agents: limits.maxAgents is %d", len(s.Agents), most), "take some out, or raise the limit (at most 64)")
	}
	seen := map[string]bool{}
	for i, a := range s.Agents[:min(len(s.Agents), maxMembers)] {
		at := fmt.Sprintf("/agents/%d", i)
		if message := RoleProblem(a.Name); message != "" {
			p.add(at+"/name", message, roleHint)
		} else if seen[tool.FoldName(a.Name)] {
			p.add(at+"/name", fmt.Sprintf("another agent is called %s, or much like it", a.Name), roleHint)
		}
		seen[tool.FoldName(a.Name)] = true
		p.agent(at, s, a)
	}
}

func (p *Problems) agent(at string, s Spec, a Agent) {
	if strings.TrimSpace(a.Instructions) == "" {
		p.add(at+"/instructions", "the agent has no instructions", "say what it does and how")
	}
	p.text(at+"/instructions", a.Instructions, maxInstructions)
	p.text(at+"/description", a.Description, maxDescription)
	p.text(at+"/model", a.Model, maxWord)
	p.text(at+"/provider", a.Provider, maxWord)
	p.persona(at+"/persona", a.Persona)
	p.tools(at+"/tools", a.Tools)
	p.check(at, bound{"maxSteps", &a.MaxSteps, s.Limits.WithDefaults().AgentSteps, 100})
	for i, name := range a.Delegates {
		switch path := fmt.Sprintf("%s/delegates/%d", at, i); {
		case name == a.Name:
			p.add(path, "an agent cannot delegate to itself", "name other members")
		case !s.member(name):
			p.add(path, "there is no agent "+tool.Quote(name), "name members that stand under agents")
		case slices.Contains(a.Delegates[:i], name):
			p.add(path, tool.Quote(name)+" is listed twice", "take it out")
		}
	}
}

func (s Spec) member(name string) bool {
	return slices.ContainsFunc(s.Agents, func(a Agent) bool { return a.Name == name })
}

func (p *Problems) emergent(e Emergent) {
	if e.Tier != "" && e.Tier.Rank() == 0 {
		p.add("/emergent/tier", "there is no tier "+tool.Quote(string(e.Tier)), "write session, agent or shared")
	}
	p.text("/emergent/planner/judgeModel", e.Planner.JudgeModel, maxWord)
	p.text("/emergent/planner/defaultModel", e.Planner.DefaultModel, maxWord)
	p.text("/emergent/planner/defaultProvider", e.Planner.DefaultProvider, maxWord)
	p.check("/emergent/planner", e.Planner.bounds()...)
}

func (p *Problems) approvals(s Spec) {
	p.period("/hitl", "timeout", s.HITL.Timeout, maxApproval)
	for i, name := range s.HITL.Approvals.BeforeAgent {
		if !s.member(name) {
			p.add(fmt.Sprintf("/hitl/approvals/beforeAgent/%d", i), "there is no agent "+tool.Quote(name), "name members that stand under agents")
		}
	}
}
