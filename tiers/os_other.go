//go:build !unix || aix || solaris

package tiers

import "os"

// lockDir does nothing where open files cannot be removed anyway.
func lockDir(string) (unlock func(), err error) { return func() {}, nil }

// syncDir does nothing where directories cannot be synced.
func syncDir(string) error { return nil }

// private is true where permissions are not Unix's: the data directory is in its user's profile.
func private(os.FileInfo) bool { return true }
