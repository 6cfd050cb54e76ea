package forge

import (
	"context"
	"slices"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// Panel reviews a tool that is to rise. Whatever goes wrong is a verdict that does not approve; the error is the context's
// end.
type Panel interface {
	Panel(ctx context.Context, by tool.Actor, r *tool.Record, whole tool.Implementation) (tool.PromotionVerdict, error)
}

// Ladder is what promotion needs of where tools are kept.
type Ladder interface {
	Purse
	Due(ctx context.Context, tenant, id string) (due bool, why string, err error)
	Get(ctx context.Context, tenant, id string) (*tool.Record, error)
	Implementation(ctx context.Context, tenant, id string) (tool.Implementation, error)
	NotBarred(ctx context.Context, c tool.Caller, sourceHash string) error
	Promote(ctx context.Context, by tool.Actor, id string, p tool.Promotion) (*tool.Record, error)
	RejectPromotion(ctx context.Context, by tool.Actor, id string, verdict tool.PromotionVerdict) (*tool.Record, error)
	Log(ctx context.Context, by tool.Actor, toolID string, kind tool.EventType, data any) error
}

// Promoter lets tools rise that have proved themselves: by itself to the agent tier, in the background, and when somebody
// asks.
type Promoter struct {
	panel  Panel
	ladder Ladder
	opt    PromoterOptions

	mu      sync.Mutex
	waiting []notice
	queued  map[notice]bool
	wake    chan struct{}
	quit    context.CancelFunc
	done    chan struct{}
}

// notice is a tool that was used, and by whom.
type notice struct {
	tool.Caller
	id string
}

// maxNotices bounds the tools that wait for a look. One that finds no room is looked at after a later use.
const maxNotices = 1000

// noticeDelay is how long notices are gathered.
const noticeDelay = 100 * time.Millisecond

// promoterName is who acts when nobody asked.
const promoterName = "promoter"

// PromoterOptions say how tools rise.
type PromoterOptions struct {
	SharedByPanel bool // the panel alone can bring a tool to the shared tier, as the ladder has it
}

// NewPromoter starts a promoter. The caller closes it.
func NewPromoter(panel Panel, ladder Ladder, opt PromoterOptions) *Promoter {
	ctx, quit := context.WithCancel(context.Background())
	p := &Promoter{panel: panel, ladder: ladder, opt: opt, queued: map[notice]bool{}, wake: make(chan struct{}, 1), quit: quit, done: make(chan struct{})}
	go p.work(ctx)
	return p
}

// Close ends the promoter; a panel that is under way is given up.
func (p *Promoter) Close() {
	p.quit()
	<-p.done
}

// Notice says that a tool was used with success. It does not wait.
func (p *Promoter) Notice(c tool.Caller, id string) {
	n := notice{c, id}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.queued[n] || len(p.waiting) >= maxNotices {
		return
	}
	p.queued[n] = true
	p.waiting = append(p.waiting, n)
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *Promoter) work(ctx context.Context) {
	defer close(p.done)
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		select { // what is used often is looked at now and then, not each time
		case <-ctx.Done():
			return
		case <-time.After(noticeDelay):
		}
		for n, ok := p.next(); ok && ctx.Err() == nil; n, ok = p.next() {
			by := tool.Actor{Caller: n.Caller, Name: promoterName}
			_, _, err := p.Check(ctx, by, n.id)
			if err != nil && ctx.Err() == nil {
				e := tool.AsError(err)
				_ = p.ladder.Log(ctx, by, n.id, tool.PromotionFailed, map[string]any{"code": e.Code, "reason": cut(e.Message)}) // nobody waits for it
			}
		}
	}
}

func (p *Promoter) next() (n notice, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) == 0 {
		return n, false
	}
	n = p.waiting[0]
	p.waiting = p.waiting[1:]
	delete(p.queued, n)
	return n, true
}

