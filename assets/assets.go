// Package assets embeds the wasm module that every tool runs in. It imports the standard library only.
package assets

import (
	_ "embed"
	"strings"
)

// QuickJS is QuickJS-ng with toolsmith's shim, metered. It is built by `go run ./wasmjs/guest` and never edited.
// Callers must not change it.
//
//go:embed quickjs.wasm
var QuickJS []byte

// QuickJSVersion is the version of QuickJS-ng within.
const QuickJSVersion = "0.16.2"

//go:embed quickjs.wasm.sha256
var quickJSSum string

// QuickJSSHA256 is the SHA-256 of QuickJS in hexadecimal: the engine's identity, which is part of every image's key.
func QuickJSSHA256() string { return strings.TrimSpace(quickJSSum) }
