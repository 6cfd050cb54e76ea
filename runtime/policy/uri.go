package policy

import (
	"net/url"
	"path/filepath"
	"strings"
)

const fileScheme = "fs"

// fileURI is the URI of an absolute folder.
func fileURI(folder string) string {
	path := filepath.ToSlash(folder)
	if !strings.HasPrefix(path, "/") { // C:/data
		path = "/" + path
	}
	return (&url.URL{Scheme: fileScheme, Path: path}).String()
}
