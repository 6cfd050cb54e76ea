package tool

import "slices"

// Usage is what a caller uses of its limits: those of its tenant, of its persona and of its session.
type Usage struct {
	Tenant  []Gauge `json:"tenant,omitempty"` // by all its personas
	Persona []Gauge `json:"persona"`          // by all its sessions, and by its specialists
	Session []Gauge `json:"session"`
}

// Gauge is how much of a limit is used, in the unit of the limit.
type Gauge struct {
	Limit string  `json:"limit"` // as the configuration names it
	Used  float64 `json:"used"`
	Most  float64 `json:"most"`
}

// Plus returns what u has, and after it what more has.
func (u Usage) Plus(more Usage) Usage {
	return Usage{
		Tenant: slices.Concat(u.Tenant, more.Tenant), Persona: slices.Concat(u.Persona, more.Persona), Session: slices.Concat(u.Session, more.Session),
	}
}
