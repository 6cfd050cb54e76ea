package desk

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// MaxReason bounds the texts that say why, in bytes.
const MaxReason = 1000

// Reason returns nil for a text that can stand in the audit log as the reason of a decision.
func Reason(text string) error {
	if len(text) > MaxReason {
		return &tool.Error{
			Code: tool.InvalidRequest, Path: "/reason", Message: fmt.Sprintf("the reason is longer than %d bytes", MaxReason), Hint: "say it in fewer words",
		}
	}
	return nil
}

// decidable finds a tool that the caller may decide on: any of the tenant for those who approve, else its own.
func (d *Local) decidable(ctx context.Context, which string) (*tool.Record, *tiers.Shelf, error) {
	if err := d.scopes.Require(tool.ScopeForge, tool.ScopeApprove); err != nil {
		return nil, nil, err
	}
	r, err := d.find(ctx, which)
	if err != nil {
		return nil, nil, err
	}
	if r.CreatedBy != d.by.Persona {
		if err := d.scopes.Require(tool.ScopeApprove); err != nil {
			return nil, nil, err
		}
	}
	shelf, err := d.host.Shelf(ctx)
	return r, shelf, err
}

// Promote implements Desk.
func (d *Local) Promote(ctx context.Context, which string, to tool.Tier, approvedBy string) (*tool.Record, *tool.PromotionVerdict, error) {
	if err := d.scopes.Require(tool.ScopeApprove); err != nil {
		return nil, nil, err
	}
	if d.approver != "" {
		if approvedBy != "" && !tool.SamePerson(approvedBy, d.approver) {
			return nil, nil, &tool.Error{
				Code: tool.Denied, Path: "/approvedBy", Message: "the key is that of " + d.approver + ", who cannot approve in the name of somebody else",
				Hint: "leave approvedBy out",
			}
		}
		approvedBy = d.approver
	}
	r, err := d.find(ctx, which)
	if err != nil {
		return nil, nil, err
	}
	risen, verdict, err := d.host.Promote(ctx, d.by, r.ID, to, approvedBy)
	return withoutCode(risen, err), verdict, err
}

// withoutCode is a changed record as callers get it.
func withoutCode(r *tool.Record, err error) *tool.Record {
	if err != nil || r == nil {
		return nil
	}
	return redacted(r)
}

// Demote implements Desk.
func (d *Local) Demote(ctx context.Context, which, reason string) (*tool.Record, error) {
	if strings.TrimSpace(reason) == "" {
		return nil, &tool.Error{Code: tool.InvalidRequest, Path: "/reason", Message: "a tool is demoted for a reason", Hint: "say why"}
	}
	if err := Reason(reason); err != nil {
		return nil, err
	}
	r, shelf, err := d.decidable(ctx, which)
	if err != nil {
		return nil, err
	}
	r, err = shelf.Demote(ctx, d.by, r.ID, reason)
	return withoutCode(r, err), err
}

// Suspend implements Desk.
func (d *Local) Suspend(ctx context.Context, which, reason string) (*tool.Record, error) {
	if err := Reason(reason); err != nil {
		return nil, err
	}
	r, shelf, err := d.decidable(ctx, which)
	if err != nil {
		return nil, err
	}
	why := tool.ByAdmin
	if reason != "" {
		why += tool.SuspendReason(": " + reason) // so that no text can be taken for a reason of the host's own
	}
	r, err = shelf.Suspend(ctx, d.by, r.ID, why)
	return withoutCode(r, err), err
}

// Resume implements Desk. A file's last line end may be more than what was approved: without it the hash may match.
func (d *Local) Resume(ctx context.Context, which string, with tiers.Resumption) (*tool.Record, error) {
	if err := d.scopes.Require(tool.ScopeApprove); err != nil {
		return nil, err
	}
	r, shelf, err := d.decidable(ctx, which)
	if err != nil {
		return nil, err
	}
	resumed, err := shelf.Resume(ctx, d.by, r.ID, with)
	if without, ended := strings.CutSuffix(with.Code, "\n"); ended && errors.Is(err, tool.Rejected) {
		with.Code = without
		resumed, err = shelf.Resume(ctx, d.by, r.ID, with)
	}
	return withoutCode(resumed, err), err
}

// Revert implements Desk.
func (d *Local) Revert(ctx context.Context, which, to string) (*tool.Record, error) {
	r, shelf, err := d.decidable(ctx, which)
	if err != nil {
		return nil, err
	}
	list, err := d.Versions(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	older, err := version(list, to)
	if err != nil {
		return nil, err
	}
	made, err := shelf.Revert(ctx, d.by, r.ID, older.ID)
	return withoutCode(made, err), err
}

// Remove implements Desk.
func (d *Local) Remove(ctx context.Context, which string) (*tool.Record, error) {
	r, shelf, err := d.decidable(ctx, which)
	if err != nil {
		return nil, err
	}
	if err := shelf.Remove(ctx, d.by, r.ID); err != nil {
		return nil, err
	}
	return redacted(r), nil
}
