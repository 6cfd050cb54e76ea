package toolsmith

import (
	"context"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime/tool"
)

// ExportOptions say how a tool is packed. The zero value is YAML without the source of code, and not signed.
type ExportOptions struct {
	forge.PackageOptions
	WithSource bool // else code is left out, and what is left can be reviewed, but not imported
	JSON       bool // else YAML
}

// ExportTool packs a version of a tool for another host. What is returned is in the audit log.
func (h *Host) ExportTool(ctx context.Context, by tool.Actor, id string, opt ExportOptions) ([]byte, error) {
	r, i, err := h.version(ctx, by, id, opt.WithSource)
	if err != nil {
		return nil, err
	}
	if opt.ExportedAt.IsZero() {
		opt.ExportedAt = h.opt.Now()
	}
	p, err := forge.BuildPackage(r, i, opt.PackageOptions)
	if err != nil {
		return nil, err
	}
	text, err := written(p, opt.JSON)
	if err != nil {
		return nil, err
	}
	data := map[string]any{"name": r.Name, "digest": p.Digest(), "source": p.Portability.Portable}
	if s := p.Integrity.Signature; s != nil {
		data["keyId"] = s.KeyID
	}
	return text, h.shelf.Log(ctx, by, r.ID, tool.Exported, data)
}

// written is the text of a package, which must be one that is read again.
func written(p *forge.Package, asJSON bool) (text []byte, err error) {
	if asJSON {
		text, err = p.JSON()
	} else {
		text, err = p.YAML()
	}
	if err == nil {
		_, err = forge.ReadPackage(text)
	}
	if err != nil {
		e := *tool.AsError(err)
		e.Message, e.Path, e.Line = "the tool cannot be packed: "+e.Message, "", 0
		e.Hint = "pack it as JSON if it nests too deep for YAML; else forge it with fewer or smaller test cases"
		return nil, &e
	}
	return text, nil
}

// version returns a record with its implementation, which is redacted unless its source is wanted.
func (h *Host) version(ctx context.Context, by tool.Actor, id string, withSource bool) (*tool.Record, tool.Implementation, error) {
	if err := by.Validate(); err != nil {
		return nil, tool.Implementation{}, err
	}
	leave, err := h.enter(ctx)
	if err != nil {
		return nil, tool.Implementation{}, err
	}
	defer leave()
	r, err := h.shelf.Get(ctx, by.Tenant, id)
	if err != nil {
		return nil, tool.Implementation{}, err
	}
	if !withSource {
		return r, r.Implementation.Redact(), nil
	}
	i, err := h.shelf.Implementation(ctx, by.Tenant, id)
	return r, i, err
}

// ImportTool takes the tool of a package, in YAML or JSON, through all gates, and registers it for the caller's session, as
// Forge does with a request. The result is never nil.
func (h *Host) ImportTool(ctx context.Context, c tool.Caller, text []byte, trust forge.Trust) (*forge.Result, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return &forge.Result{}, err
	}
	defer leave()
	return h.observed(ctx, c, func(ctx context.Context) (*forge.Result, error) {
		return h.forge.Import(ctx, tool.Actor{Caller: c}, text, trust)
	})
}

// ExportSkill writes a tool as a skill, for agents that read skills, into a folder of its own below a directory. Code is
// not part of it.
func (h *Host) ExportSkill(ctx context.Context, by tool.Actor, id, dir string) (*forge.WrittenSkill, error) {
	r, i, err := h.version(ctx, by, id, false)
	if err != nil {
		return nil, err
	}
	written, err := forge.WriteSkill(dir, r, i)
	if err != nil {
		return nil, err
	}
	return written, h.shelf.Log(ctx, by, r.ID, tool.Exported, map[string]any{"name": r.Name, "skill": written.Name, "version": written.Version})
}
