// Package policy says which powers an operator grants: hosts that may be fetched, folders that may be read, cryptography
// that may be used, secrets and where they may go, and the limits of a call. What no rule grants is denied, and the error
// says which rule is missing and how to add it.
//
// A Policy is a plain value; once made it may be read from many goroutines. The package decides by names alone: resolving,
// dialling and opening, and the checks that come with them, are runtime/hostapi's. It imports runtime/tool and runtime/wire.
package policy
