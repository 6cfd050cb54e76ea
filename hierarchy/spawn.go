package hierarchy

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

const spawnSchema = `{"type":"object","properties":{` +
	`"role":{"type":"string","description":"The name of the specialist: a letter, then letters, digits, _ or -, at most 52 in all."},` +
	`"instructions":{"type":"string","description":"What it does, how, and what it must not do. It sees nothing else but its tasks."},` +
	`"justification":{"type":"string","description":"Why no member of the team can do this."}},` +
	`"required":["role","instructions"%s],"additionalProperties":false}`

// spawns is the tool by which the manager asks for a specialist.
func (s *seat) spawns() offer {
	planner, also := s.run.agency.spec.Emergent.Planner, ""
	if planner.RequireJustification {
		also = `,"justification"`
	}
	spec := model.ToolSpec{
		Name: SpawnTool, Schema: json.RawMessage(fmt.Sprintf(spawnSchema, also)),
		Description: fmt.Sprintf("Asks for a specialist, for what no member of the team covers; at most %d join the team in a run. One that is approved "+
			"can be given tasks from the next turn on.", planner.MaxSpecialists),
	}
	return offer{spec, s.spawn}
}

// wish is a specialist on its way into the team.
type wish struct {
	Specialist
	by        string // who was asked to approve it, if anybody was
	judgedBy  string
	reasoning string  // of the judge
	member    *member // once it is admitted
}

// spawn lets a specialist join the team, or says why not. What becomes of the wish is written down and told before the answer.
func (s *seat) spawn(ctx context.Context, arguments json.RawMessage) answer {
	r := s.run
	r.spawning.Lock()
	defer r.spawning.Unlock()
	if ctx.Err() != nil {
		return failure(context.Cause(ctx))
	}
	asked, err := readSpecialist(arguments)
	w := &wish{Specialist: asked}
	if err == nil {
		err = s.admit(ctx, w)
	}
	if err := s.decided(ctx, w, err); err != nil {
		return failure(err)
	}
	r.spawned++
	r.roster.add(w.member)
	if r.agency.spec.Emergent.Tier == tool.AgentTier {
		r.agency.keep(r.caller, w.Specialist)
	}
	return answer{output: fmt.Sprintf("The specialist %s has joined the team. Call %s%s on your next turn.", w.Role, DelegatePrefix, w.Role)}
}

// admit makes all checks, in order. Those that cost a person's or a model's time come last.
func (s *seat) admit(ctx context.Context, w *wish) error {
	r, planner := s.run, s.run.agency.spec.Emergent.Planner
	switch {
	case r.spawned >= int(planner.MaxSpecialists):
		return refusal(tool.Limit, fmt.Sprintf("the maxSpecialists cap of %d is reached", planner.MaxSpecialists), "go on with the team that you have")
	case r.roster.size() >= int(r.agency.spec.Limits.MaxAgents):
		return refusal(tool.Limit, fmt.Sprintf("the maxAgents cap of %d is reached", r.agency.spec.Limits.MaxAgents), "go on with the team that you have")
	case planner.RequireJustification && blank(w.Justification):
		return refusal(tool.InvalidInput, "a justification is required", "say in justification why no member of the team can do this")
	}
	if there := r.roster.find(w.Role); there != nil {
		return exists(there.Name)
	}
	if err := r.log(ctx, tool.Actor{Caller: s.caller}, tool.SpawnRequested, map[string]string{"run": r.id, "agentName": cutText(w.Role, maxWord)}); err != nil {
		return err
	}
	if err := s.approved(ctx, w); err != nil {
		return err
	}
	var err error
	if w.member, err = r.forge(w.Specialist); err != nil {
		return err
	}
	if err := s.collides(ctx, w.Role); err != nil {
		return err
	}
	if err := s.reviewed(ctx, w); err != nil {
		return err
	}
	return s.shelved(ctx, w)
}

func refusal(code tool.Code, message, hint string) error {
	return &tool.Error{Code: code, Message: message, Hint: hint}
}

func exists(name string) error {
	return refusal(tool.Collision, fmt.Sprintf("an agent %s already exists", tool.Quote(name)),
		fmt.Sprintf("call %s%s, or choose another role", DelegatePrefix, name))
}

// approved asks a person, where the Spec or the tier wants one. What the person adds becomes part of the instructions.
func (s *seat) approved(ctx context.Context, w *wish) error {
	e, shared := s.run.agency.spec.Emergent, s.run.agency.spec.Emergent.Tier == tool.SharedTier
	if !shared && !s.run.agency.spec.HITL.Approvals.BeforeEmergent {
		return nil
	}
	d, err := s.run.askPerson(ctx, ApprovalRequest{
		Type: ApproveEmergent, Agent: s.who.Name, Action: SpawnTool + ":" + w.Role,
		Description: fmt.Sprintf("%s asks for the specialist %s, at the tier %s", s.who.Name, tool.Quote(w.Role), e.Tier),
		Details:     map[string]string{"role": w.Role, "instructions": w.Instructions, "justification": w.Justification},
		Tools:       s.run.agency.spec.Tools, Members: s.run.roster.names(),
	})
	w.by = d.By
	if err != nil {
		return err
	}
	if shared && tool.CheckPersonName(d.By) != nil {
		return notApproved("a specialist of the shared tier needs the name of the person who approves it")
	}
	w.Instructions = withAdvice(w.Instructions, d.Instructions)
	return nil
}

