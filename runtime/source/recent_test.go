package source

import (
	"strings"
	"testing"
)

func TestRecentIsBoundedByBytes(t *testing.T) {
	t.Parallel()
	r := newRecent(100)
	for _, name := range []string{"a", "b", "c"} {
		r.put(name, strings.Repeat(name, 40))
	}
	if _, ok := r.get("a"); ok {
		t.Error("the oldest stays beyond the bound")
	}
	if text, ok := r.get("b"); !ok || text != strings.Repeat("b", 40) {
		t.Error("a recent text is lost")
	}
	r.put("d", strings.Repeat("d", 40)) // c is now the least recently used
	if _, ok := r.get("c"); ok {
		t.Error("a text that was used lately left before one that was not")
	}
	r.put("e", strings.Repeat("e", 101))
	if _, ok := r.get("e"); ok || r.bytes != 80 {
		t.Errorf("a text beyond the bound was kept: %d bytes", r.bytes)
	}
}
