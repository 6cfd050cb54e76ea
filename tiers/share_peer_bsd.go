//go:build darwin || freebsd

package tiers

import (
	"net"

	"golang.org/x/sys/unix"
)

// shareable is whether processes can share a store on this system.
const shareable = true

// peerUID is the user of the process on the other side.
func peerUID(c *net.UnixConn) (uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var peer *unix.Xucred
	var failed error
	err = raw.Control(func(fd uintptr) {
		const local = 0 // the level of options of local sockets
		peer, failed = unix.GetsockoptXucred(int(fd), local, unix.LOCAL_PEERCRED)
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return 0, err
	}
	return int(peer.Uid), nil
}
