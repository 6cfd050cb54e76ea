package forge

import "encoding/json"

// envelopes are the members in which models put a request, or the arguments of a call of forge_tool.
var envelopes = map[string]bool{"tool": true, "request": true, "function": true, "arguments": true, "input": true}

// maxEnvelopes bounds how many are opened, one within the other.
const maxEnvelopes = 4

// unwrap takes a request out of its envelopes. It is what it was when nothing, or more than one thing, can be meant.
func (r *requestReader) unwrap(object json.RawMessage) json.RawMessage {
	inner, at := object, ""
	for range maxEnvelopes {
		key, value, ok := envelope(inner)
		if !ok {
			break
		}
		inner, at = value, pointer(at, key)
	}
	if at == "" || !isRequest(inner) {
		return object
	}
	r.note("%s is read as the request: what stands around it is ignored", at)
	return inner
}

// envelope returns the member that an object is an envelope of: the only one of them, with nothing of a request beside it but
// the name forge_tool.
func envelope(object json.RawMessage) (key string, value json.RawMessage, ok bool) {
	for _, m := range membersOf(object) {
		word := fold(m.key)
		switch {
		case envelopes[word]:
			if ok {
				return "", nil, false
			}
			key, value, ok = m.key, m.value, true
		case word == "name" && string(m.value) == `"forge_tool"`:
		case requestWords.names[word] != "" || requestWords.refused[word] != "":
			return "", nil, false
		}
	}
	if ok {
		value, ok = objectIn(value)
	}
	return key, value, ok
}

// objectIn is an object, be it within text.
func objectIn(value json.RawMessage) (json.RawMessage, bool) {
	if isText(value) {
		text, _, _ := unfence(textOf(value))
		read, err := compact([]byte(text))
		if err != nil {
			return nil, false
		}
		value = read
	}
	return value, value[0] == '{'
}

// isRequest reports whether an object has what nothing but a request has.
func isRequest(object json.RawMessage) bool {
	for _, m := range membersOf(object) {
		if name := requestWords.names[fold(m.key)]; name == "name" || name == "implementation" {
			return true
		}
	}
	return false
}
