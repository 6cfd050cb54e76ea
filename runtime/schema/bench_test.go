package schema_test

import (
	"strings"
	"testing"

	"example.com/toolsmith/runtime/schema"
)

const order = `{"type":"object","properties":{"id":{"type":"integer","minimum":1},"email":{"type":"string","pattern":"^[^@ ]+@[^@ ]+$","maxLength":100},
	"currency":{"enum":["EUR","USD","GBP"]},"note":{"type":["string","null"]},
	"lines":{"type":"array","minItems":1,"items":{"type":"object","properties":{"sku":{"type":"string","minLength":3},"count":{"type":"integer","minimum":1},
		"price":{"type":"number","multipleOf":0.01}},"required":["sku","count","price"],"additionalProperties":false}}},
	"required":["id","currency","lines"],"additionalProperties":false}`

func orderOf(lines int) []byte {
	return []byte(`{"id":4711,"email":"someone@example.com","currency":"EUR","note":null,"lines":[` +
		strings.TrimSuffix(strings.Repeat(`{"sku":"ABC-1234","count":2,"price":19.99},`, lines), ",") + `]}`)
}

func BenchmarkValidate1KB(b *testing.B) {
	s := compile(b, order)
	value := orderOf(21)
	b.SetBytes(int64(len(value)))
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Validate(value); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValidateValue1KB(b *testing.B) {
	s := compile(b, order)
	v, err := schema.Decode(orderOf(21))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.ValidateValue(v); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := schema.Compile([]byte(order)); err != nil {
			b.Fatal(err)
		}
	}
}
