package forge

import (
	"encoding/json"
	"testing"
)

func TestEqualTakesWhatATestCaseMeans(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		expected, actual string
		partial          bool
		path             string
		ok               bool
	}{
		{`{"a":0.3,"b":[-0]}`, `{"b":[0],"a":0.30000000000000004}`, false, "", true},
		{`{"id":9007199254740993}`, `{"id":9007199254740992}`, false, "/id", false},
		{`{"a":{"b":1}}`, `{"a":{"b":1,"c":2}}`, false, "/a/c", false},
		{`{"a":{"b":1}}`, `{"a":{"b":1,"c":2},"d":3}`, true, "", true},
		{`{"a":{"b":1}}`, `{"a":{"c":2}}`, true, "/a/b", false},
	} {
		path, ok := equal(json.RawMessage(c.expected), json.RawMessage(c.actual), c.partial)
		if path != c.path || ok != c.ok {
			t.Errorf("%s and %s: %q %v, want %q %v", c.expected, c.actual, path, ok, c.path, c.ok)
		}
	}
}
