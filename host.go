package toolsmith

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/builtin"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/search"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// Host is a place where tools are forged and called.
type Host struct {
	opt      Options
	box      *runtime.Sandbox // nil when it is another's
	tools    *runtime.Host
	shelf    *tiers.Shelf
	forge    *forge.Forge
	promoter *forge.Promoter
	meter    *model.Meter
	life     lifetime
	self     self
	stats    forge.Stats
	quotas   quotas

	loading sync.Mutex
	loaded  bool      // what is stored was looked over with the tools that there are now
	putOff  time.Time // until when it is not tried again, where nothing can be written
	open    atomic.Bool
}

// Open opens a host in a data directory, which is made when it is not there; "" or config.Memory keeps nothing beyond
// Close. Several processes may have a directory open (see tiers.OpenStore); what one changes the others see. The context is
// that of opening.
func Open(ctx context.Context, dir string, opt Options) (_ *Host, err error) {
	opt = opt.withDefaults()
	if err := opt.Config.Validate(); err != nil {
		return nil, err
	}
	h := &Host{opt: opt}
	defer func() { //nolint:contextcheck,nolintlint // closing is not bound to the context of opening; seen only in some runs
		if err != nil {
			err = errors.Join(err, h.Close())
		}
	}()
	if h.shelf, err = h.openShelf(ctx, dir); err != nil {
		return nil, err
	}
	box := opt.Sandbox
	if box == nil {
		if opt.Engine.Engine.Started == nil {
			opt.Engine.Engine.Started = opt.Observer.Started
		}
		if h.box, err = runtime.OpenSandbox(ctx, opt.Engine); err != nil {
			return nil, err
		}
		box = h.box
	}
	if h.tools, err = runtime.NewHost(box, h.hostOptions()); err != nil {
		return nil, err
	}
	if h.meter, err = model.NewMeter(h.meterOptions()); err != nil {
		return nil, err
	}
	if err := h.openSelf(); err != nil {
		return nil, err
	}
	if err := h.registerAll(); err != nil {
		return nil, err
	}
	reviewer := opt.Judge
	if reviewer == nil {
		if reviewer, err = h.modelJudge(); err != nil {
			return nil, err
		}
	}
	h.forge = forge.New(h.tools, reviewer, h.shelf, h.forgeOptions())
	h.promoter = forge.NewPromoter(reviewer, h.shelf, forge.PromoterOptions{SharedByPanel: !opt.Config.EmergentConfig.RequireHumanForShared}) //nolint:contextcheck,nolintlint // it works until Close
	h.open.Store(true)
	return h, nil
}

// Close waits for what runs, and writes what is not written yet. Afterwards everything is Unavailable; closing again does
// nothing.
func (h *Host) Close() error {
	if !h.life.end() {
		return nil
	}
	var failed error
	if h.promoter != nil {
		h.promoter.Close()
	}
	if h.box != nil {
		failed = h.box.Close()
	}
	if h.shelf != nil {
		failed = errors.Join(failed, h.shelf.Close())
	}
	return failed
}

func (h *Host) openShelf(ctx context.Context, dir string) (*tiers.Shelf, error) {
	storeKey, err := tiers.ParseStoreKey(h.opt.Getenv(StoreKeyEnv))
	if err != nil {
		return nil, err
	}
	opt := tiers.Options{
		Rules: h.rules(), Source: tiers.SourceAtRest(h.opt.Config.SourceAtRest), Watch: h.changed, Lost: h.lost, Now: h.opt.Now, Random: h.opt.Random,
		Appended: h.opt.Observer.Appended,
		Reserved: func(name string) bool { return h.tools.Reserved(name) },
	}
	if text := h.opt.Getenv(SourceKeyEnv); text != "" {
		if opt.SourceKey, err = tiers.ParseSourceKey(text); err != nil {
			return nil, err
		}
	}
	if dir == config.Memory {
		dir = ""
	}
	return tiers.Open(ctx, dir, tiers.StoreOptions{EncryptionKey: storeKey, Logger: h.opt.Logger}, opt)
}

// changed is told of every audit entry, those of other processes too. Before the host is open nothing is kept that could be stale.
func (h *Host) changed(e tool.AuditEvent) {
	if h.open.Load() {
		h.forget(e)
	}
	h.opt.OnAudit(e)
}

