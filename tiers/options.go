package tiers

import (
	"crypto/rand"
	"io"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// Options says how a Shelf decides and keeps. A zero field is its default; nothing means unlimited. It is copied by New.
type Options struct {
	Rules     Rules
	Source    SourceAtRest // how code is kept; "" is Sealed
	SourceKey []byte       // 32 bytes that seal code; nil is the key in DIR/source.key, which is made when it is not there
	Heads     string       // the file that remembers how far the audit logs have come; "" is none, but Open takes DIR/audit.heads

	// Reserved reports whether a name belongs to a tool that was not forged. It must not call the Shelf. nil reserves none.
	Reserved func(name string) bool
	// Watch is told of every audit entry once it is on disk, and before the method that made the change returns: who keeps what
	// it read of a tool may forget it then. What the host decides by itself, such as a suspension after failures, is told
	// as soon as it is on disk; Settle returns after that. Watch is called by the goroutine that made the change, by several
	// at once, and entries of one tenant may arrive out of their sequence. It must return soon and must not call the Shelf.
	// nil tells nobody. Entries of other processes that share the store are told too, by a goroutine of their own: each
	// once, those of a tenant in their sequence, within milliseconds.
	Watch func(tool.AuditEvent)
	// Lost is told when entries of other processes may have been missed, because the process that held the store has ended:
	// whoever keeps something forgets all of it then, and who wants every entry reads the log on from the last it knows. It
	// must return soon and must not call the Shelf. nil tells nobody.
	Lost func()

	// Appended is told how long a change took that added so many entries to the log, from its beginning until it was on disk. It
	// must return soon. nil tells nobody.
	Appended func(entries int, took time.Duration)

	// Now and Random are the only sources of time, of ids and of keys; nil is the real ones. Random is read by one
	// goroutine at a time.
	Now    func() time.Time
	Random io.Reader

	FlushAfter time.Duration // how long uses are gathered before they are written; 0 is 50 ms
	TendEvery  time.Duration // how often Tend runs by itself; 0 is 10 s, below zero is never
}

// Rules are the numbers that tiers are decided by, and the caps of what they cost.
type Rules struct {
	MaxSessionTools   int           // per session; 0 is 10
	MaxAgentTools     int           // per persona; 0 is 50
	MinUses           int           // before the panel is asked; 0 is 5
	MinConfidence     float64       // of the judge, before the panel is asked; 0 is 0.8
	MinSuccessRate    float64       // of the uses, before the panel is asked; 0 asks for none
	MinPanel          float64       // the panel's confidence that lets a tool rise; 0 is 0.7
	MaxPanels         int           // rejections per version, after which only a person promotes; 0 is 3
	SharedByPanel     bool          // lets the panel alone bring a tool to the shared tier
	MaxFailuresInARow int           // uses that fail in a row until a tool is suspended; 0 is 5
	SessionIdle       time.Duration // after which a session ends by itself; 0 is 24 h
	StaleAfter        time.Duration // without a use, until a tool of the agent tier is stale; 0 is 90 days
	DemoteStale       bool          // demotes what is stale
	DemoteAfterUses   int           // from which the success rate counts against a tool; 0 is 20
	MaxForgeAttempts  int           // per session; 0 is 20
	MaxSessionTokens  int64         // of models, input and output, per session; 0 is 1,000,000
	Tenant            tool.Quota    // of each tenant that has none of its own, as far as it is counted here; zero fields are the defaults
	Persona           tool.Quota    // of each persona within its tenant, likewise

	// DemoteBelowSuccessRate demotes tools, of any tier, of whose uses a smaller part succeeded; 0 demotes none.
	DemoteBelowSuccessRate float64
}

const (
	flushAfter = 50 * time.Millisecond
	tendEvery  = 10 * time.Second
)

func (o Options) withDefaults() Options {
	o.Rules = o.Rules.withDefaults()
	o.Source = orDefault(o.Source, Sealed)
	o.FlushAfter = orDefault(o.FlushAfter, flushAfter)
	o.TendEvery = orDefault(o.TendEvery, tendEvery)
	if o.Reserved == nil {
		o.Reserved = func(string) bool { return false }
	}
	if o.Watch == nil {
		o.Watch = func(tool.AuditEvent) {}
	}
	if o.Lost == nil {
		o.Lost = func() {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	return o
}

func (r Rules) withDefaults() Rules {
	r.MaxSessionTools = orDefault(r.MaxSessionTools, 10)
	r.MaxAgentTools = orDefault(r.MaxAgentTools, 50)
	r.MinUses = orDefault(r.MinUses, 5)
	r.MinConfidence = orDefault(r.MinConfidence, 0.8)
	r.MinPanel = orDefault(r.MinPanel, 0.7)
	r.MaxPanels = orDefault(r.MaxPanels, 3)
	r.MaxFailuresInARow = orDefault(r.MaxFailuresInARow, 5)
	r.SessionIdle = orDefault(r.SessionIdle, 24*time.Hour)
	r.StaleAfter = orDefault(r.StaleAfter, 90*24*time.Hour)
	r.DemoteAfterUses = orDefault(r.DemoteAfterUses, 20)
	r.MaxForgeAttempts = orDefault(r.MaxForgeAttempts, 20)
	r.MaxSessionTokens = orDefault(r.MaxSessionTokens, 1_000_000)
	r.Tenant = r.Tenant.WithDefaults(tool.Quota{
		Tools: 10_000, ToolBytes: 1 << 30, Sessions: 100_000, ForgesPerDay: 10_000, JudgeTokensPerDay: 50_000_000, JudgeCostPerDay: 100,
	})
	r.Persona = r.Persona.WithDefaults(tool.Quota{Sessions: 10_000, ForgesPerDay: 1000, JudgeTokensPerDay: 10_000_000, JudgeCostPerDay: 50})
	return r
}

func orDefault[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}
