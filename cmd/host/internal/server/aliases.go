package server

import (
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"example.com/toolsmith/runtime/tool"
)

// aliases stand in the document for types that write their JSON themselves.
var aliases = map[reflect.Type]reflect.Type{
	reflect.TypeFor[tool.Time]():    reflect.TypeFor[moment](),
	reflect.TypeFor[tool.Error]():   reflect.TypeFor[Failure](),
	reflect.TypeFor[tool.Verdict](): reflect.TypeFor[json.RawMessage](),
}

// moment is the JSON of a tool.Time, or of none.
type moment struct{}

// Schema makes it a time or null.
func (moment) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Nullable: true}
}

// Failure is the JSON of a tool.Error.
type Failure struct {
	Code         tool.Code       `json:"code"`
	Message      string          `json:"message"`
	Path         string          `json:"path,omitempty"`
	Line         int             `json:"line,omitempty"`
	Column       int             `json:"column,omitempty"`
	Snippet      string          `json:"snippet,omitempty"`
	Hint         string          `json:"hint,omitempty"`
	Limit        string          `json:"limit,omitempty"`
	Name         string          `json:"name,omitempty"`
	Stack        string          `json:"stack,omitempty"`
	Value        json.RawMessage `json:"value,omitempty"`
	RetryAfterMs int64           `json:"retryAfterMs,omitempty"`
}
