package forge

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// PackageOptions say what goes into a package. The zero value leaves nothing out, and does not sign.
type PackageOptions struct {
	ExportedAt   time.Time // the zero time is now
	OmitVerdicts bool      // what judges said here stays here
	OmitUsage    bool      // and so does what became of the calls
	Key          ed25519.PrivateKey
}

// redactedWarning is what a package without code says of itself.
const redactedWarning = "the source of this tool is redacted at rest: the package can be reviewed, but not imported"

// BuildPackage packs a version of a tool. i is its implementation, whole or redacted; without code the package says that
// it is for reading only. Neither argument is changed or kept.
func BuildPackage(r *tool.Record, i tool.Implementation, opt PackageOptions) (*Package, error) {
	if opt.ExportedAt.IsZero() {
		opt.ExportedAt = time.Now()
	}
	p := &Package{
		SchemaVersion: PackageVersion, PackageType: PackageType, ExportedAt: tool.At(opt.ExportedAt),
		Portability: Portability{Portable: true, Warnings: []string{}},
	}
	var err error
	if p.Tool, err = packaged(r, i, opt); err != nil {
		return nil, err
	}
	if i.Mode == tool.SandboxMode && p.Tool.Implementation.Code == "" {
		p.Portability = Portability{Warnings: []string{redactedWarning}}
	}
	if p.text, err = unescaped(p.Tool); err != nil {
		return nil, err
	}
	if p.digest, err = digestOf(p.text); err != nil {
		return nil, err
	}
	p.seal(opt.Key)
	return p, nil
}

func packaged(r *tool.Record, i tool.Implementation, opt PackageOptions) (PackagedTool, error) {
	t := PackagedTool{
		OriginalToolID: r.ID, OriginalTier: r.Tier, Name: r.Name, Description: r.Description, InputSchema: r.InputSchema,
		OutputSchema: r.OutputSchema, Implementation: portable(i), TestCases: r.TestCases, CreatedBy: r.CreatedBy, CreatedAt: r.CreatedAt,
		Source: r.Source, JudgeVerdicts: []json.RawMessage{},
	}
	if !opt.OmitUsage {
		t.UsageStats = r.UsageStats
	}
	if opt.OmitVerdicts {
		return t, nil
	}
	for _, v := range r.JudgeVerdicts[max(0, len(r.JudgeVerdicts)-maxVerdicts):] {
		text, err := unescaped(v)
		if err != nil {
			return t, err
		}
		t.JudgeVerdicts = append(t.JudgeVerdicts, text)
	}
	return t, nil
}

// portable is an implementation in the form of packages.
func portable(i tool.Implementation) PortableImplementation {
	if i.Mode == tool.ComposeMode {
		return PortableImplementation{Mode: i.Mode, Steps: i.Steps}
	}
	has := strings.TrimSpace(i.Code) != ""
	hasNot := !has
	p := PortableImplementation{
		Mode: i.Mode, Language: i.Language, Allowlist: append([]string{}, i.Allowlist...), TimeoutMs: i.TimeoutMs, MemoryMB: i.MemoryMB,
		SourcePersisted: &has, RedactedAtRest: &hasNot,
	}
	if has {
		p.Code = i.Code
	}
	return p
}

// implementation is what the package's tool does, in the form of requests.
func (p PortableImplementation) implementation() tool.Implementation {
	return tool.Implementation{
		Mode: p.Mode, Steps: p.Steps, Language: p.Language, Code: p.Code, Allowlist: slices.Clone(p.Allowlist), TimeoutMs: p.TimeoutMs,
		MemoryMB: p.MemoryMB,
	}
}

// unescaped is JSON with <, > and & as they are.
func unescaped(value any) (json.RawMessage, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, tool.Errorf(tool.Internal, "writing a package: %w", err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}
