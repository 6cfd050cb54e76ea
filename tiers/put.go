package tiers

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"example.com/toolsmith/runtime/tool"
)

// Put registers a tool at session tier, for the actor's session alone. A name that the caller sees taken by its own tool
// makes the next version of it: in the session it takes the older one's place; a wider tier keeps the older one until the
// new one is promoted. What the draft's Check says holds of the session as it is when the tool is registered: nothing of the
// session's comes between the two, from other processes neither. The returned record is on disk, as it is stored.
func (s *Shelf) Put(ctx context.Context, by tool.Actor, d tool.Draft) (*tool.Record, error) {
	hash, err := s.admit(by, d)
	if err != nil {
		return nil, asError(err)
	}
	var made *tool.Record
	for made == nil { // as long as the session gets other tools while the draft is checked
		known, err := s.checked(ctx, by.Caller, d.Check)
		if err != nil {
			return nil, err
		}
		err = s.change(ctx, by, func(e *edit) (err error) {
			made = nil
			if d.Check != nil {
				if overtaken, err := e.overtaken(known); overtaken || err != nil {
					return err
				}
			}
			made, err = e.register(d, hash)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return made, nil
}

// checked asks what is against registering a tool, and returns the ids of the session's tools that the answer bears in mind.
func (s *Shelf) checked(ctx context.Context, c tool.Caller, check func(context.Context) error) (known []string, err error) {
	if check == nil {
		return nil, nil
	}
	err = s.store.View(ctx, func(r Reader) (err error) {
		known, err = scopeIDs(r, c.Tenant, scopeOf(tool.SessionTier, c))
		return err
	})
	if err != nil {
		return nil, asError(err)
	}
	return known, asError(check(ctx))
}

// overtaken reports whether the session has tools other than those known.
func (e *edit) overtaken(known []string) (bool, error) {
	ids, err := scopeIDs(e, e.by.Tenant, scopeOf(tool.SessionTier, e.by.Caller))
	return slices.ContainsFunc(ids, func(id string) bool { return !slices.Contains(known, id) }), err
}

// admit checks what can be checked without the store, and returns the hash of the implementation.
func (s *Shelf) admit(by tool.Actor, d tool.Draft) (string, error) {
	if err := by.Validate(); err != nil {
		return "", err
	}
	hash, err := d.Implementation.Hash()
	switch {
	case err != nil:
		return "", err
	case tool.CheckName(d.Name) != "":
		return "", tool.NameError(d.Name, tool.CheckName(d.Name))
	case !d.Verdict.Approved:
		return "", &tool.Error{Code: tool.Rejected, Message: "the judge did not approve: " + d.Verdict.Reasoning}
	case d.Verdict.SourceHash != "" && d.Verdict.SourceHash != hash:
		return "", otherHash()
	case s.opt.Reserved(d.Name):
		return "", taken(d.Name, "a tool of the host")
	}
	return hash, nil
}

func otherHash() error {
	return &tool.Error{Code: tool.Rejected, Message: "the verdict was given for another implementation", Hint: "have this very implementation judged"}
}

func taken(name, by string) error {
	return &tool.Error{Code: tool.Collision, Path: "/name", Message: fmt.Sprintf("the name %s is taken by %s", name, by), Hint: "choose another name"}
}

func (e *edit) register(d tool.Draft, hash string) (*tool.Record, error) {
	id := d.ID
	if id == "" {
		random, err := e.newID()
		if err != nil {
			return nil, err
		}
		id = "emergent:" + random
	}
	if err := e.unused(id); err != nil {
		return nil, err
	}
	if err := notBarred(e, e.by.Caller, hash, e.now); err != nil {
		return nil, err
	}
	d.Verdict.SourceHash = hash
	r := &tool.Record{
		ID: id, Name: d.Name, Description: d.Description, InputSchema: d.InputSchema, OutputSchema: d.OutputSchema, TestCases: d.TestCases,
		Tier: tool.SessionTier, CreatedBy: e.by.Persona, PersonaID: e.by.Persona, SessionID: e.by.Session, CreatedAt: tool.At(e.now),
		JudgeVerdicts: []tool.Verdict{{Creation: &d.Verdict}}, JudgeConfidence: d.Verdict.Confidence,
		UsageStats: tool.UsageStats{ConfidenceScore: d.Verdict.Confidence}, IsActive: true, Version: 1, SourceHash: hash, Source: d.Source,
	}
	if d.Import != nil {
		r.ImportedVerdicts = d.Import.Verdicts
	}
	if r.Source == "" {
		r.Source = fmt.Sprintf("forged by agent %s during session %s", e.by.Persona, e.by.Session)
	}
	if len(r.OutputSchema) == 0 {
		r.OutputSchema = json.RawMessage("{}")
	}
	older, err := e.follow(r)
	if err != nil {
		return nil, err
	}
	if err := e.add(r, d.Implementation); err != nil {
		return nil, err
	}
	if err := e.touch(e.by.Caller); err != nil {
		return nil, err
	}
	if d.Import != nil {
		if err := e.log(r.ID, tool.Imported, d.Import); err != nil {
			return nil, err
		}
	}
	data := fields{"tier": r.Tier, "name": r.Name, "version": r.Version, "sourceHash": hash, "verdict": d.Verdict}
	if older != nil && older.Suspended != nil {
		data["followsSuspended"] = older.Suspended
	}
	return r, e.log(r.ID, tool.Registered, data)
}

func (e *edit) unused(id string) error {
	if len(id) > tool.MaxIdentityBytes {
		return &tool.Error{Code: tool.InvalidRequest, Path: "/id", Message: "the id is too long", Hint: "at most 200 bytes"}
	}
	found, err := findRecord(e, e.by.Tenant, id)
	if err == nil && found != nil {
		return &tool.Error{Code: tool.Collision, Path: "/id", Message: "tool " + id + " is already registered"}
	}
	return err
}

// add writes a new record with its code.
func (e *edit) add(r *tool.Record, whole tool.Implementation) error {
	if err := e.shelf.sealer.keep(e, e.by.Tenant, r, whole); err != nil {
		return err
	}
	if err := e.place(r); err != nil {
		return err
	}
	return e.roomForMore()
}

// follow makes r the next version of what the caller sees under its name, which it returns, or checks that there is room for a new one.
func (e *edit) follow(r *tool.Record) (older *tool.Record, err error) {
	if older, err = takenFrom(e, e.by.Caller, r.Name); err != nil {
		return nil, err
	}
	if older != nil {
		r.Version, r.Supersedes = older.Version+1, older.ID
		if older.Tier == tool.SessionTier {
			return older, e.supersede(older, r)
		}
	}
	return older, e.room(scopeOf(tool.SessionTier, e.by.Caller), e.shelf.opt.Rules.MaxSessionTools, "Session")
}

// supersede makes a record history.
func (e *edit) supersede(older, newer *tool.Record) error {
	older.SupersededBy = newer.ID
	return e.save(older)
}

// room checks that a scope holds fewer than most names.
func (e *edit) room(scope *tool.Record, most int, what string) error {
	n, err := count(e, e.by.Tenant, scope)
	if err == nil && n >= most {
		return &tool.Error{
			Code: tool.Limit, Message: fmt.Sprintf("%s tool limit reached: %d of %d", what, n, most),
			Hint: "remove a tool that is no longer needed, or raise max" + what + "Tools",
		}
	}
	return err
}