// forget makes calls look anew at what an audit entry tells of.
func (h *Host) forget(e tool.AuditEvent) {
	if e.ToolID != "" && e.EventType != tool.Used || e.EventType == tool.TenantDeleting {
		h.tools.Changed(e.Tenant)
	}
	if e.EventType == tool.QuotaChanged {
		h.quotaChanged()
	}
}

// lost makes calls look anew at everything.
func (h *Host) lost() {
	if h.open.Load() {
		h.tools.ChangedAll()
		h.quotaChanged()
	}
	h.opt.OnLost()
}

func (h *Host) rules() tiers.Rules {
	c := h.opt.Config.EmergentConfig
	return tiers.Rules{
		MaxSessionTools: c.MaxSessionTools, MaxAgentTools: c.MaxAgentTools, MinUses: c.PromotionThreshold.Uses,
		MinConfidence: c.PromotionThreshold.Confidence, MinSuccessRate: c.PromotionThreshold.SuccessRate, MinPanel: c.MinPromotionConfidence,
		SharedByPanel: !c.RequireHumanForShared, MaxFailuresInARow: c.MaxFailuresInARow, SessionIdle: time.Duration(c.SessionIdleHours) * time.Hour,
		StaleAfter: time.Duration(c.StaleAfterDays) * 24 * time.Hour, DemoteStale: c.DemoteStale,
		DemoteBelowSuccessRate: c.DemoteBelowSuccessRate, DemoteAfterUses: c.DemoteAfterUses,
		MaxForgeAttempts: c.MaxForgeAttemptsPerSession, MaxSessionTokens: c.MaxJudgeTokensPerSession,
		Tenant: h.opt.Config.Quotas.Tenant.Quota(), Persona: h.opt.Config.Quotas.Persona.Quota(),
	}
}

func (h *Host) hostOptions() runtime.HostOptions {
	c := h.opt.Config
	return runtime.HostOptions{
		Shelf: h.shelf, Policy: h.policies(), Permit: h.permits, Used: h.used, Observe: h.opt.Observer.Call,
		Limits: c.CallLimits(), SessionLimits: c.SessionLimits(), MaxSteps: c.EmergentConfig.MaxStepsPerTool,
		Admission: runtime.Admission{Running: c.Quotas.RunningCalls, Waiting: c.Quotas.WaitingCalls, Wait: time.Duration(c.Quotas.Wait)},
		Quota:     h.quota, PersonaQuota: c.Quotas.Persona.Quota(), SessionCallsPerMinute: c.EmergentConfig.MaxCallsPerMinute,
		Warn: h.quotaNearlyUsed, Now: h.opt.Now,
	}
}

// used is told of the calls of forged tools that succeeded. Where a person judges, tools rise only when somebody asks for it:
// who is named by judge.HumanOptions.ApproveAs has not seen what the host would bring before a panel by itself.
func (h *Host) used(c tool.Caller, id string) {
	if _, person := h.opt.Judge.(*judge.Human); !person {
		h.promoter.Notice(c, id)
	}
}

func (h *Host) forgeOptions() forge.Options {
	c := h.opt.Config.EmergentConfig
	return forge.Options{
		Enabled: h.opt.Config.Enabled(), AllowSandbox: c.AllowSandboxTools, MinTestCases: c.MinTestCases, KeepFailing: !c.RequirePassingTests,
		AllowDuplicates: c.AllowDuplicates, DuplicateThreshold: c.DuplicateThreshold,
		Watch: h.forged, Now: h.opt.Now, Random: h.opt.Random,
	}
}

// forged is told what becomes of requests.
func (h *Host) forged(e forge.Event) {
	h.stats.Record(e)
	h.opt.OnForge(e)
}

// Load is how busy the host is now.
func (h *Host) Load() runtime.Load { return h.tools.Load() }

// ForgeStats counts what became of the requests since the host was opened, of all callers.
func (h *Host) ForgeStats() forge.Counts { return h.stats.Snapshot() }

