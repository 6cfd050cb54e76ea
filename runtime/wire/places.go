package wire

// Places knows where the values of a YAML document stand. Its zero value is a document without any.
type Places struct{ root *node }

// FindPlaces reads a document for its places alone. The error is that of YAML.
func FindPlaces(text []byte) (Places, error) {
	if err := bounded(text, MaxYAMLBytes); err != nil {
		return Places{}, err
	}
	root, err := parseYAML(text)
	return Places{root}, err
}

// Of returns the line and column, counted from 1, of the value at the end of a path of keys and indexes; zeros when there is
// no such value.
func (p Places) Of(path ...string) (line, column int) {
	n := p.root
	for _, name := range path {
		if n != nil {
			n = n.child(name)
		}
	}
	if n == nil {
		return 0, 0
	}
	return n.line, n.column
}
