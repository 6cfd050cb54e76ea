package config

import (
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// Limits are those of a call that neither its tool nor its policy sets.
type Limits struct {
	Wall      wire.Period   `json:"wall" range:"1ms..1m0s"`
	Fuel      wire.Quantity `json:"fuel" range:"1..10G"`
	Memory    wire.Quantity `json:"memory" range:"4Mi..1Gi"`
	Source    wire.Quantity `json:"source" range:"1..256Ki"`
	Input     wire.Quantity `json:"input" range:"1..16Mi"`
	Output    wire.Quantity `json:"output" range:"1..16Mi"`
	Logs      wire.Quantity `json:"logs" range:"1..1Mi"`
	HostCalls wire.Quantity `json:"hostCalls" range:"1..10k"`
}

// SessionTools are the limits of tools that only their session has seen yet. Where Limits are lower, those bind.
type SessionTools struct {
	Wall   wire.Period   `json:"wall" range:"1ms..1m0s"`
	Fuel   wire.Quantity `json:"fuel" range:"1..10G"`
	Memory wire.Quantity `json:"memory" range:"4Mi..1Gi"`
}

func defaultLimits() Limits {
	l := tool.DefaultLimits
	return Limits{
		Wall: wire.Period(l.Timeout), Fuel: wire.Quantity(l.Fuel), Memory: wire.Quantity(l.MemoryBytes),
		Source: quantity(l.SourceBytes), Input: quantity(l.InputBytes), Output: quantity(l.OutputBytes),
		Logs: quantity(l.LogBytes), HostCalls: quantity(l.HostCalls),
	}
}

func defaultSessionTools() SessionTools {
	return SessionTools{Wall: wire.Period(2 * time.Second), Fuel: 500e6, Memory: 64 << 20}
}

// CallLimits are those of tools of the agent and shared tiers.
func (c Config) CallLimits() tool.Limits {
	l := c.Limits
	return tool.Limits{
		Timeout: time.Duration(l.Wall), Fuel: uint64(l.Fuel), MemoryBytes: uint64(l.Memory),
		SourceBytes: number(l.Source), InputBytes: number(l.Input), OutputBytes: number(l.Output),
		LogBytes: number(l.Logs), HostCalls: number(l.HostCalls),
	}
}

// SessionLimits are those of tools of the session tier.
func (c Config) SessionLimits() tool.Limits {
	l, s := c.CallLimits(), c.SessionTools
	l.Timeout = min(l.Timeout, time.Duration(s.Wall))
	l.Fuel = min(l.Fuel, uint64(s.Fuel))
	l.MemoryBytes = min(l.MemoryBytes, uint64(s.Memory))
	return l
}

// quantity is a limit, which is not negative, as files write it.
func quantity(n int) wire.Quantity {
	return wire.Quantity(n) //nolint:gosec // a limit
}

// number is a limit that is held to its range, which fits.
func number(q wire.Quantity) int {
	return int(q) //nolint:gosec // at most 16 Mi
}
