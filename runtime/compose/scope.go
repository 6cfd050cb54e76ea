package compose

// scope is what references refer to, at one step of a run.
type scope struct {
	input *value
	steps []*value // what the earlier ones returned
}

// prev is what the step before returned.
func (s *scope) prev() *value {
	if len(s.steps) == 0 {
		return null
	}
	return s.steps[len(s.steps)-1]
}

// find returns what a reference refers to, nil when there is no such thing.
func (s *scope) find(r Reference) *value {
	v := s.root(r)
	for _, key := range r.Path {
		if v = v.child(key); v == nil {
			return nil
		}
	}
	return v
}

func (s *scope) root(r Reference) *value {
	switch r.Root {
	case "input":
		return s.input
	case "prev":
		return s.prev()
	}
	return s.steps[r.Step]
}
