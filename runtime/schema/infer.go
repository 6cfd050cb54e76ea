package schema

import (
	"fmt"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Infer makes the schema of an object from examples of it. Each field of any example is a property, in the order of
// appearance; its type is what the examples have, a list when they differ, and numbers are "number", never "integer".
// Required are the fields that every example has, and no others are allowed. Where all examples have null, a string is
// taken for what is not there. Examples that are no objects are skipped, what stands within the fields is not looked
// at, and without any field the schema is nil: there is nothing to go by. The examples themselves fit the schema. The
// error is a *tool.Error of code InvalidRequest for an example that Decode cannot read, or when the schema would be one
// that Compile refuses.
func Infer(examples ...[]byte) ([]byte, error) {
	found := fields{at: map[string]*field{}}
	for i, example := range examples {
		v, err := decode(example, MaxValueDepth)
		if err != nil {
			err.Code, err.Message = tool.InvalidRequest, fmt.Sprintf("example %d: %s", i+1, err.Message)
			return nil, err
		}
		if v.kind == object {
			found.add(v)
		}
	}
	if len(found.keys) == 0 {
		return nil, nil
	}
	inferred := found.schema()
	if _, err := Compile(inferred); err != nil {
		return nil, err
	}
	return inferred, nil
}

// fields are what the examples have.
type fields struct {
	examples int
	keys     []string // in the order of appearance
	at       map[string]*field
}

func (f *fields) add(example *Value) {
	f.examples++
	for i, key := range example.keys {
		if f.at[key] == nil {
			f.keys, f.at[key] = append(f.keys, key), &field{}
		}
		f.at[key].add(example.items[i].kind)
	}
}

func (f *fields) schema() []byte {
	properties := []byte(`{"type":"object","properties":{`)
	required := []byte(`},"required":[`)
	needed := 0
	for i, key := range f.keys {
		properties = append(appendString(separate(properties, i), key), ':')
		properties = append(properties, f.at[key].schema()...)
		if f.at[key].count == f.examples {
			required = appendString(separate(required, needed), key)
			needed++
		}
	}
	return append(append(properties, required...), `],"additionalProperties":false}`...)
}

// field is what the examples have at a key.
type field struct {
	types []kind // in the order of appearance
	count int
}

func (f *field) add(k kind) {
	f.count++
	if !slices.Contains(f.types, k) {
		f.types = append(f.types, k)
	}
}

func (f *field) schema() string {
	types := f.types
	if len(types) == 1 && types[0] == null {
		types = []kind{text, null}
	}
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = `"` + kindNames[t] + `"`
	}
	if len(names) == 1 {
		return `{"type":` + names[0] + `}`
	}
	return `{"type":[` + strings.Join(names, ",") + `]}`
}
