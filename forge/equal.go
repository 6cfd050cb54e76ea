package forge

import (
	"encoding/json"

	"example.com/toolsmith/runtime/match"
)

// equal reports whether an output is what a test case expects: numbers may be a little apart, and with partial objects may
// have members more. If not, path is the JSON pointer to the first difference.
func equal(expected, actual json.RawMessage, partial bool) (path string, ok bool) {
	return match.JSON(expected, actual, match.Rules{Partial: partial, Close: true})
}
