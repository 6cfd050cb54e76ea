// Package meter adds fuel to WebAssembly modules.
package meter
