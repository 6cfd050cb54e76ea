package runtime

import (
	"cmp"
	"context"
	"slices"
	"time"

	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

// HostOptions are what a Host is made of. The zero value has no forged tools, grants nothing and bounds everything.
type HostOptions struct {
	Shelf Shelf // nil: there are no forged tools

	// Policy is what a caller is granted; it must not change afterwards. nil grants nothing.
	Policy func(tool.Caller) (*policy.Policy, error)
	// Permit reports whether a caller may call a tool at all. nil permits everything that the caller can see.
	Permit func(c tool.Caller, name string) bool
	// Observe is told that a call begins, steps of composed tools and calls of host tools included; what happens within gets the
	// context that it returns, and the function is called with how it ended. Both must return soon. nil is told nothing.
	Observe func(ctx context.Context, c tool.Caller, name string) (context.Context, func(*CallResult, error))
	// Used is told of each successful use of a tool of the session tier. It must return soon. nil is told nothing.
	Used func(c tool.Caller, id string)

	Limits        tool.Limits      // the most that a call may have; zero fields are the defaults
	SessionLimits tool.Limits      // the most that a tool of the session tier may have, within Limits; zero fields are those
	MaxSteps      int              // of a composed tool; 0 is 20
	Now           func() time.Time // nil is time.Now

	Admission             Admission
	SessionCallsPerMinute int        // 0 is 6,000
	PersonaQuota          tool.Quota // of each persona within its tenant; zero fields are the defaults
	// Quota is that of a tenant; zero fields are the defaults. It is asked before each call and must return at once. nil is the
	// defaults for all.
	Quota func(tenant string) tool.Quota
	// Warn is told when four fifths of a limit are used, which bears the name that the configuration has for it: once a minute
	// for each limit of each tenant and persona, for which "" is all of them. It must return soon. nil is told nothing.
	Warn func(tenant, persona, limit string, used, most float64)
}

// Host holds the tools that can be called, and is the one way of calling them: for callers, for the steps of composed tools
// and for whatever else has an effect. It is safe for concurrent use.
type Host struct {
	opt   HostOptions
	box   *Sandbox
	tools registry
	table table
	drift drift

	admission *admission
	denials   tool.Told[denial]

	catalogs catalogs
	profiles profiles
}

// NewHost makes a host that runs code in a sandbox, which may serve other hosts too and must outlive this one. The error is a
// *tool.Error: InvalidRequest for limits out of range.
func NewHost(box *Sandbox, opt HostOptions) (*Host, error) {
	opt = opt.withDefaults()
	for _, l := range []tool.Limits{opt.Limits, opt.SessionLimits} {
		if err := l.Validate(); err != nil {
			return nil, err
		}
	}
	return &Host{opt: opt, box: box, admission: newAdmission(opt)}, nil
}

func (opt HostOptions) withDefaults() HostOptions {
	if opt.Policy == nil {
		opt.Policy = func(tool.Caller) (*policy.Policy, error) { return &policy.Policy{}, nil }
	}
	if opt.Permit == nil {
		opt.Permit = func(tool.Caller, string) bool { return true }
	}
	if opt.Used == nil {
		opt.Used = func(tool.Caller, string) {}
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	return opt
}

// Register adds a tool of the host. The error is a *tool.Error: InvalidRequest for what is wrong with it, Collision when the
// name is taken.
func (h *Host) Register(t Tool) error { return h.tools.add(t) }

// Reserved reports whether a name belongs to the host, or is too much like one that does, so that no forged tool may have it.
func (h *Host) Reserved(name string) bool { return meta(name) || h.tools.alike(name) != nil }

// Has reports whether the host has a tool that was not forged.
func (h *Host) Has(name string) bool { return h.tools.get(name) != nil }

// Tools returns what a caller may call, by name: tools of the host, and forged ones that can be called now.
func (h *Host) Tools(ctx context.Context, c tool.Caller) ([]Face, error) {
	var list []Face
	for _, name := range h.tools.names() {
		if h.opt.Permit(c, name) {
			list = append(list, h.tools.get(name).Face)
		}
	}
	if h.opt.Shelf == nil {
		return list, nil
	}
	forged, err := h.opt.Shelf.Visible(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, r := range forged {
		if r.Callable() == nil && h.opt.Permit(c, r.Name) {
			list = append(list, faceOf(r, r.Implementation))
		}
	}
	slices.SortFunc(list, func(a, b Face) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// faceOf is what a caller sees of a record. Whether steps have side effects is not looked up: it says that they may.
func faceOf(r *tool.Record, impl tool.Implementation) Face {
	return Face{
		Name: r.Name, Description: r.Description, InputSchema: r.InputSchema, OutputSchema: r.OutputSchema,
		SideEffects: impl.Mode == tool.ComposeMode || slices.Contains(impl.Allowlist, "fetch"),
		ID:          r.ID, Version: r.Version, Tier: r.Tier, Mode: impl.Mode,
	}
}
