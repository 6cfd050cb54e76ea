package tool

import (
	"bytes"
	"encoding/json"
)

// Canonical is the one text of a value that hashes are taken over: JSON without spaces, members of objects sorted by name,
// numbers as they were written, nothing escaped that need not be.
func Canonical(value any) ([]byte, error) {
	text, err := marshal(value)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var plain any
	if err := dec.Decode(&plain); err != nil {
		return nil, err
	}
	return marshal(plain)
}

// marshal is json.Marshal that leaves <, > and & as they are.
func marshal(value any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
