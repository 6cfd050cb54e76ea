package mcp

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds of results that are kept to be read in parts.
const (
	maxKept   = 8         // of a credential; the oldest makes room
	maxPart   = 128 << 10 // bytes of a part
	maxLength = 16 << 20  // bytes of a result that is kept
)

// results are those of a credential that were too large to be told at once. They are gone with the process.
type results struct {
	mu    sync.Mutex
	order []string
	texts map[string][]string // parts, by id
}

// keep keeps a result, and tells where it can be read.
func (k *results) keep(f *Face, text []byte) *sdk.CallToolResult {
	if len(text) > maxLength {
		return failure(tooLarge(len(text)))
	}
	random, err := f.bytes(16)
	if err != nil {
		return failure(err)
	}
	id := hex.EncodeToString(random)
	parts := split(string(text))
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.texts == nil {
		k.texts = map[string][]string{}
	}
	if len(k.order) == maxKept {
		delete(k.texts, k.order[0])
		k.order = k.order[1:]
	}
	k.order, k.texts[id] = append(k.order, id), parts
	first, bytes := resultURI(id, 0), int64(len(text))
	told, _ := json.Marshal(map[string]any{ // nothing in it can fail
		"tooLarge": true, "bytes": len(text), "parts": len(parts), "resource": first,
		"next": "read the resource; each part names the next one. The parts together are the JSON of the result",
	})
	return &sdk.CallToolResult{
		Content: []sdk.Content{
			&sdk.TextContent{Text: string(told)},
			&sdk.ResourceLink{URI: first, Name: "result", Description: fmt.Sprintf("part 1 of %d", len(parts)), MIMEType: "text/plain", Size: &bytes},
		},
		StructuredContent: json.RawMessage(told),
	}
}

// split cuts a text into parts between characters.
func split(text string) (parts []string) {
	for len(text) > maxPart {
		at := maxPart
		for !utf8.RuneStart(text[at]) {
			at--
		}
		parts, text = append(parts, text[:at]), text[at:]
	}
	return append(parts, text)
}

// part returns a part of a result, and how many there are.
func (k *results) part(id string, n int) (text string, of int, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	parts := k.texts[id]
	if n < 0 || n >= len(parts) {
		return "", 0, false
	}
	return parts[n], len(parts), true
}
