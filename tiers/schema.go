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

// migrate brings a store to the version that comes after the last step. A new store is at it at once. One that is at it already is
// not written to, so that it can be read where nothing can be written.
func migrate(ctx context.Context, s Store, steps []migration) error {
	current := len(steps) + 1
	empty, err := isEmpty(ctx, s)
	if err != nil {
		return err
	}
	if !empty {
		version := 0
		err := s.View(ctx, func(r Reader) (err error) { version, err = checkVersion(r, current); return err })
		if err != nil || version == current {
			return err
		}
	}
	return s.Update(ctx, func(txn Txn) error {
		version := current
		if empty {
			err = checkRestored(txn)
		} else {
			version, err = checkVersion(txn, current)
		}
		if err != nil {
			return err
		}
		for ; version < current; version++ {
			if err := steps[version-1](txn); err != nil {
				return err
			}
		}
		return txn.Set(key(metaSpace, "schema"), []byte(strconv.Itoa(current)))
	})
}

// checkVersion returns the version of a store that is not empty, and refuses one that this program cannot use.
func checkVersion(r Reader, current int) (int, error) {
	if err := checkRestored(r); err != nil {
		return 0, err
	}
	version, err := schemaVersion(r)
	if err == nil && version > current {
		err = &tool.Error{
			Code: tool.Unavailable, Message: "the store is of version " + strconv.Itoa(version) + ", this program knows up to " + strconv.Itoa(current),
			Hint: "use a newer toolsmith",
		}
	}
	return version, err
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
