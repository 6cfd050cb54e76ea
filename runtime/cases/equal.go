package cases

import (
	"encoding/json"

	"example.com/toolsmith/runtime/match"
)

// Equal reports whether two JSON texts hold the same value, exactly: see package match. A text that is not valid JSON, or
// nests deeper than 10,000, equals nothing.
func Equal(a, b json.RawMessage) bool {
	_, same := match.JSON(a, b, match.Rules{})
	return same
}
