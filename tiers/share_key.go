package tiers

import (
	"crypto/hmac"
	"crypto/sha256"
)

// greeting names the protocol. Programs that speak another do not share a store.
const greeting = "toolsmith store 1"

const nonceBytes = 32

// proof shows that one side of a connection has the key of the store, or that there is none. It is of no use elsewhere: both
// sides have chosen a part of what it is made from.
func proof(key []byte, side string, guest, holder []byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range [][]byte{[]byte(greeting), []byte(side), guest, holder} {
		mac.Write(appendPart(nil, string(part)))
	}
	return mac.Sum(nil)
}

// The sides.
const (
	guestSide  = "guest"
	holderSide = "holder"
)
