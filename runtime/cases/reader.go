package cases

import (
	"bytes"
	"encoding/json"

	"example.com/toolsmith/runtime/match"
)

// reader walks a valid JSON text and knows where in it each token stands.
type reader struct {
	*json.Decoder
	text []byte
}

func newReader(text []byte) *reader {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return &reader{d, text}
}

// start is the offset of the next token or value.
func (r *reader) start() int {
	at := int(r.InputOffset())
	for at < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[at]) >= 0 {
		at++
	}
	return at
}

// token reads one token, and returns it with its literal text.
func (r *reader) token() (json.Token, []byte) {
	at := r.start()
	token, _ := r.Token() // the text is valid
	return token, r.text[at:r.InputOffset()]
}

// raw reads one whole value as its literal text and offset.
func (r *reader) raw() (literal json.RawMessage, at int) {
	at = r.start()
	_ = r.Decode(&literal)
	return r.text[at:r.InputOffset()], at
}

// member is one member of an object, or element of a list (then without a name).
type member struct {
	name    string
	nameAt  int // offset of the name in the text
	value   json.RawMessage
	valueAt int
}

// members reads the members of the object, or the elements of the list, at offset at of a valid text.
func (r *reader) members() []member {
	open, _ := r.token()
	var all []member
	for r.More() {
		var m member
		if open == json.Delim('{') {
			m.nameAt = r.start()
			_, name := r.token()
			m.name = match.Text(name)
		}
		m.value, m.valueAt = r.raw()
		all = append(all, m)
	}
	return all
}
