//go:build !linux && !darwin && !freebsd

package tiers

import (
	"errors"
	"net"
)

// shareable is whether processes can share a store on this system: not where nobody says who is on the other side.
const shareable = false

func peerUID(*net.UnixConn) (uid int, err error) { return 0, errors.ErrUnsupported }
