package tiers

// bodyBounds are how many bytes are kept of large bodies of answers: the oldest go first, and what is left of their answers says that
// they were given.
type bodyBounds struct{ persona, tenant int64 }

var defaultBodyBounds = bodyBounds{persona: 64 << 20, tenant: 256 << 20}

// largeBody is from how many bytes on a body is counted. Smaller ones are bounded by MaxAnswers.
const largeBody = 1 << 10

// bodies is where the large bodies of a persona stand in the order of their age, or those of its tenant when no persona is named.
func bodies(of AnswerRef, at ...string) []byte {
	return key(answerSpace, append([]string{of.Tenant, of.Persona, "body"}, at...)...)
}

func bodyBytes(of AnswerRef) []byte { return key(answerSpace, of.Tenant, of.Persona, "bytes") }

// aged is the answer of a persona from a moment.
type aged struct {
	AnswerRef
	when string
}

// counters are whose bytes an answer's body counts for, each with where it stands among theirs.
func (a aged) counters() map[AnswerRef][]byte {
	own, all := AnswerRef{Tenant: a.Tenant, Persona: a.Persona}, AnswerRef{Tenant: a.Tenant}
	return map[AnswerRef][]byte{own: bodies(own, a.when, a.Key), all: bodies(all, a.when, a.Key, a.Persona)}
}

// addBody counts the body of an answer, and drops the oldest bodies when there are too many bytes of them.
func (e *edit) addBody(a aged, size int) error {
	if size < largeBody {
		return nil
	}
	for of, at := range a.counters() {
		if err := e.set(at, size); err != nil {
			return err
		}
		if err := e.countBody(of, int64(size)); err != nil {
			return err
		}
	}
	bounds := e.shelf.bodies
	if err := e.trimBodies(AnswerRef{Tenant: a.Tenant, Persona: a.Persona}, bounds.persona); err != nil {
		return err
	}
	return e.trimBodies(AnswerRef{Tenant: a.Tenant}, bounds.tenant)
}

// dropBody takes the body of an answer out of the count, if it is in it.
func (e *edit) dropBody(a aged) error {
	for of, at := range a.counters() {
		size, err := e.number(at)
		if err != nil || size == 0 {
			return err
		}
		if err := e.Delete(at); err != nil {
			return err
		}
		if err := e.countBody(of, -size); err != nil {
			return err
		}
	}
	return nil
}

func (e *edit) countBody(of AnswerRef, by int64) error {
	n, err := e.number(bodyBytes(of))
	if err != nil {
		return err
	}
	return e.set(bodyBytes(of), n+by)
}

// number reads a count; what is not there is 0.
func (e *edit) number(at []byte) (n int64, err error) {
	text, found, err := e.Get(at)
	if err != nil || !found {
		return 0, err
	}
	return n, decode(text, &n)
}

// trimBodies drops the oldest bodies of a persona, or of a tenant, until there are no more bytes of them than may be.
func (e *edit) trimBodies(of AnswerRef, most int64) error {
	over, err := e.number(bodyBytes(of))
	over -= most
	if err != nil || over <= 0 {
		return err
	}
	var old []aged
	err = e.Scan(Range{Prefix: bodies(of)}, func(k, text []byte) (bool, error) {
		all, ok := parts(k)
		if !ok || over <= 0 {
			return false, nil
		}
		persona := of.Persona
		if persona == "" {
			persona = all[6]
		}
		old = append(old, aged{AnswerRef{of.Tenant, persona, all[5]}, all[4]})
		var size int64
		err := decode(text, &size)
		over -= size
		return true, err
	})
	if err != nil {
		return err
	}
	for _, a := range old {
		if err := e.stripAnswer(a); err != nil {
			return err
		}
	}
	return nil
}

// stripAnswer drops the body of an answer and leaves the rest.
func (e *edit) stripAnswer(a aged) error {
	found, err := readAnswer(e, a.AnswerRef)
	if err != nil {
		return err
	}
	if found != nil {
		found.Body = nil
		if err := e.set(answerKey(a.AnswerRef), found); err != nil {
			return err
		}
	}
	return e.dropBody(a)
}
