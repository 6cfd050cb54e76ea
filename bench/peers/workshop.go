package peers

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed node/*.js node/*.json node/.npmrc native/peer.c native/build.sh
var foreign embed.FS

// prepare returns the folder below the cache that holds the embedded folder of that name after build has worked in
// it. That is done once for each content and salt; a build that fails leaves nothing.
func prepare(name, cache, salt string, build func(dir string) error) (string, error) {
	files, err := fs.Sub(foreign, name)
	if err != nil {
		return "", err
	}
	sum, err := digest(files, salt)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, name+"-"+sum)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", err
	}
	workshop, err := os.MkdirTemp(cache, name+"-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(workshop)
	if err := os.CopyFS(workshop, files); err != nil {
		return "", err
	}
	if err := build(workshop); err != nil {
		return "", err
	}
	return dir, os.Rename(workshop, dir)
}

// digest names the contents of the files.
func digest(files fs.FS, salt string) (string, error) {
	hash := sha256.New()
	hash.Write([]byte(salt))
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, path)
		hash.Write([]byte(path))
		hash.Write(text)
		return err
	})
	return hex.EncodeToString(hash.Sum(nil))[:12], err
}
