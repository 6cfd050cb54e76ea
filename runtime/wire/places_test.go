package wire_test

import (
	"testing"

	"example.com/toolsmith/runtime/wire"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	places, err := wire.FindPlaces([]byte(houseYAML))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path         []string
		line, column int
	}{
		{[]string{"name"}, 2, 7},
		{[]string{"rooms", "1", "door"}, 5, 11},
		{[]string{"keys", "back door"}, 7, 34},
		{[]string{"name", "door"}, 0, 0},
		{[]string{"rooms", "2"}, 0, 0},
		{[]string{"roof", "colour"}, 0, 0},
	} {
		if line, column := places.Of(c.path...); line != c.line || column != c.column {
			t.Errorf("%q stands at %d:%d, want %d:%d", c.path, line, column, c.line, c.column)
		}
	}
	if line, column := (wire.Places{}).Of("name"); line != 0 || column != 0 {
		t.Errorf("no document has a place %d:%d", line, column)
	}
	if _, err := wire.FindPlaces([]byte("a: &b 1")); err == nil {
		t.Error("an anchor has a place")
	}
}
