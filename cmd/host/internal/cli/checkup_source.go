package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"example.com/toolsmith"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// checkSource says whether the key that code is sealed under can be used, and opens what is sealed. The shelf is nil when there is no
// store yet.
func checkSource(ctx context.Context, dir string, shelf *tiers.Shelf) check {
	const name = "source"
	place := sourceKeyPlace(dir)
	key, err := readSourceKey(dir)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return broken(name, err, tool.AsError(err).Hint)
	}
	sealed, opened := 0, 0
	if shelf != nil {
		look := key
		if missing {
			look = unusedKey()
		}
		if sealed, opened, err = shelf.Sealed(ctx, look); err != nil {
			return broken(name, err, "")
		}
	}
	back := "put the key back that they were sealed under, from a copy; until then the tools are suspended"
	switch {
	case missing && sealed == 0:
		return check{Name: name, OK: true, Detail: place + ", which is made with the first tool"}
	case missing:
		return broken(name, fmt.Errorf("there is no %s, and code is sealed, tools: %d", place, sealed), back+", and another key is made")
	case opened == 0 && sealed > 0:
		return broken(name, fmt.Errorf("%s opens none of what is sealed, tools: %d", place, sealed), back)
	case opened < sealed:
		return check{Name: name, OK: true, Detail: fmt.Sprintf("%s opens what is sealed of %d tools, and not of %d", place, opened, sealed-opened), Hint: back}
	}
	return check{Name: name, OK: true, Detail: fmt.Sprintf("%s opens all that is sealed, tools: %d", place, sealed)}
}

// readSourceKey reads the key that the sources of a data directory are sealed under, and makes none.
func readSourceKey(dir string) ([]byte, error) {
	if text := os.Getenv(toolsmith.SourceKeyEnv); text != "" {
		return tiers.ParseSourceKey(text)
	}
	return tiers.ReadSourceKey(dir)
}
