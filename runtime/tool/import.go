package tool

import "encoding/json"

// Import says which package a tool came in. It vouches for nothing: the tool was checked, tried and judged here.
type Import struct {
	Digest         string `json:"digest"`          // of the packaged tool
	KeyID          string `json:"keyId,omitempty"` // of the signature, when it was found good
	OriginalToolID string `json:"originalToolId"`
	OriginalTier   Tier   `json:"originalTier"`
	// Verdicts are those that came with it, as they were written; nothing here reads them.
	Verdicts []json.RawMessage `json:"-"`
}
