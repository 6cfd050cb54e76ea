package server

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"net/url"
)

// A cursor is the key of the last item that was given, so that what comes and goes meanwhile neither repeats nor hides others. Its
// check sum, which is over the path of its list as well, tells one that was cut, made up or given by another list, and its version one
// of another form.
func writeCursor(list, key string) string {
	text := binary.BigEndian.AppendUint32([]byte{cursorVersion}, crc32.ChecksumIEEE([]byte(list+"\x00"+key)))
	return base64.RawURLEncoding.EncodeToString(append(text, key...))
}

const (
	cursorVersion = 2
	cursorHead    = 5 // bytes before the key
)

// readCursor returns the key that a cursor of a list holds; false when it is none.
func readCursor(list, text string) (key string, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(raw) <= cursorHead {
		return "", false
	}
	key = string(raw[cursorHead:])
	return key, writeCursor(list, key) == text
}

// withQuery is a path with the parameters that are not empty.
func withQuery(path string, query map[string]string) string {
	values := url.Values{}
	for name, value := range query {
		if value != "" {
			values.Set(name, value)
		}
	}
	return path + "?" + values.Encode()
}
