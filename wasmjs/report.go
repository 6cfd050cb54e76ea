package wasmjs

import (
	"encoding/json"
	"strings"
)

// report is what the guest tells of a thrown value (guest/shim/report.h).
type report struct {
	Error   bool            `json:"error"`
	Name    string          `json:"name"`
	Message string          `json:"message"`
	Stack   string          `json:"stack"`
	Hint    string          `json:"hint"`
	Value   json.RawMessage `json:"value"`
}

// readReport reads a report. One that memory did not suffice for reads as empty.
func readReport(text []byte) report {
	var r report
	if json.Unmarshal(text, &r) != nil {
		return report{}
	}
	return r
}

// summary is the report in one line.
func (r report) summary() string {
	switch {
	case !r.Error && len(r.Value) > 0 && r.Value[0] == '{' && strings.HasPrefix(r.Message, "[object "): // says less than what is in it
		const most = 500
		if len(r.Value) > most {
			return strings.ToValidUTF8(string(r.Value[:most]), "") + "…"
		}
		return string(r.Value)
	case r.Name != "" && r.Message != "":
		return r.Name + ": " + r.Message
	case r.Name != "":
		return r.Name
	case r.Message != "":
		return r.Message
	case len(r.Value) > 0:
		return string(r.Value)
	}
	return "a value that cannot be shown"
}
