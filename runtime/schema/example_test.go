package schema_test

import (
	"fmt"

	"example.com/toolsmith/runtime/schema"
)

func Example() {
	s, err := schema.Compile([]byte(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`))
	if err != nil {
		panic(err)
	}
	fmt.Println(s.Validate([]byte(`{"a":1,"b":2}`)))
	fmt.Println(s.Validate([]byte(`{"a":"1"}`)))
	// Output:
	// <nil>
	// invalid_input: 2 mismatches: /a: Expected type "number" but got "string": "1"; /b: Missing required property "b". (at /a)
}
