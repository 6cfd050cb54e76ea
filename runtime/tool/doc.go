// Package tool holds the nouns every other room speaks of: limits, outcomes and their codes.
// They are plain values without I/O, safe to copy and to share. The package imports the standard library only.
package tool
