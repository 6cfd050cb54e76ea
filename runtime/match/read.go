package match

import "bytes"

// number is a JSON number as it is written.
type number string

// read returns a text that is known to be JSON as nil, bool, number, string (see Text), []any or map[string]any.
func read(text []byte) any {
	r := reader{text: text}
	return r.value()
}

type reader struct {
	text []byte
	at   int
}

func (r *reader) value() any {
	r.space()
	switch r.text[r.at] {
	case '{':
		return r.object()
	case '[':
		return r.list()
	case '"':
		return Text(r.literal())
	}
	switch word := r.word(); word[0] {
	case 'n':
		return nil
	case 't', 'f':
		return word == "true"
	default:
		return number(word)
	}
}

func (r *reader) list() []any {
	list := []any{}
	for r.at++; r.another(); {
		list = append(list, r.value())
	}
	return list
}

func (r *reader) object() map[string]any {
	object := map[string]any{}
	for r.at++; r.another(); {
		name := Text(r.literal())
		r.space()
		r.at++ // the colon
		object[name] = r.value()
	}
	return object
}

// another goes to the next member, or past the end, which it reports by false.
func (r *reader) another() bool {
	r.space()
	switch r.text[r.at] {
	case ']', '}':
		r.at++
		return false
	case ',':
		r.at++
		r.space()
	}
	return true
}

func (r *reader) space() {
	for r.at < len(r.text) && r.text[r.at] <= ' ' {
		r.at++
	}
}

// word reads what is neither a string nor has members.
func (r *reader) word() string {
	start := r.at
	for r.at < len(r.text) && r.text[r.at] > ' ' && bytes.IndexByte([]byte(",]}"), r.text[r.at]) < 0 {
		r.at++
	}
	return string(r.text[start:r.at])
}

// literal reads a string in its quotes.
func (r *reader) literal() []byte {
	start := r.at
	for r.at++; r.text[r.at] != '"'; r.at++ {
		if r.text[r.at] == '\\' {
			r.at++
		}
	}
	r.at++
	return r.text[start:r.at]
}
