package tiers

// What tests compare counts with.
var (
	ScanStored = scanStored
	StoredAt   = storedAt
)
