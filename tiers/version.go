package tiers

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/toolsmith/runtime/tool"
)

// History returns a version and those before it, newest first.
func (s *Shelf) History(ctx context.Context, tenant, id string) (list []*tool.Record, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		list = nil
		at, err := record(r, tenant, id)
		for err == nil && at != nil {
			list = append(list, at)
			at, err = findRecord(r, tenant, at.Supersedes)
		}
		return err
	})
	return list, asError(err)
}

// Revert makes a new version that does what an older one, to, did, with the older one's verdicts and approvals. It is
// refused when the older one was never approved for the tier that the tool has now, or what it did is suspended.
func (s *Shelf) Revert(ctx context.Context, by tool.Actor, id, to string) (made *tool.Record, err error) {
	err = s.change(ctx, by, func(e *edit) error {
		now, err := record(e, by.Tenant, id)
		if err != nil {
			return err
		}
		older, err := record(e, by.Tenant, to)
		if err != nil {
			return err
		}
		if err := e.mayRevert(now, older); err != nil {
			return err
		}
		made, err = e.revert(now, older)
		return err
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

func (e *edit) mayRevert(now, older *tool.Record) error {
	if now.SupersededBy != "" {
		return &tool.Error{Code: tool.Inactive, Message: "version " + now.SupersededBy + " has taken the place of this one", Hint: "revert that one"}
	}
	ours, err := e.descends(now, older.ID)
	switch {
	case err != nil:
		return err
	case !ours:
		return &tool.Error{Code: tool.InvalidRequest, Message: older.ID + " is no older version of " + now.ID, Hint: "list the versions to see which there are"}
	case older.Tier.Rank() < now.Tier.Rank():
		return refused(fmt.Sprintf("version %d was never approved for the %s tier", older.Version, now.Tier), "forge it anew and have it promoted")
	}
	return e.notBarred(older)
}

func (e *edit) revert(now, older *tool.Record) (*tool.Record, error) {
	whole, err := e.shelf.sealer.whole(e, e.by.Tenant, older)
	if err != nil {
		return nil, err
	}
	random, err := e.newID()
	if err != nil {
		return nil, err
	}
	r := *older
	r.ID, r.Version, r.Supersedes, r.SupersededBy = "emergent:"+random, now.Version+1, now.ID, ""
	r.Tier, r.SessionID, r.PersonaID, r.CreatedBy = now.Tier, now.SessionID, now.PersonaID, now.CreatedBy
	r.CreatedAt, r.IsActive, r.Suspended, r.FailuresInARow, r.Panels = tool.At(e.now), true, nil, 0, tool.Panels{}
	r.UsageStats = tool.UsageStats{ConfidenceScore: r.JudgeConfidence}
	r.Source = fmt.Sprintf("version %d of %s taken up again", older.Version, older.ID)
	if err := e.supersede(now, &r); err != nil {
		return nil, err
	}
	if err := e.add(&r, whole); err != nil {
		return nil, err
	}
	return &r, e.log(r.ID, tool.Reverted, fields{"from": now.ID, "to": older.ID, "version": r.Version, "sourceHash": r.SourceHash})
}

// Difference is a part in which two versions are not the same, as text.
type Difference struct {
	Part string `json:"part"` // a member of the record, or implementation/code
	From string `json:"from"`
	To   string `json:"to"`
}

// Diff compares what two versions promise and do. Code that is not there is the text "(not stored)".
func (s *Shelf) Diff(ctx context.Context, tenant, from, to string) (list []Difference, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		list = nil
		before, err := s.face(r, tenant, from)
		if err != nil {
			return err
		}
		after, err := s.face(r, tenant, to)
		if err != nil {
			return err
		}
		for i, part := range faceParts {
			if before[i] != after[i] {
				list = append(list, Difference{part, before[i], after[i]})
			}
		}
		return nil
	})
	return list, asError(err)
}

var faceParts = [...]string{"description", "inputSchema", "outputSchema", "implementation", "implementation/code", "testCases"}

// face is what of a version is compared, in the order of faceParts.
func (s *Shelf) face(r Reader, tenant, id string) (out [len(faceParts)]string, err error) {
	found, err := record(r, tenant, id)
	if err != nil {
		return out, err
	}
	code := "(not stored)"
	whole, err := s.sealer.whole(r, tenant, found)
	if err == nil {
		code = whole.Code
	}
	whole.Code, whole.CodeBytes, whole.Redacted, whole.Reason = "", 0, false, ""
	return [...]string{
		found.Description, indented(found.InputSchema), indented(found.OutputSchema), indented(whole), code, indented(found.TestCases),
	}, nil
}

func indented(value any) string {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}
