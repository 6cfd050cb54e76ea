//go:build !unix

package wasmjs

// checkPrivate has nothing to look at: the user's cache folder is private by its access control list.
func checkPrivate(string) error { return nil }
