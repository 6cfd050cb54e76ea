package tool

import (
	"encoding/json"
	"time"
)

// Time is a moment as it stands in records: ISO 8601 in UTC, with milliseconds and a Z.
type Time struct{ time.Time }

const isoMillis = "2006-01-02T15:04:05.000Z"

// At is t as it stands in records: finer parts than a millisecond are cut off.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// MarshalJSON writes the moment as text.
func (t Time) MarshalJSON() ([]byte, error) {
	return json.Marshal(t.UTC().Format(isoMillis))
}

// UnmarshalJSON reads what RFC 3339 allows.
func (t *Time) UnmarshalJSON(text []byte) error {
	var parsed time.Time
	if err := json.Unmarshal(text, &parsed); err != nil {
		return err
	}
	*t = At(parsed)
	return nil
}
