//go:build !linux && !darwin && !freebsd

package tiers

import "math"

// freeBytes knows no bound where the system is not asked.
func freeBytes(string) (uint64, error) { return math.MaxUint64, nil }
