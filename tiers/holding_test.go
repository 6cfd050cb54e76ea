package tiers_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

func TestHolding(t *testing.T) {
	t.Parallel()
	if goruntime.GOOS != "linux" && goruntime.GOOS != "darwin" {
		t.Skip("stores are not shared here")
	}
	for name, dir := range map[string]string{
		"a path": filepath.Join(t.TempDir(), "store"), "a path too long for a socket": filepath.Join(t.TempDir(), strings.Repeat("x", 120)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if h, err := tiers.HoldingOf(dir); !errors.Is(err, tool.Unavailable) {
				t.Errorf("nothing is there: %+v, %v", h, err)
			}
			s, err := tiers.OpenStore(t.Context(), tiers.StoreOptions{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			h, err := tiers.HoldingOf(dir)
			if err != nil || !strings.HasPrefix(h.Holder, fmt.Sprintf("process %d", os.Getpid())) {
				t.Errorf("while it is held: %+v, %v", h, err)
			}
			if info, err := os.Stat(h.Socket); err != nil || info.Mode().Type() != os.ModeSocket {
				t.Errorf("the socket: %+v, %v", h, err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			h, err = tiers.HoldingOf(dir)
			for end := time.Now().Add(time.Minute); h.Holder != "" && time.Now().Before(end); h, err = tiers.HoldingOf(dir) {
				time.Sleep(time.Millisecond) // a process that another test starts has our files until it runs its program
			}
			if err != nil || h != (tiers.Holding{}) {
				t.Errorf("afterwards: %+v, %v", h, err)
			}
			s, err = tiers.OpenStore(t.Context(), tiers.StoreOptions{Dir: dir}) // looking leaves no lock
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
