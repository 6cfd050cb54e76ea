//go:build !linux

package hostapi

import "os"

// isKernelFile is for systems that show their kernel as regular files.
func isKernelFile(*os.File) bool { return false }
