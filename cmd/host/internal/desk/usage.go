package desk

import (
	"context"

	"example.com/toolsmith/runtime/tool"
)

// Usage implements Desk.
func (d *Local) Usage(ctx context.Context) (tool.Usage, error) {
	if err := d.scopes.Require(tool.AllScopes()...); err != nil {
		return tool.Usage{}, err
	}
	u, err := d.host.Usage(ctx, d.by.Caller)
	if !d.scopes.Has(tool.ScopeAdmin) {
		u.Tenant = nil
	}
	return u, err
}
