package tiers

import (
	"fmt"
	"strconv"

	"example.com/toolsmith/runtime/tool"
)

// limited is a limit of a tenant, or of a persona within it, and what is used of it.
type limited struct {
	name       string // as the configuration has it
	used, most float64
	what       string // is counted
}

// quotaOf is what a persona may use, or a tenant as a whole when no persona is named.
func (s *Shelf) quotaOf(r Reader, of tool.Caller) (tool.Quota, error) {
	if of.Persona != "" {
		return s.opt.Rules.Persona, nil
	}
	t, err := readTenant(r, of.Tenant)
	if err != nil || t == nil {
		return s.opt.Rules.Tenant, err
	}
	return t.Quota.WithDefaults(s.opt.Rules.Tenant), nil
}

// over is the error of a limit that is used up.
func (l limited) over(of tool.Caller) *tool.Error {
	who := "tenant " + tool.Quote(of.Tenant)
	if of.Persona != "" {
		who = "persona " + tool.Quote(of.Persona)
	}
	return &tool.Error{
		Code: tool.OverQuota, Limit: l.name, Message: fmt.Sprintf("%s: the %s has %s of %s %s", l.name, who, figure(l.used), figure(l.most), l.what),
	}
}

// figure writes a number without an exponent.
func figure(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// warn writes an audit entry when four fifths of a limit are used and were not before.
func (e *edit) warn(of tool.Caller, l limited, before float64) error {
	if mark := l.most - l.most/5; l.used < mark || before >= mark {
		return nil
	}
	by := e.by
	defer func() { e.by = by }()
	e.by = tool.Actor{Caller: of, Name: hostName}
	return e.log("", tool.QuotaWarning, fields{"limit": l.name, "used": l.used, "most": l.most})
}
