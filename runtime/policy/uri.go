package policy

import (
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

const fileScheme = "fs"

var (
	errURI    = errors.New(`a folder is written fs:///, then its absolute path: "fs:///srv/data"`)
	errUpward = errors.New(`the path of a folder has no ".." in it: write where it leads`)
)

// rootOf returns the folder that a URI names.
func rootOf(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != fileScheme || u.Host != "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return "", errURI
	}
	path := filepath.FromSlash(u.Path)
	if volume := filepath.FromSlash(strings.TrimPrefix(u.Path, "/")); filepath.VolumeName(volume) != "" { // C:\data
		path = volume
	}
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return "", errURI
	}
	if slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "..") {
		return "", errUpward
	}
	return filepath.Clean(path), nil
}

// fileURI is the URI of an absolute folder.
func fileURI(folder string) string {
	path := filepath.ToSlash(folder)
	if !strings.HasPrefix(path, "/") { // C:/data
		path = "/" + path
	}
	return (&url.URL{Scheme: fileScheme, Path: path}).String()
}
