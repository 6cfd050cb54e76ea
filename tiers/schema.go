package tiers

import (
	"context"
	"strconv"

	"example.com/toolsmith/runtime/tool"
)

// A migration brings a store from one version of its layout to the next, in one transaction.
type migration func(Txn) error

// migrations are the steps from version 1 on; the layout's version is their number and one.
var migrations []migration

// migrate brings a store to the version that comes after the last step. A new store is at it at once.
func migrate(ctx context.Context, s Store, steps []migration) error {
	current := len(steps) + 1
	empty, err := isEmpty(ctx, s)
	if err != nil {
		return err
	}
	return s.Update(ctx, func(txn Txn) error {
		if err := checkRestored(txn); err != nil {
			return err
		}
		version := current
		if !empty {
			if version, err = schemaVersion(txn); err != nil || version == current {
				return err
			}
		}
		if version > current {
			return &tool.Error{
				Code: tool.Unavailable, Message: "the store is of version " + strconv.Itoa(version) + ", this program knows up to " + strconv.Itoa(current),
				Hint: "use a newer toolsmith",
			}
		}
		for ; version < current; version++ {
			if err := steps[version-1](txn); err != nil {
				return err
			}
		}
		return txn.Set(key(metaSpace, "schema"), []byte(strconv.Itoa(current)))
	})
}

func schemaVersion(r Reader) (int, error) {
	text, _, err := r.Get(key(metaSpace, "schema"))
	if err != nil {
		return 0, err
	}
	version, err := strconv.Atoi(string(text))
	if err != nil || version < 1 {
		return 0, &tool.Error{Code: tool.Unavailable, Message: "the store is not one of toolsmith's: it names no version of its layout"}
	}
	return version, nil
}
