package search

import (
	"encoding/json"

	"example.com/toolsmith/runtime/tool"
)

// Descriptor is a promoted tool as an index of capabilities lists it.
type Descriptor struct {
	ID              string          `json:"id"` // emergent-tool:NAME
	Kind            string          `json:"kind"`
	Name            string          `json:"name"`
	DisplayName     string          `json:"displayName"`
	Description     string          `json:"description"`
	Category        string          `json:"category"`
	Tags            []string        `json:"tags"`
	RequiredSecrets []string        `json:"requiredSecrets"`
	RequiredTools   []string        `json:"requiredTools"`
	Available       bool            `json:"available"`
	HasSideEffects  bool            `json:"hasSideEffects"`
	FullSchema      json.RawMessage `json:"fullSchema"` // of the input
	SourceRef       SourceRef       `json:"sourceRef"`
}

// SourceRef says where a capability comes from.
type SourceRef struct {
	Type           string    `json:"type"`
	EmergentToolID string    `json:"emergentToolId"`
	Tier           tool.Tier `json:"tier"`
}

// emergentKind is the kind of capability that forged tools are.
const emergentKind = "emergent-tool"

// Describe describes a tool. effects reports whether a tool that a step calls has side effects; code counts as having some,
// whatever it asks for.
func Describe(r *tool.Record, effects func(name string) bool) Descriptor {
	d := Descriptor{
		ID: emergentKind + ":" + r.Name, Kind: emergentKind, Name: r.Name, DisplayName: r.Name, Description: r.Description,
		Category: "emergent", Tags: []string{"runtime-created", "agent-forged", string(r.Implementation.Mode)},
		RequiredSecrets: []string{}, RequiredTools: []string{}, Available: true,
		HasSideEffects: r.Implementation.Mode == tool.SandboxMode, FullSchema: r.InputSchema,
		SourceRef: SourceRef{emergentKind, r.ID, r.Tier},
	}
	for _, s := range r.Implementation.Steps {
		d.HasSideEffects = d.HasSideEffects || effects(s.Tool)
	}
	return d
}

// DescribeAll describes those tools of a list that are of the agent or the shared tier; tools of a session are nobody's
// capabilities yet.
func DescribeAll(list []*tool.Record, effects func(name string) bool) []Descriptor {
	all := []Descriptor{}
	for _, r := range list {
		if r.Tier == tool.AgentTier || r.Tier == tool.SharedTier {
			all = append(all, Describe(r, effects))
		}
	}
	return all
}
