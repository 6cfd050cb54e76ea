package tiers

import (
	"errors"
	"os"
)

// Holding is who holds the store in a directory, and where the others reach it.
type Holding struct {
	Holder string // such as process 12 ("host"); "" is nobody
	Socket string // the path of the socket, with nobody behind it when a holder was killed; "" is none
}

// HoldingOf looks at the store in a directory, as it is at the moment, and changes nothing. The error is of the system.
func HoldingOf(dir string) (h Holding, err error) {
	unlock, err := lockDir(dir)
	switch {
	case errors.Is(err, errHeld):
		h.Holder = holderOf(dir)
	case err != nil:
		return h, unusable(dir, err)
	default:
		unlock()
	}
	path := dir + socketSuffix
	if elsewhere := readPointer(path); elsewhere != "" {
		path = elsewhere
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Type() == os.ModeSocket {
		h.Socket = path
	}
	return h, nil
}
