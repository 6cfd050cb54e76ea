package config

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"example.com/toolsmith/runtime/wire"
)

// twin is one value that has two keys. A layer that gives one of them gives both.
type twin struct {
	first, second string        // the keys
	toSecond      func(*Config) // sets the second from the first
	toFirst       func(*Config)
	agree         func(Config) bool
}

const mib = 1 << 20

var twins = []twin{
	{
		"emergentConfig.sandboxTimeoutMs", "limits.wall",
		func(c *Config) {
			c.Limits.Wall = wire.Period(time.Duration(c.EmergentConfig.SandboxTimeoutMs) * time.Millisecond)
		},
		func(c *Config) { c.EmergentConfig.SandboxTimeoutMs = int(time.Duration(c.Limits.Wall).Milliseconds()) },
		func(c Config) bool {
			return int64(c.EmergentConfig.SandboxTimeoutMs) == time.Duration(c.Limits.Wall).Milliseconds()
		},
	},
	{
		"emergentConfig.sandboxMemoryMB", "limits.memory",
		func(c *Config) { c.Limits.Memory = quantity(c.EmergentConfig.SandboxMemoryMB) * mib },
		func(c *Config) { c.EmergentConfig.SandboxMemoryMB = number(c.Limits.Memory / mib) },
		func(c Config) bool { return c.EmergentConfig.SandboxMemoryMB == number(c.Limits.Memory/mib) },
	},
	{
		"emergentConfig.sandboxMaxOutputBytes", "limits.output",
		func(c *Config) { c.Limits.Output = quantity(c.EmergentConfig.SandboxMaxOutputBytes) },
		func(c *Config) { c.EmergentConfig.SandboxMaxOutputBytes = number(c.Limits.Output) },
		func(c Config) bool { return c.EmergentConfig.SandboxMaxOutputBytes == number(c.Limits.Output) },
	},
	{
		"emergentConfig.persistSandboxSource", "sourceAtRest",
		func(c *Config) {
			switch {
			case c.EmergentConfig.PersistSandboxSource:
				c.SourceAtRest = Plain
			case c.SourceAtRest == Plain:
				c.SourceAtRest = Sealed
			}
		},
		func(c *Config) { c.EmergentConfig.PersistSandboxSource = c.SourceAtRest == Plain },
		func(c Config) bool { return c.EmergentConfig.PersistSandboxSource == (c.SourceAtRest == Plain) },
	},
	{
		"emergentConfig.maxConcurrentCalls", "quotas.tenant.concurrentCalls",
		func(c *Config) { c.Quotas.Tenant.ConcurrentCalls = c.EmergentConfig.MaxConcurrentCalls },
		func(c *Config) { c.EmergentConfig.MaxConcurrentCalls = c.Quotas.Tenant.ConcurrentCalls },
		func(c Config) bool { return c.EmergentConfig.MaxConcurrentCalls == c.Quotas.Tenant.ConcurrentCalls },
	},
	{
		"emergentConfig.maxJudgeTokensPerPersona", "quotas.persona.judgeTokensPerDay",
		func(c *Config) { c.Quotas.Persona.JudgeTokensPerDay = c.EmergentConfig.MaxJudgeTokensPerPersona },
		func(c *Config) { c.EmergentConfig.MaxJudgeTokensPerPersona = c.Quotas.Persona.JudgeTokensPerDay },
		func(c Config) bool {
			return c.EmergentConfig.MaxJudgeTokensPerPersona == c.Quotas.Persona.JudgeTokensPerDay
		},
	},
}

// conflict is the error of a twin that does not agree with itself.
func (t twin) conflict() error {
	return wrong(fmt.Sprintf("%s and %s are one value, and say different things", t.first, t.second), "give one of them", strings.Split(t.second, ".")...)
}

// settle ends a layer: given says where it has the keys from that it gives.
func (c *Config) settle(given map[string]string) error {
	for _, t := range twins {
		first, second := given[t.first], given[t.second]
		switch {
		case first != "" && second != "":
			if !t.agree(*c) {
				return t.conflict()
			}
		case first != "":
			t.toSecond(c)
			given[t.second] = first
		case second != "":
			t.toFirst(c)
			given[t.first] = second
		}
	}
	if c.from == nil {
		c.from = map[string]string{}
	}
	maps.Copy(c.from, given)
	return nil
}
