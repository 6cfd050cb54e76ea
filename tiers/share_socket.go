package tiers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// socketSuffix makes the name of a store's socket from its folder's: store.sock beside store.
const socketSuffix = ".sock"

// maxSocketPath is how long a socket's path may be on every system. Where the usual one is longer, the socket lies in a
// folder for temporary files, and a file in its place holds the path.
const maxSocketPath = 100

const dialTime = time.Second

// listen makes the socket of a store that this process holds. What a holder left that was killed is removed. Closing the
// listener removes the socket.
func listen(dir string) (*net.UnixListener, error) {
	path := dir + socketSuffix
	unlink(dir)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if len(path) > maxSocketPath {
		folder, err := os.MkdirTemp("", socketFolder) // 0700
		if err != nil {
			return nil, err
		}
		elsewhere := filepath.Join(folder, "s")
		if err := os.WriteFile(path, []byte(elsewhere), 0o600); err != nil {
			return nil, errors.Join(err, os.Remove(folder))
		}
		path = elsewhere
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// socketFolder is what the name of a folder for a socket begins with.
const socketFolder = "toolsmith-"

// readPointer returns where the socket lies instead; "" when it does not.
func readPointer(path string) string {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxSocketPath {
		return ""
	}
	text, err := os.ReadFile(path) //nolint:gosec // G304: the store's own file
	at := string(text)
	if err != nil || !filepath.IsAbs(at) || filepath.Base(at) != "s" || !strings.HasPrefix(filepath.Base(filepath.Dir(at)), socketFolder) {
		return ""
	}
	return at
}

// unlink removes what leads to a socket elsewhere, and that, if there is one.
func unlink(dir string) {
	path := dir + socketSuffix
	if elsewhere := readPointer(path); elsewhere != "" {
		_ = os.Remove(elsewhere) // closing the listener has done that, unless its process was killed
		_ = os.Remove(filepath.Dir(elsewhere))
		_ = os.Remove(path)
	}
}

// connect reaches the process that holds a store.
func connect(ctx context.Context, dir string) (*net.UnixConn, error) {
	path := dir + socketSuffix
	if elsewhere := readPointer(path); elsewhere != "" {
		path = elsewhere
	}
	dialer := net.Dialer{Timeout: dialTime}
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	return conn.(*net.UnixConn), nil
}

// checkPeer refuses the processes of other users.
func checkPeer(c *net.UnixConn) error {
	uid, err := peerUID(c)
	if err != nil {
		return err
	}
	return sameUser(uid, os.Geteuid())
}

func sameUser(peer, own int) error {
	if peer != own {
		return fmt.Errorf("the process on the other side is one of user %d, not %d", peer, own)
	}
	return nil
}
