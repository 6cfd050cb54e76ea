package forge

import (
	"bytes"
	"encoding/json"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// What a package says of itself.
const (
	PackageVersion = "agentos.emergent-tool.v1"
	PackageType    = "emergent-tool"
)

// MaxPackageBytes bounds the text of a package.
const MaxPackageBytes = wire.MaxYAMLBytes

// Package is a tool on its way from one host to another. It is made by BuildPackage or ReadPackage, and not changed after.
type Package struct {
	SchemaVersion string       `json:"schemaVersion"`
	PackageType   string       `json:"packageType"`
	ExportedAt    tool.Time    `json:"exportedAt"`
	Portability   Portability  `json:"portability"`
	Tool          PackagedTool `json:"tool"`
	Integrity     *Integrity   `json:"integrity,omitempty"` // nil when whoever wrote it gave none

	text   json.RawMessage // of the tool, with its members in order: what Tool says, and perhaps in other words
	digest string          // of text
}

// Portability says whether a package can be imported.
type Portability struct {
	Portable bool     `json:"portable"`
	Warnings []string `json:"warnings"`
}

// PackagedTool is the tool of a package, as far as another host may know it.
type PackagedTool struct {
	OriginalToolID string                 `json:"originalToolId"`
	OriginalTier   tool.Tier              `json:"originalTier"`
	Name           string                 `json:"name"`
	Description    string                 `json:"description"`
	InputSchema    json.RawMessage        `json:"inputSchema"`
	OutputSchema   json.RawMessage        `json:"outputSchema"`
	Implementation PortableImplementation `json:"implementation"`
	TestCases      []tool.TestCase        `json:"testCases,omitempty"`
	CreatedBy      string                 `json:"createdBy"`
	CreatedAt      tool.Time              `json:"createdAt"`
	Source         string                 `json:"source"`
	JudgeVerdicts  []json.RawMessage      `json:"judgeVerdicts"` // as their judges' host wrote them
	UsageStats     tool.UsageStats        `json:"usageStats"`
}

// PortableImplementation is an implementation as packages hold it. Whether there is code is what counts; the two flags
// only tell.
type PortableImplementation struct {
	Mode            tool.Mode   `json:"mode"`
	Steps           []tool.Step `json:"steps,omitempty"`
	Language        string      `json:"language,omitempty"`
	Allowlist       []string    `json:"allowlist,omitzero"`
	TimeoutMs       int64       `json:"timeoutMs,omitempty"`
	MemoryMB        int64       `json:"memoryMB,omitempty"`
	SourcePersisted *bool       `json:"sourcePersisted,omitempty"`
	RedactedAtRest  *bool       `json:"redactedAtRest,omitempty"`
	Code            string      `json:"code,omitempty"`
}

// packageText is a package as it is written.
type packageText struct {
	SchemaVersion string          `json:"schemaVersion"`
	PackageType   string          `json:"packageType"`
	ExportedAt    tool.Time       `json:"exportedAt"`
	Portability   Portability     `json:"portability"`
	Tool          json.RawMessage `json:"tool"`
	Integrity     *Integrity      `json:"integrity,omitempty"`
}

// JSON writes the package as JSON, indented by two spaces.
func (p *Package) JSON() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(packageText{p.SchemaVersion, p.PackageType, p.ExportedAt, p.Portability, p.text, p.Integrity})
	if err != nil {
		return nil, tool.Errorf(tool.Internal, "writing a package: %w", err)
	}
	return out.Bytes(), nil
}

// YAML writes the package as YAML. The error is of code InvalidRequest when a schema or a test case nests deeper than YAML
// is read.
func (p *Package) YAML() ([]byte, error) {
	text, err := p.JSON()
	if err != nil {
		return nil, err
	}
	return wire.JSONToYAML(text)
}
