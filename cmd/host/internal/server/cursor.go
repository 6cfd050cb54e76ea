package server

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"net/url"

	"example.com/toolsmith/runtime/tool"
)

// A cursor is the key of the last item that was given, so that what comes and goes meanwhile neither repeats nor hides others. Its
// check sum tells one that was cut or made up, and its version one of another form.
func writeCursor(key string) string {
	text := binary.BigEndian.AppendUint32([]byte{cursorVersion}, crc32.ChecksumIEEE([]byte(key)))
	return base64.RawURLEncoding.EncodeToString(append(text, key...))
}

const (
	cursorVersion = 1
	cursorHead    = 5 // bytes before the key
)

func readCursor(text string) (string, error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil && len(raw) > cursorHead && writeCursor(string(raw[cursorHead:])) == text {
		return string(raw[cursorHead:]), nil
	}
	return "", &tool.Error{Code: tool.InvalidRequest, Message: "this is no cursor", Hint: "give next of the part before, as it was"}
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
