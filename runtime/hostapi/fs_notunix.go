//go:build !unix

package hostapi

// openNonblock is for systems that have pipes among their files.
const openNonblock = 0
