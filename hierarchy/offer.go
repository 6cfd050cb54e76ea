package hierarchy

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// offer is a tool that an agent may call in a turn.
type offer struct {
	spec model.ToolSpec
	do   func(ctx context.Context, arguments json.RawMessage) answer
}

const (
	maxOffers     = 128       // that providers take
	maxOfferBytes = 512 << 10 // of descriptions and schemas; tools beyond it are not offered
)

// offers are the tools of an agent now: those that delegate and spawn, and below them those of the host. They are gathered
// before every turn, because a team grows and tools are forged meanwhile.
func (s *seat) offers(ctx context.Context) (list []offer, err error) {
	for _, m := range s.mayAsk() {
		list = append(list, s.delegateTo(m))
	}
	if s.manages() && s.run.agency.spec.Emergent.Enabled {
		list = append(list, s.spawns())
	}
	names := slices.Concat(s.run.agency.spec.Tools, s.who.Tools)
	if len(names) == 0 {
		return list, nil
	}
	specs, err := s.run.agency.opt.Tools(ctx, s.caller, names)
	if err != nil {
		return nil, tool.AsError(err)
	}
	bytes := 0
	for _, spec := range specs {
		size := len(spec.Description) + len(spec.Schema)
		if len(list) < maxOffers && bytes+size <= maxOfferBytes && callable.MatchString(spec.Name) && !offers(list, spec.Name) {
			list, bytes = append(list, s.hostTool(spec)), bytes+size
		}
	}
	return list, nil
}

// callable is what providers take for the name of a tool.
var callable = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func offers(list []offer, name string) bool {
	return slices.ContainsFunc(list, func(o offer) bool { return tool.FoldName(o.spec.Name) == tool.FoldName(name) })
}

// mayAsk are the members that this agent may delegate to: for the manager all; for a member those that it names. Nobody who
// works on the task already is among them.
func (s *seat) mayAsk() (list []*member) {
	if len(s.chain) >= int(s.run.agency.spec.Limits.MaxDepth) {
		return nil
	}
	for _, m := range s.run.roster.all() {
		if (s.manages() || slices.Contains(s.who.Delegates, m.Name)) && !slices.Contains(s.chain, m.Name) {
			list = append(list, m)
		}
	}
	return list
}

// hostTool is a tool of the host. The host checks the arguments, and what the caller may.
func (s *seat) hostTool(spec model.ToolSpec) offer {
	return offer{spec, func(ctx context.Context, arguments json.RawMessage) answer {
		out, spent, err := s.run.agency.opt.Call(ctx, s.caller, spec.Name, arguments)
		s.run.budget.add(judgeUsage(spent))
		if err != nil {
			return failure(err)
		}
		return returned(out)
	}}
}
