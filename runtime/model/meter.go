package model

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// MeterOptions say what may be spent; the zero value counts and applies the default caps.
type MeterOptions struct {
	Caps   map[string]Cap // by label
	Other  Cap            // for labels that Caps does not name
	Prices Prices
	// Observe is told that a call is made under a label; the call gets the context that it returns, and the function is called
	// with how it ended. nil is told nothing.
	Observe func(ctx context.Context, label string) (context.Context, func(Reply, error))
	Now     func() time.Time // nil means time.Now
}

// Cap bounds what a label may spend in a span of time. It is looked at before a call: calls that run already are let end,
// so that they may go beyond it by what they take.
type Cap struct {
	Calls  int64         // 0 means 10,000
	Tokens int64         // input and output; 0 means 50 million
	Cost   float64       // US dollars, counted where there are Prices; 0 means 100
	Per    time.Duration // from the first call on, then again; 0 means 24 hours
}

func (c Cap) withDefaults() Cap {
	if c.Calls == 0 {
		c.Calls = 10_000
	}
	if c.Tokens == 0 {
		c.Tokens = 50_000_000
	}
	if c.Cost == 0 {
		c.Cost = 100
	}
	if c.Per == 0 {
		c.Per = 24 * time.Hour
	}
	return c
}

// Spent is what a label has used.
type Spent struct {
	Calls    int64   `json:"calls"`
	Failures int64   `json:"failures"` // of Calls
	Refused  int64   `json:"refused"`  // not made, for a cap
	Usage    Usage   `json:"usage"`
	Cost     float64 `json:"cost"` // US dollars; 0 without Prices
}

// Meter counts what models are asked, by label: a purpose, or a tenant and a purpose. It keeps every label it has met, so
// take labels from the configuration and not from agents.
type Meter struct {
	opt    MeterOptions
	mu     sync.Mutex
	labels map[string]*account
}

// account is one label's book.
type account struct {
	spent Spent     // ever
	base  Spent     // of it, before since
	since time.Time // when the span that the cap counts in began
}

// NewMeter makes a meter. The error is InvalidRequest, for a cap below zero or a cap on cost without prices.
func NewMeter(opt MeterOptions) (*Meter, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	caps := map[string]Cap{}
	for label, c := range opt.Caps {
		if err := c.check(opt.Prices); err != nil {
			return nil, err
		}
		caps[label] = c.withDefaults()
	}
	if err := errors.Join(opt.Other.check(opt.Prices), opt.Prices.check()); err != nil {
		return nil, tool.AsError(err)
	}
	opt.Caps, opt.Other, opt.Prices = caps, opt.Other.withDefaults(), maps.Clone(opt.Prices)
	return &Meter{opt: opt, labels: map[string]*account{}}, nil
}

func (c Cap) check(prices Prices) error {
	switch {
	case c.Calls < 0, c.Tokens < 0, !(c.Cost >= 0), c.Per < 0: // catches NaN, too
		return tool.Errorf(tool.InvalidRequest, "a cap on what models may spend cannot be below zero")
	case c.Cost > 0 && len(prices) == 0:
		return tool.Errorf(tool.InvalidRequest, "a cap on what models may cost needs prices")
	}
	return nil
}

// Wrap returns m with its use counted under label. Beyond the label's cap it fails with OverQuota.
func (m *Meter) Wrap(label string, inner Model) Model { return &metered{m, label, inner} }

// Spent returns what each label has used so far. Failures count as calls, and as no tokens.
func (m *Meter) Spent() map[string]Spent {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := map[string]Spent{}
	for label, a := range m.labels {
		all[label] = a.spent
	}
	return all
}

// begin counts a call, unless the label has spent what it may.
func (m *Meter) begin(label string) error {
	limit, ok := m.opt.Caps[label]
	if !ok {
		limit = m.opt.Other
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.labels[label]
	if a == nil {
		a = &account{}
		m.labels[label] = a
	}
	if now := m.opt.Now(); now.Sub(a.since) >= limit.Per {
		a.base, a.since = a.spent, now
	}
	if err := a.over(label, limit); err != nil {
		a.spent.Refused++
		return err
	}
	a.spent.Calls++
	return nil
}

// over says which part of its cap a label has used up.
func (a *account) over(label string, limit Cap) error {
	tokens := a.spent.Usage.InputTokens + a.spent.Usage.OutputTokens - a.base.Usage.InputTokens - a.base.Usage.OutputTokens
	var e *tool.Error
	switch {
	case a.spent.Calls-a.base.Calls >= limit.Calls:
		e = tool.Errorf(tool.OverQuota, "models have been asked %d times for %q, which is all that is allowed in %v", limit.Calls, label, limit.Per)
	case tokens >= limit.Tokens:
		e = tool.Errorf(tool.OverQuota, "models have used %d tokens for %q; %d are allowed in %v", tokens, label, limit.Tokens, limit.Per)
	case a.spent.Cost-a.base.Cost >= limit.Cost:
		e = tool.Errorf(tool.OverQuota, "models have cost %.2f USD for %q; %.2f are allowed in %v", a.spent.Cost-a.base.Cost, label, limit.Cost, limit.Per)
	default:
		return nil
	}
	e.Hint = "it goes on " + a.since.Add(limit.Per).UTC().Format(time.RFC3339) + ", or with a higher cap"
	return e
}

// end counts what a call took.
func (m *Meter) end(label string, reply Reply, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	spent := &m.labels[label].spent
	if err != nil {
		spent.Failures++
		return
	}
	spent.Usage = spent.Usage.plus(reply.Usage)
	spent.Cost += m.opt.Prices.Cost(reply)
}

// metered is a model whose use is counted.
type metered struct {
	meter *Meter
	label string
	inner Model
}

// Chat implements Model.
func (m *metered) Chat(ctx context.Context, req Request) (Reply, error) {
	if err := m.meter.begin(m.label); err != nil {
		return Reply{}, err
	}
	ended := func(Reply, error) {}
	if m.meter.opt.Observe != nil {
		ctx, ended = m.meter.opt.Observe(ctx, m.label)
	}
	reply, err := m.inner.Chat(ctx, req)
	if err == nil && reply.Usage == (Usage{}) { // a provider that does not count must not be free
		reply.Usage = guess(req, reply)
	}
	m.meter.end(m.label, reply, err)
	ended(reply, err)
	return reply, err
}

// guess takes four bytes for a token.
func guess(req Request, reply Reply) Usage {
	out := len(reply.Text)
	for _, c := range reply.ToolCalls {
		out += len(c.Name) + len(c.Arguments)
	}
	return Usage{InputTokens: int64(req.size()+3) / 4, OutputTokens: int64(out+3) / 4}
}
