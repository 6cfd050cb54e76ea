package toolsmith

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"example.com/toolsmith/hierarchy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// AgencyRun is what is kept of a run of an agency. Its texts may be shortened.
type AgencyRun struct {
	ID      string            `json:"id"`
	Agency  string            `json:"agency"`
	Caller  tool.Caller       `json:"caller"` // of the manager
	Prompt  string            `json:"prompt"`
	BegunAt tool.Time         `json:"begunAt"`
	Result  *hierarchy.Result `json:"result,omitempty"` // nil while the run goes on, and when its host was killed
}

// maxRuns is how many runs are kept of a persona; the oldest go first.
const maxRuns = 200

func runRef(tenant, persona, id string) tool.DocumentRef {
	return tool.DocumentRef{Kind: tool.AgencyRuns, Tenant: tenant, Persona: persona, ID: id}
}

// agencyBegun is the data of the audit entry of a run that begins.
type agencyBegun struct {
	Run    string `json:"run"`
	Agency string `json:"agency"`
	Prompt int    `json:"prompt"` // bytes
}

// agencyEnded is the data of the audit entry of one that has ended.
type agencyEnded struct {
	Run        string           `json:"run"`
	Agency     string           `json:"agency"`
	Reason     hierarchy.Reason `json:"reason"`
	Code       tool.Code        `json:"code,omitempty"`
	AgentCalls int              `json:"agentCalls"`
	Spawned    int              `json:"spawned"`
	Tokens     int64            `json:"tokens"`
	CostUSD    float64          `json:"costUSD"`
	DurationMs float64          `json:"durationMs"`
}

// begin keeps that a run begins, before anything is done.
func (a *Agency) begin(ctx context.Context, id string, c tool.Caller, prompt string) error {
	h, name := a.host, a.team.Spec().Name
	if err := h.dropRuns(ctx, c); err != nil {
		return err
	}
	run := AgencyRun{ID: id, Agency: name, Caller: c, Prompt: shortened(prompt), BegunAt: tool.At(h.opt.Now())}
	return h.keepRun(ctx, run, tool.DocumentEvent{Type: tool.AgencyBegun, Data: agencyBegun{id, name, len(prompt)}})
}

// endRun keeps what a run came to.
func (h *Host) endRun(ctx context.Context, r *hierarchy.Result) error {
	run, err := h.AgencyRun(ctx, r.Caller.Tenant, r.Caller.Persona, r.ID)
	if err != nil {
		return err
	}
	run.Result = fitted(r)
	ended := agencyEnded{
		Run: r.ID, Agency: r.Agency, Reason: r.Reason, AgentCalls: len(r.AgentCalls), Tokens: r.Usage.TotalTokens, CostUSD: r.Usage.CostUSD,
		DurationMs: r.DurationMs,
	}
	if r.Error != nil {
		ended.Code = r.Error.Code
	}
	for _, s := range r.Spawns {
		if s.Approved {
			ended.Spawned++
		}
	}
	return h.keepRun(ctx, *run, tool.DocumentEvent{Type: tool.AgencyEnded, Data: ended})
}

func (h *Host) keepRun(ctx context.Context, run AgencyRun, event tool.DocumentEvent) error {
	text, err := json.Marshal(run)
	if err != nil {
		return tool.AsError(err)
	}
	at := runRef(run.Caller.Tenant, run.Caller.Persona, run.ID)
	return h.shelf.EditDocument(ctx, tool.Actor{Caller: run.Caller}, at, func([]byte) (tool.DocumentChange, error) {
		return tool.DocumentChange{Value: text, Events: []tool.DocumentEvent{event}}, nil
	})
}

// fitted is a result that can be kept: as long as it is too large, it loses the older half of its transcript, and without one
// its agent calls.
func fitted(r *hierarchy.Result) *hierarchy.Result {
	const room = tiers.MaxDocumentBytes - 64<<10 // for the prompt and the rest of the run
	short := *r
	short.Output = shortened(r.Output)
	for {
		text, err := json.Marshal(short)
		switch {
		case err == nil && len(text) <= room:
			return &short
		case len(short.Transcript) > 0:
			short.Transcript = short.Transcript[(len(short.Transcript)+1)/2:]
		case len(short.AgentCalls) > 0:
			short.AgentCalls = short.AgentCalls[(len(short.AgentCalls)+1)/2:]
		default:
			short.Spawns = nil
			return &short
		}
	}
}

// shortened cuts a text that is kept once more elsewhere, or by whoever ran the agency.
func shortened(text string) string {
	const most = 32 << 10
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// AgencyRuns returns the runs that are kept of a persona, the oldest first, without what they did.
func (h *Host) AgencyRuns(ctx context.Context, tenant, persona string) (list []AgencyRun, err error) {
	err = h.shelf.Documents(ctx, runRef(tenant, persona, ""), func(_ string, text []byte) (bool, error) {
		var run AgencyRun
		if err := json.Unmarshal(text, &run); err != nil {
			return false, tool.Errorf(tool.Internal, "a run cannot be read: %w", err)
		}
		if r := run.Result; r != nil {
			r.Transcript, r.AgentCalls, r.Spawns = nil, nil, nil
		}
		list = append(list, run)
		return true, nil
	})
	slices.SortStableFunc(list, func(a, b AgencyRun) int { return a.BegunAt.Compare(b.BegunAt.Time) })
	return list, err
}

// AgencyRun returns one run. The error is NotFound when it is not kept.
func (h *Host) AgencyRun(ctx context.Context, tenant, persona, id string) (*AgencyRun, error) {
	text, err := h.shelf.Document(ctx, runRef(tenant, persona, id))
	if err == nil && text == nil {
		err = &tool.Error{Code: tool.NotFound, Message: "there is no run " + tool.Quote(id), Hint: "list those that there are"}
	}
	if err != nil {
		return nil, err
	}
	var run AgencyRun
	if err := json.Unmarshal(text, &run); err != nil {
		return nil, tool.Errorf(tool.Internal, "the run %s cannot be read: %w", tool.Quote(id), err)
	}
	return &run, nil
}

// dropRuns makes room for one more.
func (h *Host) dropRuns(ctx context.Context, c tool.Caller) error {
	list, err := h.AgencyRuns(ctx, c.Tenant, c.Persona)
	for ; err == nil && len(list) >= maxRuns; list = list[1:] {
		err = h.shelf.EditDocument(ctx, tool.Actor{Caller: c}, runRef(c.Tenant, c.Persona, list[0].ID), func([]byte) (tool.DocumentChange, error) {
			return tool.DocumentChange{}, nil
		})
	}
	return err
}

// drawn is 48 random bits, in hexadecimal digits.
func drawn(random io.Reader) (string, error) {
	var bits [6]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		return "", tool.Errorf(tool.Internal, "the host has no random numbers: %w", err)
	}
	return hex.EncodeToString(bits[:]), nil
}
