package policy

import (
	"fmt"
	"path/filepath"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Storage grants reading the files below one folder.
type Storage struct {
	Root     string // absolute and clean
	MaxBytes int64  // of one file; zero: the policy's FSLimits.MaxFileBytes
}

// String describes the rule for people.
func (s Storage) String() string { return fmt.Sprintf("files below %q", s.Root) }

// maxPath is the most bytes of a path that are looked at.
const maxPath = 4096

// Read returns the rule that grants reading a file, and the file's path below the rule's root. A relative path is below
// the first root. Of nested roots the innermost decides. The decision is by name alone, so that it says the same of what
// exists and of what does not: links must be checked when the file is opened. The error is a *tool.Error of code Denied.
func (p *Policy) Read(path string) (Storage, string, error) {
	if path == "" || len(path) > maxPath || strings.ContainsRune(path, 0) {
		return Storage{}, "", tool.Errorf(tool.Denied, "reading %s is not granted: it is not the path of a file", quote(path))
	}
	roots := p.Storage
	if !filepath.IsAbs(path) && len(roots) > 1 {
		roots = roots[:1]
	}
	var best Storage
	var name string
	for _, s := range roots {
		if below, ok := s.below(path); ok && len(s.Root) > len(best.Root) {
			best, name = s, below
		}
	}
	if name == "" {
		return Storage{}, "", deniedRead(path)
	}
	return best, name, nil
}

// below returns the clean path of a file below the root, if it is there.
func (s Storage) below(path string) (string, bool) {
	path = filepath.Clean(path)
	if filepath.IsAbs(path) {
		var err error
		if path, err = filepath.Rel(s.Root, path); err != nil {
			return "", false
		}
	}
	return path, filepath.IsLocal(path)
}

func deniedRead(path string) *tool.Error {
	message := fmt.Sprintf("reading %s is not granted: no rule of permissions.storage.allow covers it", quote(path))
	if !filepath.IsAbs(path) {
		return denied(message, "--read-root DIR", "permissions: {storage: {allow: [{uri: \"fs:///DIR\", access: [read]}]}}")
	}
	folder := filepath.Dir(filepath.Clean(path))
	return denied(message, "--read-root "+ShellWord(folder), fmt.Sprintf("permissions: {storage: {allow: [{uri: %q, access: [read]}]}}", fileURI(folder)))
}

// ReadRoot grants reading the files below a folder, which may be relative to the working directory.
func (p *Policy) ReadRoot(folder string) error {
	root, err := filepath.Abs(folder)
	if folder == "" || err != nil {
		return &tool.Error{Code: tool.InvalidRequest, Message: fmt.Sprintf("read root: %s is not a folder", quote(folder)), Cause: err}
	}
	p.Storage = append(p.Storage, Storage{Root: root})
	return nil
}

// quote shows a path that someone else wrote, cut to a readable length.
func quote(path string) string {
	const most = 200
	if len(path) > most {
		return fmt.Sprintf("%q…", path[:most])
	}
	return fmt.Sprintf("%q", path)
}
