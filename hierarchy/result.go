package hierarchy

import (
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// Reason says why a run ended.
type Reason string

// The reasons. The text is stable.
const (
	Done       Reason = "stop"       // the manager has answered
	Steps      Reason = "tool-calls" // it has used all its turns, and would have gone on; Output is what it said last
	Cut        Reason = "length"     // its answer was cut at the limit of its model
	Refused    Reason = "refusal"    // its model would not answer
	OverBudget Reason = "over_quota" // calls, tokens or cost of the run are used up
	TimedOut   Reason = "timeout"    // its time is
	Canceled   Reason = "canceled"   // the caller went away
	Failed     Reason = "failed"     // the manager's model failed, or something that the host needs; the error says what
)

// Result is what a run came to. It belongs to the caller.
type Result struct {
	ID           string      `json:"id"` // a UUID; "" when the run did not begin
	Agency       string      `json:"agency"`
	Caller       tool.Caller `json:"caller"`
	Output       string      `json:"output"`
	Reason       Reason      `json:"reason"`
	Error        *tool.Error `json:"error,omitempty"`      // the one that Run returned
	Notes        []string    `json:"notes,omitempty"`      // what the operator should know: tools that are not there, an empty answer
	AgentCalls   []AgentCall `json:"agentCalls,omitempty"` // in the order in which they ended
	Spawns       []Spawn     `json:"spawns,omitempty"`     // refusals too
	Usage        Usage       `json:"usage"`                // of all agents, and of the judges of specialists and of forged tools
	ManagerUsage Usage       `json:"managerUsage"`         // of it, the manager's
	Transcript   []Turn      `json:"transcript,omitempty"` // in the order in which models replied
	StartedAt    tool.Time   `json:"startedAt"`
	DurationMs   float64     `json:"durationMs"`
}

// AgentCall is one task that a member or a specialist got.
type AgentCall struct {
	Agent      string      `json:"agent"`
	By         string      `json:"by"` // who delegated it
	Input      string      `json:"input"`
	Output     string      `json:"output"`
	Error      *tool.Error `json:"error,omitempty"` // why there is no answer
	ToolCalls  []Call      `json:"toolCalls"`       // names and outcomes; the transcript has the rest
	Usage      Usage       `json:"usage"`
	DurationMs float64     `json:"durationMs"`
	Emergent   bool        `json:"emergent,omitempty"`   // a specialist did it
	ApprovedBy string      `json:"approvedBy,omitempty"` // who approved the task, where the Spec wants that
}

// Spawn tells what became of the wish for a specialist.
type Spawn struct {
	AgentName     string `json:"agentName"`
	Instructions  string `json:"instructions"` // the text that runs, or that was refused
	Justification string `json:"justification,omitempty"`
	Approved      bool   `json:"approved"`
	ApprovedBy    string `json:"approvedBy,omitempty"` // who was asked to approve it, as Decision.By
	JudgedBy      string `json:"judgedBy,omitempty"`   // the judge: provider/model, or human:NAME
	Reasoning     string `json:"reasoning,omitempty"`  // the judge's
	Reason        string `json:"reason,omitempty"`     // why not
	Timestamp     int64  `json:"timestamp"`            // Unix epoch, milliseconds
}

// Usage counts tokens and what they cost.
type Usage struct {
	PromptTokens     int64   `json:"promptTokens"`
	CompletionTokens int64   `json:"completionTokens"`
	TotalTokens      int64   `json:"totalTokens"`
	CacheReadTokens  int64   `json:"cacheReadTokens,omitempty"` // the part of PromptTokens that the provider had kept
	CostUSD          float64 `json:"costUSD,omitempty"`         // where prices are configured
}

func (u Usage) plus(more Usage) Usage {
	return Usage{
		u.PromptTokens + more.PromptTokens, u.CompletionTokens + more.CompletionTokens, u.TotalTokens + more.TotalTokens,
		u.CacheReadTokens + more.CacheReadTokens, u.CostUSD + more.CostUSD,
	}
}

// usageOf is what a reply used.
func (a *Agency) usageOf(r model.Reply) Usage {
	u := r.Usage
	return Usage{u.InputTokens, u.OutputTokens, u.InputTokens + u.OutputTokens, u.CachedTokens, a.opt.Price(r)}
}

// judgeUsage is what a judge used.
func judgeUsage(s tool.Spent) Usage {
	return Usage{PromptTokens: s.InputTokens, CompletionTokens: s.OutputTokens, TotalTokens: s.InputTokens + s.OutputTokens, CostUSD: s.CostUSD}
}
