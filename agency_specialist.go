package toolsmith

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"example.com/toolsmith/hierarchy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// specialists keeps those of the shared tier: for each agency of a tenant, by its name, all versions of each.
type specialists struct {
	shelf *tiers.Shelf
	now   func() time.Time
}

// keptSpecialist is a specialist with its versions, the oldest first.
type keptSpecialist struct {
	Versions []SpecialistVersion `json:"versions"`
}

// SpecialistVersion is a version of a specialist of the shared tier.
type SpecialistVersion struct {
	Version    int                  `json:"version"` // from 1
	Specialist hierarchy.Specialist `json:"specialist"`
	ApprovedBy string               `json:"approvedBy"`
	At         tool.Time            `json:"at"`
}

// SharedSpecialist is a specialist that all runs of an agency in a tenant have.
type SharedSpecialist struct {
	Agency string `json:"agency"`
	SpecialistVersion
}

// maxVersions is how many versions are kept of one.
const maxVersions = 20

// owner is what an agency is called where documents belong to personas. No persona has that name.
func owner(agency string) string { return "agency" + tool.RoleMark + agency }

func specialistRef(tenant, agency, role string) tool.DocumentRef {
	return tool.DocumentRef{Kind: tool.Specialists, Tenant: tenant, Persona: owner(agency), ID: tool.FoldName(role)}
}

// Load implements hierarchy.Shelf.
func (s specialists) Load(ctx context.Context, c tool.Caller, agency string) (list []hierarchy.Specialist, err error) {
	newest, err := s.newest(ctx, c.Tenant, agency)
	for _, v := range newest {
		list = append(list, v.Specialist)
	}
	return list, err
}

// newest returns the newest version of each specialist of an agency, the oldest first.
func (s specialists) newest(ctx context.Context, tenant, agency string) (newest []SpecialistVersion, err error) {
	err = s.shelf.Documents(ctx, specialistRef(tenant, agency, ""), func(_ string, text []byte) (bool, error) {
		var kept keptSpecialist
		if err := json.Unmarshal(text, &kept); err != nil || len(kept.Versions) == 0 {
			return false, tool.Errorf(tool.Internal, "a specialist of %s cannot be read", tool.Quote(agency))
		}
		newest = append(newest, kept.Versions[len(kept.Versions)-1])
		return true, nil
	})
	slices.SortStableFunc(newest, func(a, b SpecialistVersion) int { return a.At.Compare(b.At.Time) })
	return newest, err
}

// Save implements hierarchy.Shelf.
func (s specialists) Save(ctx context.Context, by tool.Actor, agency string, one hierarchy.Specialist) (version int, err error) {
	err = s.shelf.EditDocument(ctx, by, specialistRef(by.Tenant, agency, one.Role), func(old []byte) (change tool.DocumentChange, err error) {
		var kept keptSpecialist
		if old != nil {
			if err := json.Unmarshal(old, &kept); err != nil {
				return change, tool.Errorf(tool.Internal, "the specialist %s cannot be read: %w", tool.Quote(one.Role), err)
			}
		}
		version = 1
		if n := len(kept.Versions); n > 0 {
			version = kept.Versions[n-1].Version + 1
		}
		kept.Versions = append(kept.Versions, SpecialistVersion{version, one, by.Name, tool.At(s.now())})
		kept.Versions = kept.Versions[max(0, len(kept.Versions)-maxVersions):]
		change.Events = []tool.DocumentEvent{{Type: tool.SpecialistKept, Data: specialistKept{agency, one.Role, version, by.Name}}}
		change.Value, err = json.Marshal(kept)
		return change, err
	})
	return version, err
}

// specialistKept is the data of the audit entry of a specialist that others may have from now on.
type specialistKept struct {
	Agency     string `json:"agency"`
	Role       string `json:"role"`
	Version    int    `json:"version"`
	ApprovedBy string `json:"approvedBy"`
}

// SharedSpecialists returns the newest versions of the specialists that a tenant keeps for an agency, the oldest first; with "",
// for all agencies, by name.
func (h *Host) SharedSpecialists(ctx context.Context, tenant, agency string) (list []SharedSpecialist, err error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	agencies := []string{owner(agency)}
	if agency == "" {
		if agencies, err = h.shelf.Personas(ctx, tenant, tool.Specialists); err != nil {
			return nil, err
		}
	}
	for _, name := range agencies {
		name = strings.TrimPrefix(name, owner(""))
		newest, err := specialists{h.shelf, h.opt.Now}.newest(ctx, tenant, name)
		if err != nil {
			return nil, err
		}
		for _, v := range newest {
			list = append(list, SharedSpecialist{name, v})
		}
	}
	return list, nil
}

// RemoveSpecialist removes a specialist of the shared tier with all its versions. Runs that have begun keep it. The error is
// NotFound when it is not there.
func (h *Host) RemoveSpecialist(ctx context.Context, by tool.Actor, agency, role string) error {
	leave, err := h.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return h.shelf.EditDocument(ctx, by, specialistRef(by.Tenant, agency, role), func(old []byte) (change tool.DocumentChange, err error) {
		if old == nil {
			e := tool.Errorf(tool.NotFound, "the agency %s has no specialist %s", tool.Quote(agency), tool.Quote(role))
			e.Hint = "list those that there are"
			return change, e
		}
		change.Events = []tool.DocumentEvent{{Type: tool.SpecialistRemoved, Data: map[string]string{"agency": agency, "role": role}}}
		return change, nil
	})
}