// collides looks at the tools that agents have besides those that delegate: models do not tell names apart that are much alike.
func (s *seat) collides(ctx context.Context, role string) error {
	offered, err := s.offers(ctx)
	if err != nil {
		return err
	}
	if offers(offered, role) || offers(offered, DelegatePrefix+role) {
		return forgeRejected(tool.Collision, "/role", "the role "+tool.Quote(role)+" is the name of a tool, or much like it", "choose another role")
	}
	return nil
}

// reviewed asks the judge, who sees the text that will run.
func (s *seat) reviewed(ctx context.Context, w *wish) error {
	r := s.run
	e := r.agency.spec.Emergent
	if !e.Judged() {
		return nil
	}
	if r.judged >= int(e.Planner.MaxJudgeCalls) {
		return refusal(tool.Limit, fmt.Sprintf("the maxJudgeCalls cap of %d is reached", e.Planner.MaxJudgeCalls), "go on with the team that you have")
	}
	if r.agency.opt.Judge == nil {
		return judgeRejected(judge.AgentVerdict{Unheard: true, Reason: "there is no judge"})
	}
	if err := r.budget.ask(); err != nil {
		return err
	}
	r.judged++
	v := r.agency.opt.Judge.ReviewAgent(ctx, tool.Actor{Caller: s.caller}, judge.Agent{
		Role: w.Role, Instructions: w.member.Instructions, Justification: w.Justification, Tools: r.agency.spec.Tools, Members: r.roster.names(),
	})
	w.judgedBy, w.reasoning = cutText(v.JudgeModel, maxWord), cutText(v.Reason, maxReason)
	r.budget.add(judgeUsage(v.Spent))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !v.Approved {
		return judgeRejected(v)
	}
	return nil
}

func judgeRejected(v judge.AgentVerdict) error {
	reason := cutText(v.Reason, maxReason)
	if v.Unheard {
		return refusal(tool.Rejected, "Judge rejected: the judge could not be asked: "+reason, "go on with the team that you have: nothing is wrong with the wish")
	}
	return refusal(tool.Rejected, "Judge rejected: "+reason, "mend what the judge names, or go on with the team that you have")
}

// shelved stores a specialist of the shared tier.
func (s *seat) shelved(ctx context.Context, w *wish) error {
	if s.run.agency.spec.Emergent.Tier != tool.SharedTier {
		return nil
	}
	if _, err := s.run.agency.opt.Shelf.Save(ctx, tool.Actor{Caller: s.caller, Name: w.by}, s.run.agency.spec.Name, w.Specialist); err != nil {
		return tool.AsError(err)
	}
	return nil
}

// spawnEntry is what the audit log tells of a wish.
type spawnEntry struct {
	Run string `json:"run"`
	Spawn
}

// decided writes down and tells what became of a wish. A specialist that cannot be written down does not exist.
func (s *seat) decided(ctx context.Context, w *wish, refused error) error {
	r := s.run
	event := tool.Spawned
	if refused != nil {
		event = tool.SpawnRejected
	}
	told := w.told(r.agency.opt.Now().UnixMilli(), refused)
	if err := r.log(context.WithoutCancel(ctx), tool.Actor{Caller: s.caller}, event, spawnEntry{r.id, told}); err != nil && refused == nil {
		refused = err
		told = w.told(told.Timestamp, refused)
	}
	r.recordSpawn(told)
	e := Event{Kind: SpawnDecided, Spawn: &told}
	if refused != nil {
		e.Error = tool.AsError(refused)
	}
	s.emit(e)
	return refused
}

// recordSpawn keeps what became of a wish; the texts of those that joined always.
func (r *run) recordSpawn(s Spawn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if most := r.room(maxReason); !s.Approved && most < maxReason {
		s.Instructions, s.Justification = cutText(s.Instructions, most), cutText(s.Justification, most)
	}
	r.spawns = append(r.spawns, s)
}

// told is the wish as records have it.
func (w *wish) told(at int64, refused error) Spawn {
	s := Spawn{
		AgentName: w.Role, Instructions: w.Instructions, Justification: cutText(w.Justification, maxReason), Approved: refused == nil,
		ApprovedBy: w.by, JudgedBy: w.judgedBy, Reasoning: w.reasoning, Timestamp: at,
	}
	if refused != nil {
		s.AgentName, s.Instructions, s.Reason = cutText(w.Role, maxWord), cutText(w.Instructions, maxReason), tool.AsError(refused).Message
	}
	return s
}
