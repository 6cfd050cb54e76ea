package server

import (
	"encoding/base64"
	"net/url"

	"example.com/toolsmith/runtime/tool"
)

// A cursor is the key of the last item that was given, so that what comes and goes meanwhile neither repeats nor hides others.
func writeCursor(key string) string { return base64.RawURLEncoding.EncodeToString([]byte(key)) }

func readCursor(text string) (string, error) {
	key, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return "", &tool.Error{Code: tool.InvalidRequest, Message: "this is no cursor", Hint: "give next of the part before, as it was"}
	}
	return string(key), nil
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
