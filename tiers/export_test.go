package tiers

import "example.com/toolsmith/runtime/tool"

// What tests compare counts with.
type Holdings = holdings

var (
	Stored     = stored
	ScanStored = scanStored
	StoredAt   = storedAt
)

// LiveSessions is what tests compare sessions with.
var LiveSessions = liveSessions

// ForgetLiveSessions makes the store of a tenant and some personas one without a count of sessions.
func ForgetLiveSessions(tenant string, personas ...string) func(Txn) error {
	return func(t Txn) error {
		for _, persona := range append(personas, "") {
			if err := t.Delete(liveAt(tool.Caller{Tenant: tenant, Persona: persona})); err != nil {
				return err
			}
		}
		return nil
	}
}

// BoundBodies sets how many bytes are kept of large answers.
func (s *Shelf) BoundBodies(persona, tenant int64) { s.bodies = bodyBounds{persona, tenant} }
