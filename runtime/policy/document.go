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
	var d Document
	if err := wire.YAML(text, &d); err != nil {
		return nil, err
	}
	return d.Policy(), nil
}

// version is that of the format.
const version = "1.0"

// Document is a policy as it is written, for files that hold policies among other things: package wire reads it, strictly.
type Document struct {
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
func (d *Document) Validate() error {
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

// Policy returns a new policy that grants what the document does. Its rules are in their normal form once wire has read d.
func (d *Document) Policy() *Policy {
	l := d.Resources.Limits
	p := &Policy{
		Network: slices.Clone(d.Permissions.Network.Allow), Crypto: slices.Clone(d.Permissions.Crypto.Allow), Secrets: slices.Clone(d.Secrets),
		Limits: l.call(), FetchLimits: l.fetch(), FSLimits: l.fs(),
	}
	for _, rule := range d.Permissions.Storage.Allow {
		p.Storage = append(p.Storage, Storage{rule.root, number[int64](rule.MaxBytes)})
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
	case r.MaxBytes > quantity(MaxFSLimits.MaxFileBytes):
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

	FetchMaxRedirects          hops          `json:"fetchMaxRedirects"`
	FetchMaxRequests           wire.Quantity `json:"fetchMaxRequests"`
	FetchMaxConcurrent         wire.Quantity `json:"fetchMaxConcurrent"`
	FetchMaxRequestBytes       wire.Quantity `json:"fetchMaxRequestBytes"`
	FetchMaxResponseBytes      wire.Quantity `json:"fetchMaxResponseBytes"`
	FetchMaxTotalRequestBytes  wire.Quantity `json:"fetchMaxTotalRequestBytes"`
	FetchMaxTotalResponseBytes wire.Quantity `json:"fetchMaxTotalResponseBytes"`
	FSMaxFileBytes             wire.Quantity `json:"fsMaxFileBytes"`
	FSMaxTotalBytes            wire.Quantity `json:"fsMaxTotalBytes"`
}

// hops is a limit of which 0 can be said, unlike the others: it is NoRedirects. Its zero value is a limit that was not given.
type hops int

// UnmarshalText reads a number, and holds it to its maximum.
func (h *hops) UnmarshalText(text []byte) error {
	if string(text) == "0" {
		*h = NoRedirects
		return nil
	}
	var q wire.Quantity
	if err := q.UnmarshalText(text); err != nil {
		return err
	}
	if most := MaxFetchLimits.MaxRedirects; q > quantity(most) {
		return fmt.Errorf("the limit is at most %d", most)
	}
	*h = hops(number[int](q))
	return nil
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
		most  wire.Quantity
	}{
		{"fuel", l.Fuel, wire.Quantity(call.Fuel)},
		{"memory", l.Memory, wire.Quantity(call.MemoryBytes)},
		{"source", l.Source, quantity(call.SourceBytes)},
		{"input", l.Input, quantity(call.InputBytes)},
		{"output", l.Output, quantity(call.OutputBytes)},
		{"logs", l.Logs, quantity(call.LogBytes)},
		{"hostCalls", l.HostCalls, quantity(call.HostCalls)},
		{"fetchMaxRequests", l.FetchMaxRequests, quantity(fetch.MaxRequests)},
		{"fetchMaxConcurrent", l.FetchMaxConcurrent, quantity(fetch.MaxConcurrent)},
		{"fetchMaxRequestBytes", l.FetchMaxRequestBytes, quantity(fetch.MaxRequestBytes)},
		{"fetchMaxResponseBytes", l.FetchMaxResponseBytes, quantity(fetch.MaxResponseBytes)},
		{"fetchMaxTotalRequestBytes", l.FetchMaxTotalRequestBytes, quantity(fetch.MaxTotalRequestBytes)},
		{"fetchMaxTotalResponseBytes", l.FetchMaxTotalResponseBytes, quantity(fetch.MaxTotalResponseBytes)},
		{"fsMaxFileBytes", l.FSMaxFileBytes, quantity(fs.MaxFileBytes)},
		{"fsMaxTotalBytes", l.FSMaxTotalBytes, quantity(fs.MaxTotalBytes)},
	} {
		if c.value > c.most {
			return wrong(c.name, fmt.Sprintf("the limit is at most %d", c.most))
		}
	}
	return nil
}

func (l *limits) call() tool.Limits {
	return tool.Limits{
		Timeout: time.Duration(l.Wall), Fuel: uint64(l.Fuel), MemoryBytes: uint64(l.Memory),
		SourceBytes: number[int](l.Source), InputBytes: number[int](l.Input), OutputBytes: number[int](l.Output), LogBytes: number[int](l.Logs), HostCalls: number[int](l.HostCalls),
	}
}

func (l *limits) fetch() FetchLimits {
	return FetchLimits{
		MaxRedirects: int(l.FetchMaxRedirects), MaxRequests: number[int](l.FetchMaxRequests), MaxConcurrent: number[int](l.FetchMaxConcurrent),
		MaxRequestBytes: number[int64](l.FetchMaxRequestBytes), MaxResponseBytes: number[int64](l.FetchMaxResponseBytes),
		MaxTotalRequestBytes: number[int64](l.FetchMaxTotalRequestBytes), MaxTotalResponseBytes: number[int64](l.FetchMaxTotalResponseBytes),
	}
}

func (l *limits) fs() FSLimits {
	return FSLimits{number[int64](l.FSMaxFileBytes), number[int64](l.FSMaxTotalBytes)}
}

// quantity is a maximum, which is not negative, as limits are written.
func quantity[T int | int64](n T) wire.Quantity {
	return wire.Quantity(n)
}

// number is a limit that was held to its maximum, which fits.
func number[T int | int64](q wire.Quantity) T {
	return T(q)
}