// registerAll registers the built-in tools and those that came with the options.
func (h *Host) registerAll() error {
	writer, err := h.model(config.ManagerModel)
	if err != nil {
		return err
	}
	for _, t := range slices.Concat(builtin.All(writer, h.prepare), h.selfTools(), h.opt.Tools) {
		if err := h.tools.Register(t); err != nil {
			return err
		}
	}
	return nil
}

// Register adds a tool of the program's own, for all callers. Composed tools that wait for it can be called from then on.
func (h *Host) Register(t runtime.Tool) error {
	leave, err := h.life.enter()
	if err != nil {
		return err
	}
	defer leave()
	h.loading.Lock()
	defer h.loading.Unlock()
	h.loaded = false
	return h.tools.Register(t)
}

// load looks over what is stored, once all tools of the program are there: before the first use of any. Where everything can be read
// and nothing written, as on a full disk, that is put off.
func (h *Host) load(ctx context.Context) error {
	const pause = 10 * time.Second
	h.loading.Lock()
	defer h.loading.Unlock()
	if h.loaded || !h.putOff.IsZero() && h.opt.Now().Before(h.putOff) {
		return nil
	}
	err := h.shelf.Load(ctx, h.tools.Has)
	h.loaded = err == nil
	if err != nil && h.readOnly(ctx) {
		h.putOff = h.opt.Now().Add(pause)
		return nil
	}
	return err
}

func (h *Host) readOnly(ctx context.Context) bool {
	if h.shelf.Writable(ctx) == nil {
		return false
	}
	_, err := h.shelf.Tenants(ctx)
	return err == nil
}

// Forge takes a request, in JSON as models write it, through all gates, and registers the tool for the caller's session. The
// result is never nil: with an error it says what each stage found.
func (h *Host) Forge(ctx context.Context, c tool.Caller, request []byte) (*forge.Result, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return &forge.Result{}, err
	}
	defer leave()
	return h.observed(ctx, c, func(ctx context.Context) (*forge.Result, error) {
		return h.forge.Forge(ctx, tool.Actor{Caller: c}, request)
	})
}

// Call calls a tool by name with JSON. The result is never nil.
func (h *Host) Call(ctx context.Context, c tool.Caller, name string, input json.RawMessage) (*runtime.CallResult, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return &runtime.CallResult{}, err
	}
	defer leave()
	result, err := h.tools.Call(ctx, c, name, input)
	if err == nil && result.Tool.ID == "" { // calls of forged tools are counted, and their sessions with them
		_ = h.shelf.Touch(context.WithoutCancel(ctx), c) // that a session is in use is nothing that a call fails for
	}
	return result, err
}

// Tools returns what a caller may call, by name.
func (h *Host) Tools(ctx context.Context, c tool.Caller) ([]runtime.Face, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return h.tools.Tools(ctx, c)
}

// Search returns the tools that a caller may call and that fit a query best, at most limit of them; 0 is 10.
func (h *Host) Search(ctx context.Context, c tool.Caller, query string, limit int) ([]runtime.Hit, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return h.tools.Search(ctx, c, query, limit)
}

// Duplicates returns pairs of a tenant's forged tools that are at least so much alike, 0 to 1, the most alike first.
func (h *Host) Duplicates(ctx context.Context, tenant string, least float64) ([]runtime.Pair, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return h.tools.Duplicates(ctx, tenant, least)
}

// Capabilities describes the promoted tools that a caller may call, for an index of capabilities elsewhere.
func (h *Host) Capabilities(ctx context.Context, c tool.Caller) ([]search.Descriptor, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return h.tools.Capabilities(ctx, c)
}

// Promote lets a tool rise by one tier because a person says so. For the shared tier the judge's panel is asked first, and
// has to agree; its verdict comes back when there is one.
func (h *Host) Promote(ctx context.Context, by tool.Actor, id string, to tool.Tier, approvedBy string) (*tool.Record, *tool.PromotionVerdict, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer leave()
	return h.promoter.Raise(ctx, by, id, to, approvedBy)
}

// Shelf is where the forged tools of all tenants are kept, with their versions, sessions and the audit log.
func (h *Host) Shelf(ctx context.Context) (*tiers.Shelf, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return h.shelf, err
	}
	leave()
	return h.shelf, nil
}