// Check has the panel look at a tool of the session tier, if that is due, and promotes it to the agent tier when the panel
// approves. Without a verdict the tool was not due.
func (p *Promoter) Check(ctx context.Context, by tool.Actor, id string) (*tool.Record, *tool.PromotionVerdict, error) {
	due, _, err := p.ladder.Due(ctx, by.Tenant, id)
	if err != nil || !due {
		return nil, nil, err
	}
	r, err := p.ladder.Get(ctx, by.Tenant, id)
	if err != nil || !measuredDeterministic(r) {
		return nil, nil, err
	}
	verdict, err := p.ask(ctx, by, r)
	if err != nil {
		return nil, nil, err
	}
	if !verdict.Approved {
		r, err = p.ladder.RejectPromotion(ctx, by, id, verdict)
		return r, &verdict, err
	}
	r, err = p.ladder.Promote(ctx, by, id, tool.Promotion{To: tool.AgentTier, Verdict: &verdict})
	return r, &verdict, err
}

// measuredDeterministic reports whether the latest review found a tool deterministic. Others rise only when a person says
// so.
func measuredDeterministic(r *tool.Record) bool {
	for _, v := range slices.Backward(r.JudgeVerdicts) {
		if v.Creation != nil {
			const unlikely = 0.5
			return v.Creation.Determinism > unlikely
		}
	}
	return false
}

// Raise promotes a tool because a person says so. For the shared tier the panel is asked first, and has to agree.
func (p *Promoter) Raise(ctx context.Context, by tool.Actor, id string, to tool.Tier, approvedBy string) (*tool.Record, *tool.PromotionVerdict, error) {
	r, err := p.ladder.Get(ctx, by.Tenant, id)
	if err != nil {
		return nil, nil, err
	}
	if approvedBy != "" {
		if err := tool.CheckPersonName(approvedBy); err != nil { // before anybody is asked
			return nil, nil, err
		}
	}
	ask := tool.Promotion{To: to, ApprovedBy: approvedBy, SourceHash: r.SourceHash}
	needsPanel := to == tool.SharedTier && r.Tier == tool.AgentTier && r.Callable() == nil
	if needsPanel {
		if err := p.ladder.NotBarred(ctx, tool.Caller{Tenant: by.Tenant, Persona: r.PersonaID}, r.SourceHash); err != nil {
			return nil, nil, err
		}
	}
	if needsPanel && (approvedBy != "" || p.opt.SharedByPanel) && !tool.SamePerson(approvedBy, r.CreatedBy) { // else it is refused anyway
		verdict, err := p.ask(ctx, by, r)
		if err != nil {
			return nil, nil, err
		}
		if !verdict.Approved {
			if _, err := p.ladder.RejectPromotion(ctx, by, id, verdict); err != nil {
				return nil, &verdict, err
			}
			return nil, &verdict, &tool.Error{Code: tool.Rejected, Message: "Promotion panel rejected the tool: " + reasons(verdict), Hint: "forge a next version that mends it"}
		}
		ask.Verdict = &verdict
	}
	r, err = p.ladder.Promote(ctx, by, id, ask)
	return r, ask.Verdict, err
}

func reasons(v tool.PromotionVerdict) string {
	text := ""
	for _, review := range []struct {
		who string
		tool.Review
	}{{"safety auditor", v.SafetyAuditor}, {"correctness reviewer", v.CorrectnessReviewer}} {
		if !review.Approved {
			if text != "" {
				text += "; "
			}
			text += review.who + ": " + review.Reasoning
		}
	}
	return text
}

// ask has the panel look at a tool, and books what that costs.
func (p *Promoter) ask(ctx context.Context, by tool.Actor, r *tool.Record) (verdict tool.PromotionVerdict, err error) {
	whole, err := p.ladder.Implementation(ctx, by.Tenant, r.ID)
	if err != nil {
		return verdict, err
	}
	err = pay(ctx, p.ladder, by, r.Name, p.panelTakes(r, whole), func() (tool.Spent, error) {
		verdict, err = p.panel.Panel(ctx, by, r, whole)
		return verdict.Spent, err
	})
	return verdict, err
}

// panelTakes is about what the panel will take.
func (p *Promoter) panelTakes(r *tool.Record, whole tool.Implementation) tool.Spent {
	if e, ok := p.panel.(Estimator); ok {
		return e.PanelTakes(r, whole)
	}
	return tool.Spent{}
}
