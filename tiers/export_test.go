package tiers

// What tests compare counts with.
type Holdings = holdings

var (
	Stored     = stored
	ScanStored = scanStored
	StoredAt   = storedAt
)
