package config

import (
	"example.com/toolsmith/runtime/policy"
)

// Config is what an operator sets. Its structs mirror the file, and docs/configuration.md describes every key. The tags range
// and oneof say what a value may be.
type Config struct {
	Emergent       bool                       `json:"emergent"` // agents may forge tools
	EmergentConfig Emergent                   `json:"emergentConfig"`
	Data           string                     `json:"data"`   // folder, or Memory; "" before Load has found one
	Listen         string                     `json:"listen"` // host:port of the HTTP server
	Server         Server                     `json:"server"`
	Log            Log                        `json:"log"`
	Limits         Limits                     `json:"limits"`
	SessionTools   SessionTools               `json:"sessionTools"`
	Quotas         Quotas                     `json:"quotas"`
	SourceAtRest   SourceAtRest               `json:"sourceAtRest" oneof:"sealed plain none"`
	Models         Models                     `json:"models"`
	Policies       map[string]policy.Document `json:"policies"`
	Personas       map[string]Persona         `json:"personas"`

	from map[string]string // by key, for those that are not the default
}

// Memory is the Data of a host that keeps nothing.
const Memory = ":memory:"

// Server says how the HTTP server is reached.
type Server struct {
	Hosts []string `json:"hosts"` // names that Host headers may have, besides loopback and the address that is served
}

// Log says what is logged, and how.
type Log struct {
	Level  string `json:"level" oneof:"trace debug info warn error off"`
	Format string `json:"format" oneof:"text json"`
}

// SourceAtRest says how the code of tools is kept.
type SourceAtRest string

// The ways.
const (
	Sealed SourceAtRest = "sealed" // encrypted, apart from records, audit and exports, which hold its redacted form
	Plain  SourceAtRest = "plain"  // in the record
	None   SourceAtRest = "none"   // not at all: after a restart a tool without its source is suspended
)

// Default is the configuration of a host that nobody configured. It forges nothing and grants nothing.
func Default() Config {
	return Config{
		EmergentConfig: defaultEmergent(),
		Listen:         "127.0.0.1:7420",
		Log:            Log{Level: "info", Format: "text"},
		Limits:         defaultLimits(),
		SessionTools:   defaultSessionTools(),
		Quotas:         defaultQuotas(),
		SourceAtRest:   Sealed,
	}
}

// Enabled reports whether agents may forge tools.
func (c Config) Enabled() bool { return c.Emergent || c.EmergentConfig.Enabled }
