//go:build unix

package hostapi_test

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// Nothing but regular files is read, and nothing else is waited for.
func TestReadFileTouchesRegularFilesAlone(t *testing.T) {
	t.Parallel()
	g, dir := files(t, map[string]string{"a": "x"})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	short, err := os.MkdirTemp("", "s") //nolint:usetesting // whose folder may have too long a name for a socket
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(short)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(short, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if err := os.Rename(filepath.Join(short, "s"), filepath.Join(dir, "s")); err != nil {
		t.Fatal(err)
	}
	g.limits.Timeout = 2 * time.Second
	for _, name := range []string{"pipe", "s"} {
		g.fails(t, `async function execute() { await fs.readFile('`+name+`', null) }`, tool.Denied, "regular file")
	}
	writer, err := os.OpenFile(filepath.Join(dir, "pipe"), os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if !errors.Is(err, syscall.ENXIO) {
		t.Errorf("somebody reads the pipe: %v %v", writer, err)
	}
}

// The state of devices, of the kernel and of processes is not readable even when its folder is granted.
func TestReadFileKeepsOutOfTheKernel(t *testing.T) {
	t.Parallel()
	if goruntime.GOOS != "linux" {
		t.Skip("the paths are Linux's")
	}
	g := given{apis: []string{"fs.readFile"}, policy: &policy.Policy{Storage: []policy.Storage{{Root: "/"}}}, limits: tool.Limits{Timeout: 2 * time.Second}}
	for _, path := range []string{
		"/dev/zero", "/dev/null", "/dev/random", "/proc/self/environ", "/proc/self/cmdline", "/proc/version", "/proc/self/fd/0", "/proc/self/root/etc/passwd",
		"/proc/self/cwd/go.mod", "/proc/kcore", "/sys/kernel/uevent_seqnum", "/sys/power/state",
	} {
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		g.fails(t, `async function execute() { await fs.readFile('`+path+`', null) }`, tool.Denied, "regular file")
	}
}

// While links are swapped between inside and outside, what is outside is never read.
func TestReadFileOfSwappedLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root := makeMaze(t, dir)
	session := hostapi.New(hostapi.Options{}).Begin(&policy.Policy{
		Storage: []policy.Storage{{Root: root}}, FSLimits: policy.FSLimits{MaxTotalBytes: 1 << 30},
	}, 0)
	defer session.Close()
	read := session.Funcs()["fs.readFile"]
	swapping := make(chan struct{})
	var all sync.WaitGroup
	for name, targets := range map[string][]string{"file": {"a", "../outside/s"}, "folder": {"b", "../outside"}, "device": {"a", "/dev/zero"}} {
		all.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-swapping:
					return
				default:
				}
				fresh := filepath.Join(root, name+".new")
				_ = os.Symlink(targets[i%2], fresh)
				_ = os.Rename(fresh, filepath.Join(root, name))
			}
		})
	}
	seen := map[string]int{}
	raced := func() bool { return seen["A"] > 0 && seen["denied"] > 0 }
	for begin := time.Now(); time.Since(begin) < 400*time.Millisecond || !raced() && time.Since(begin) < patience; {
		for _, path := range []string{"file", "folder/a", "folder/s", "device"} {
			value, _ := json.Marshal(map[string]string{"path": path})
			reply, err := read(t.Context(), wasmjs.Request{Value: value})
			if strings.Contains(string(reply.Bytes), "SECRET") {
				t.Fatalf("%s leaks", path)
			}
			if err == nil {
				seen[string(reply.Bytes)]++
			} else {
				seen[string(tool.AsError(err).Code)]++
			}
		}
	}
	close(swapping)
	all.Wait()
	if !raced() {
		t.Errorf("the race was not run: %v", seen)
	}
}

// A file that grows while it is read is cut off at the limit.
func TestReadFileOfGrowingFile(t *testing.T) {
	t.Parallel()
	g, dir := files(t, map[string]string{"log": ""})
	grown, err := os.OpenFile(filepath.Join(dir, "log"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer grown.Close()
	g.policy.FSLimits.MaxFileBytes = 64 << 10
	session := hostapi.New(hostapi.Options{}).Begin(g.policy, 0)
	defer session.Close()
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_, _ = io.WriteString(grown, strings.Repeat("x", 512))
			}
		}
	})
	read := session.Funcs()["fs.readFile"]
	for begin := time.Now(); time.Since(begin) < 5*time.Second; {
		reply, err := read(t.Context(), wasmjs.Request{Value: json.RawMessage(`{"path":"log"}`)})
		if len(reply.Bytes) > 64<<10 {
			t.Fatalf("%d bytes", len(reply.Bytes))
		}
		if err != nil {
			if !errors.Is(err, tool.Limit) {
				t.Error(err)
			}
			break
		}
	}
	close(stop)
	writer.Wait()
}
