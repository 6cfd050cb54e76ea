package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// storeDir is the folder of the store in a data directory.
const storeDir = "store"

// dataDir is the data directory that the flags name. It must be one that is kept.
func (f *face) dataDir(ctx context.Context, place dataFlags) (string, error) {
	c, err := f.config(ctx, place)
	if err == nil && (c.Data == "" || c.Data == config.Memory) {
		err = &tool.Error{Code: tool.InvalidRequest, Message: "there is no data directory: nothing is kept", Hint: "name one with --data DIR"}
	}
	return c.Data, err
}

// openShelf opens what a data directory keeps as it lies there: no tool is looked over, so that looking changes nothing.
func openShelf(ctx context.Context, dir string) (*tiers.Shelf, error) {
	if err := holdsStore(dir); err != nil {
		return nil, err
	}
	opt, err := storeOptions()
	if err != nil {
		return nil, err
	}
	opt.Dir = filepath.Join(dir, storeDir)
	opened, err := tiers.OpenStore(ctx, opt)
	if err != nil {
		return nil, err
	}
	shelf, err := tiers.New(ctx, opened, tiers.Options{
		Source: tiers.NotStored, SourceKey: unusedKey(), Heads: filepath.Join(dir, tiers.HeadsFile), TendEvery: -1,
	})
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return shelf, nil
}

// unusedKey is a key under which nothing is sealed or unsealed.
func unusedKey() []byte { return make([]byte, 32) }

// holdsStore returns nil when there is a store in a data directory.
func holdsStore(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, storeDir)); errors.Is(err, fs.ErrNotExist) {
		return &tool.Error{Code: tool.NotFound, Message: "there is no store in " + dir, Hint: "name the data directory with --data DIR"}
	}
	return nil
}

// storeOptions say how the environment has a store kept.
func storeOptions() (tiers.StoreOptions, error) {
	key, err := tiers.ParseStoreKey(os.Getenv(toolsmith.StoreKeyEnv))
	return tiers.StoreOptions{EncryptionKey: key}, err
}

// storeChange notices that others have used a store, by its folder: whoever opens or closes it changes that. Of a store that
// somebody shares nothing is known, so there may always be more.
type storeChange struct {
	dir string
	at  time.Time
}

func (c *storeChange) now() time.Time {
	info, err := os.Stat(filepath.Join(c.dir, storeDir))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// seen says that all there is was read.
func (c *storeChange) seen() { c.at = c.now() }

// is reports whether there may be more.
func (c *storeChange) is() bool {
	_, err := os.Lstat(filepath.Join(c.dir, storeDir+".sock"))
	return err == nil || !c.now().Equal(c.at)
}
