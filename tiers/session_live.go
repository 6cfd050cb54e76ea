package tiers

import "example.com/toolsmith/runtime/tool"

// liveAt is where the number of the live sessions of a persona stands, or that of its tenant when no persona is named.
func liveAt(of tool.Caller) []byte { return spentKey(of, "sessions") }

// liveSessions reads how many sessions there are of a tenant, or of a persona with its specialists. A store of an older program has no
// count of them yet.
func liveSessions(r Reader, of tool.Caller) (n int, err error) {
	text, found, err := r.Get(liveAt(of))
	if err != nil {
		return 0, err
	}
	if found {
		return n, decode(text, &n)
	}
	within := [][]byte{key(sessionSpace, of.Tenant)}
	if of.Persona != "" {
		within = [][]byte{key(sessionSpace, of.Tenant, of.Persona), unended(key(sessionSpace, of.Tenant, of.Persona+tool.RoleMark))}
	}
	for _, prefix := range within {
		if err := r.Scan(Range{Prefix: prefix}, func(_, _ []byte) (bool, error) { n++; return true, nil }); err != nil {
			return 0, err
		}
	}
	return n, nil
}

func sessionsLimit(n int, q tool.Quota) limited {
	return limited{"sessions", float64(n), float64(q.Sessions), "sessions"}
}

// mayBegin returns nil when a session is there, or its persona and its tenant may have one more.
func (s *Shelf) mayBegin(r Reader, c tool.Caller) error {
	if at, err := readSession(r, c); err != nil || at != nil {
		return err
	}
	for _, of := range counted(c) {
		quota, err := s.quotaOf(r, of)
		if err != nil {
			return err
		}
		n, err := liveSessions(r, of)
		if err != nil {
			return err
		}
		if l := sessionsLimit(n, quota); l.used >= l.most {
			wrong := l.over(of)
			wrong.Hint = "go on in a session that there is, end those that are no longer needed, or raise sessions"
			return wrong
		}
	}
	return nil
}

// countSession counts a session that is about to begin, or to end, and warns.
func (e *edit) countSession(c tool.Caller, by int) error {
	for _, of := range counted(c) {
		quota, err := e.shelf.quotaOf(e, of)
		if err != nil {
			return err
		}
		n, err := liveSessions(e, of)
		if err != nil {
			return err
		}
		now := max(n+by, 0)
		if err := e.set(liveAt(of), now); err != nil {
			return err
		}
		if err := e.warn(of, sessionsLimit(now, quota), float64(n)); err != nil {
			return err
		}
	}
	return nil
}
