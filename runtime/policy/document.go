package policy

import (
	"fmt"
	"slices"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// Parse reads a policy from YAML (docs/powers.md describes it). Reading is strict: the error is a *tool.Error of code
// InvalidRequest with the line and column of the first mistake. A section that is missing, and an empty list, grant nothing.
func Parse(text []byte) (*Policy, error) {
	var d document
	if err := wire.YAML(text, &d); err != nil {
		return nil, err
	}
	return d.policy(), nil
}

// version is that of the format.
const version = "1.0"

// document is a policy as it is written.
type document struct {
	Version     string      `json:"version"`
	Permissions permissions `json:"permissions"`
	Secrets     []Secret    `json:"secrets"`
	Resources   resources   `json:"resources"`
}

type permissions struct {
	Network networkSection `json:"network"`
	Storage storageSection `json:"storage"`
	Crypto  cryptoSection  `json:"crypto"`
}

type networkSection struct {
	Allow []Network `json:"allow"`
}

type storageSection struct {
	Allow []storageRule `json:"allow"`
}

type cryptoSection struct {
	Allow []string `json:"allow"`
}

type resources struct {
	Limits limits `json:"limits"`
}

// Validate checks what no part of the document sees alone.
func (d *document) Validate() error {
	switch d.Version {
	case version:
	case "":
		return missing("version", `write version: "1.0"`)
	default:
		return wrong("version", fmt.Sprintf("the version %.40q is not known: write \"1.0\"", d.Version))
	}
	for i, s := range d.Secrets {
		if slices.ContainsFunc(d.Secrets[:i], func(other Secret) bool { return other.Name == s.Name }) {
			return wrong(fmt.Sprintf("secrets/%d/name", i), "another secret has this name")
		}
	}
	return nil
}

// Validate checks the names.
func (s *cryptoSection) Validate() error { return checkCrypto(s.Allow) }

func (d *document) policy() *Policy {
	l := d.Resources.Limits
	p := &Policy{
		Network: d.Permissions.Network.Allow, Crypto: d.Permissions.Crypto.Allow, Secrets: d.Secrets,
		Limits: l.call(), FetchLimits: l.fetch(), FSLimits: l.fs(),
	}
	for _, rule := range d.Permissions.Storage.Allow {
		p.Storage = append(p.Storage, Storage{rule.root, int64(rule.MaxBytes)}) //nolint:gosec // below its maximum
	}
	return p
}

// storageRule is a rule of storage as it is written.
type storageRule struct {
	URI      string        `json:"uri"`
	Access   []string      `json:"access"`
	MaxBytes wire.Quantity `json:"maxBytes"`

	root string
}

// Validate checks the rule and finds its folder.
func (r *storageRule) Validate() error {
	root, err := rootOf(r.URI)
	switch {
	case r.URI == "":
		return missing("uri", `name the folder, as in uri: "fs:///srv/data"`)
	case err != nil:
		return wrong("uri", err.Error())
	case !slices.Equal(r.Access, []string{"read"}):
		return wrong("access", "access is [read]: files can be read, and nothing else")
	case r.MaxBytes > wire.Quantity(MaxFSLimits.MaxFileBytes):
		return wrong("maxBytes", fmt.Sprintf("a file has at most %d bytes", MaxFSLimits.MaxFileBytes))
	}
	r.root = root
	return nil
}

// limits are those of a call, as they are written.
type limits struct {
	Wall      wire.Period   `json:"wall"`
	Fuel      wire.Quantity `json:"fuel"`
	Memory    wire.Quantity `json:"memory"`
	Source    wire.Quantity `json:"source"`
	Input     wire.Quantity `json:"input"`
	Output    wire.Quantity `json:"output"`
	Logs      wire.Quantity `json:"logs"`
	HostCalls wire.Quantity `json:"hostCalls"`

	FetchMaxRedirects          wire.Quantity `json:"fetchMaxRedirects"`
	FetchMaxRequests           wire.Quantity `json:"fetchMaxRequests"`
	FetchMaxConcurrent         wire.Quantity `json:"fetchMaxConcurrent"`
	FetchMaxRequestBytes       wire.Quantity `json:"fetchMaxRequestBytes"`
	FetchMaxResponseBytes      wire.Quantity `json:"fetchMaxResponseBytes"`
	FetchMaxTotalRequestBytes  wire.Quantity `json:"fetchMaxTotalRequestBytes"`
	FetchMaxTotalResponseBytes wire.Quantity `json:"fetchMaxTotalResponseBytes"`
	FSMaxFileBytes             wire.Quantity `json:"fsMaxFileBytes"`
	FSMaxTotalBytes            wire.Quantity `json:"fsMaxTotalBytes"`
}

// Validate holds every limit to its maximum.
func (l *limits) Validate() error {
	call, fetch, fs := tool.MaxLimits, MaxFetchLimits, MaxFSLimits
	if l.Wall > wire.Period(call.Timeout) {
		return wrong("wall", fmt.Sprintf("the limit is at most %v", call.Timeout))
	}
	if l.Memory != 0 && l.Memory < tool.MinMemoryBytes {
		return wrong("memory", "the limit is at least 4Mi")
	}
	for _, c := range []struct {
		name  string
		value wire.Quantity
		most  uint64
	}{
		{"fuel", l.Fuel, call.Fuel},
		{"memory", l.Memory, call.MemoryBytes},
		{"source", l.Source, uint64(call.SourceBytes)},
		{"input", l.Input, uint64(call.InputBytes)},
		{"output", l.Output, uint64(call.OutputBytes)},
		{"logs", l.Logs, uint64(call.LogBytes)},
		{"hostCalls", l.HostCalls, uint64(call.HostCalls)},
		{"fetchMaxRedirects", l.FetchMaxRedirects, uint64(fetch.MaxRedirects)},
		{"fetchMaxRequests", l.FetchMaxRequests, uint64(fetch.MaxRequests)},
		{"fetchMaxConcurrent", l.FetchMaxConcurrent, uint64(fetch.MaxConcurrent)},
		{"fetchMaxRequestBytes", l.FetchMaxRequestBytes, uint64(fetch.MaxRequestBytes)},
		{"fetchMaxResponseBytes", l.FetchMaxResponseBytes, uint64(fetch.MaxResponseBytes)},
		{"fetchMaxTotalRequestBytes", l.FetchMaxTotalRequestBytes, uint64(fetch.MaxTotalRequestBytes)},
		{"fetchMaxTotalResponseBytes", l.FetchMaxTotalResponseBytes, uint64(fetch.MaxTotalResponseBytes)},
		{"fsMaxFileBytes", l.FSMaxFileBytes, uint64(fs.MaxFileBytes)},
		{"fsMaxTotalBytes", l.FSMaxTotalBytes, uint64(fs.MaxTotalBytes)},
	} {
		if uint64(c.value) > c.most {
			return wrong(c.name, fmt.Sprintf("the limit is at most %d", c.most))
		}
	}
	return nil
}

func (l *limits) call() tool.Limits {
	return tool.Limits{
		Timeout: time.Duration(l.Wall), Fuel: uint64(l.Fuel), MemoryBytes: uint64(l.Memory),
		SourceBytes: int(l.Source), InputBytes: int(l.Input), OutputBytes: int(l.Output), LogBytes: int(l.Logs), HostCalls: int(l.HostCalls),
	}
}

func (l *limits) fetch() FetchLimits {
	return FetchLimits{
		MaxRedirects: int(l.FetchMaxRedirects), MaxRequests: int(l.FetchMaxRequests), MaxConcurrent: int(l.FetchMaxConcurrent),
		MaxRequestBytes: int64(l.FetchMaxRequestBytes), MaxResponseBytes: int64(l.FetchMaxResponseBytes),
		MaxTotalRequestBytes: int64(l.FetchMaxTotalRequestBytes), MaxTotalResponseBytes: int64(l.FetchMaxTotalResponseBytes),
	}
}

func (l *limits) fs() FSLimits {
	return FSLimits{int64(l.FSMaxFileBytes), int64(l.FSMaxTotalBytes)}
}
