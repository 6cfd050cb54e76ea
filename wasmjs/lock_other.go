//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package wasmjs

// lockFolder locks nothing: processes that start at once may each compile the engine.
func lockFolder(string, bool) (unlock func()) { return func() {} }
