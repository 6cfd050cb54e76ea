//go:build linux && !portable

package wasmjs

import (
	"errors"
	"testing"

	"example.com/toolsmith/runtime/tool"
)

func TestNoAddressSpace(t *testing.T) {
	t.Parallel()
	e := testEngine(t, Options{})
	if in, err := e.module.newInstance(1<<62, false); !errors.Is(err, tool.Unavailable) {
		t.Errorf("got %v, %v", in, err)
	}
}
