package config

import (
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// Quotas bound what all callers, a tenant and a persona may use. A tenant may have a quota of its own in place of Tenant.
type Quotas struct {
	RunningCalls int          `json:"runningCalls" range:"0..10000"` // of all; 0 is 8 for each processor, 16 to 256
	WaitingCalls int          `json:"waitingCalls" range:"1..10000"` // of one tenant
	Wait         wire.Period  `json:"wait" range:"1ms..1m0s"`
	Tenant       TenantQuota  `json:"tenant"`
	Persona      PersonaQuota `json:"persona"`
}

// TenantQuota is that of each tenant.
type TenantQuota struct {
	ConcurrentCalls   int           `json:"concurrentCalls" range:"1..10000"` // the same as Emergent.MaxConcurrentCalls
	CallsPerMinute    int           `json:"callsPerMinute" range:"1..10000000"`
	FuelPerMinute     wire.Quantity `json:"fuelPerMinute" range:"1..1000000G"`
	MemoryMB          int           `json:"memoryMB" range:"4..1048576"`
	Tools             int           `json:"tools" range:"1..1000000"`
	ToolBytes         wire.Quantity `json:"toolBytes" range:"1..1024Gi"`
	Sessions          int           `json:"sessions" range:"1..10000000"`
	ForgesPerDay      int           `json:"forgesPerDay" range:"1..1000000"`
	JudgeTokensPerDay int64         `json:"judgeTokensPerDay" range:"1..100000000000"`
	JudgeCostPerDay   float64       `json:"judgeCostPerDay" range:"0.01..1000000"`
}

// PersonaQuota is that of each persona within its tenant.
type PersonaQuota struct {
	ConcurrentCalls   int           `json:"concurrentCalls" range:"1..10000"`
	CallsPerMinute    int           `json:"callsPerMinute" range:"1..10000000"`
	FuelPerMinute     wire.Quantity `json:"fuelPerMinute" range:"1..1000000G"`
	MemoryMB          int           `json:"memoryMB" range:"4..1048576"`
	Sessions          int           `json:"sessions" range:"1..1000000"`
	ForgesPerDay      int           `json:"forgesPerDay" range:"1..1000000"`
	JudgeTokensPerDay int64         `json:"judgeTokensPerDay" range:"1..10000000000"` // the same as Emergent.MaxJudgeTokensPerPersona
	JudgeCostPerDay   float64       `json:"judgeCostPerDay" range:"0.01..1000000"`
}

func defaultQuotas() Quotas {
	return Quotas{
		WaitingCalls: 128, Wait: wire.Period(time.Second),
		Tenant: TenantQuota{
			ConcurrentCalls: 64, CallsPerMinute: 60_000, FuelPerMinute: 60e9, MemoryMB: 8192, Tools: 10_000, ToolBytes: 1 << 30,
			Sessions: 100_000, ForgesPerDay: 10_000, JudgeTokensPerDay: 50_000_000, JudgeCostPerDay: 100,
		},
		Persona: PersonaQuota{
			ConcurrentCalls: 64, CallsPerMinute: 30_000, FuelPerMinute: 30e9, MemoryMB: 4096,
			Sessions: 10_000, ForgesPerDay: 1000, JudgeTokensPerDay: 5_000_000, JudgeCostPerDay: 50,
		},
	}
}

// Quota is the quota as the host applies it.
func (q TenantQuota) Quota() tool.Quota {
	return tool.Quota{
		ConcurrentCalls: q.ConcurrentCalls, CallsPerMinute: q.CallsPerMinute, FuelPerMinute: long(q.FuelPerMinute), MemoryMB: q.MemoryMB,
		Tools: q.Tools, ToolBytes: long(q.ToolBytes), Sessions: q.Sessions,
		ForgesPerDay: q.ForgesPerDay, JudgeTokensPerDay: q.JudgeTokensPerDay, JudgeCostPerDay: q.JudgeCostPerDay,
	}
}

// Quota is the quota as the host applies it.
func (q PersonaQuota) Quota() tool.Quota {
	return tool.Quota{
		ConcurrentCalls: q.ConcurrentCalls, CallsPerMinute: q.CallsPerMinute, FuelPerMinute: long(q.FuelPerMinute), MemoryMB: q.MemoryMB,
		Sessions: q.Sessions, ForgesPerDay: q.ForgesPerDay, JudgeTokensPerDay: q.JudgeTokensPerDay, JudgeCostPerDay: q.JudgeCostPerDay,
	}
}

// long is a quantity that is held to its range, which fits.
func long(q wire.Quantity) int64 {
	return int64(q) //nolint:gosec // at most 1e15
}
