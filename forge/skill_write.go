package forge

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// The files of a skill.
const (
	skillFile      = "SKILL.md"
	capabilityFile = "CAPABILITY.yaml"
)

// WrittenSkill says where a skill was written.
type WrittenSkill struct {
	Name    string   `json:"name"`
	Version string   `json:"version"`
	Files   []string `json:"files"`   // their paths, SKILL.md first
	Changed bool     `json:"changed"` // false when they said the same before
}

// WriteSkill writes SKILL.md and CAPABILITY.yaml of a tool into a folder below dir that has the skill's name. Each is written
// whole or not at all; links are not followed. When the skill is there and says something else, it gets the next version. A
// folder that holds something other than this tool's skill is a Collision.
func WriteSkill(dir string, r *tool.Record, i tool.Implementation) (*WrittenSkill, error) {
	name, err := SkillName(r.Name)
	if err != nil {
		return nil, err
	}
	folder, err := openFolder(dir, name)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	w := skillWriter{folder: folder, record: r, implementation: i}
	version, changed, err := w.write()
	if err != nil {
		return nil, unwritten(filepath.Join(dir, name), err)
	}
	at := filepath.Join(dir, name)
	return &WrittenSkill{name, version, []string{filepath.Join(at, skillFile), filepath.Join(at, capabilityFile)}, changed}, nil
}

// openFolder opens a folder below dir, and makes it if need be.
func openFolder(dir, name string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // G301: skills are for others to read
		return nil, unwritten(dir, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unwritten(dir, err)
	}
	defer root.Close()
	if err := root.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, unwritten(filepath.Join(dir, name), err)
	}
	info, err := root.Lstat(name)
	if err == nil && !info.IsDir() {
		return nil, otherThing(filepath.Join(dir, name), "is no folder")
	}
	folder, openErr := root.OpenRoot(name)
	if err := errors.Join(err, openErr); err != nil {
		return nil, unwritten(filepath.Join(dir, name), err)
	}
	return folder, nil
}

// skillWriter writes the files of one skill.
type skillWriter struct {
	folder         *os.Root
	record         *tool.Record
	implementation tool.Implementation
}

func (w *skillWriter) write() (version string, changed bool, err error) {
	before, err := w.read(skillFile)
	if err != nil {
		return "", false, err
	}
	version = FirstSkillVersion
	if before != nil {
		if version, err = w.versionOf(before); err != nil {
			return "", false, err
		}
	}
	text, err := SkillText(w.record, w.implementation, version)
	if err == nil && before != nil && !bytes.Equal(text, before) {
		version = nextVersion(version)
		text, err = SkillText(w.record, w.implementation, version)
	}
	if err != nil {
		return "", false, err
	}
	beside, err := CapabilityText(w.record, w.implementation)
	if err != nil {
		return "", false, err
	}
	// SKILL.md comes last: with it the skill is whole.
	for _, f := range []struct {
		name string
		text []byte
	}{{capabilityFile, beside}, {skillFile, text}} {
		wrote, err := w.replace(f.name, f.text)
		if err != nil {
			return "", false, err
		}
		changed = changed || wrote
	}
	return version, changed, nil
}

// read returns a file; nil when it is not there.
func (w *skillWriter) read(name string) ([]byte, error) {
	info, err := w.folder.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, otherThing(filepath.Join(w.folder.Name(), name), "is no regular file")
	}
	file, err := w.folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, MaxPackageBytes))
}

// versionOf is the version of a skill that was written before, which must be of the same tool.
func (w *skillWriter) versionOf(text []byte) (string, error) {
	at := filepath.Join(w.folder.Name(), skillFile)
	head, _, found := bytes.Cut(bytes.TrimPrefix(text, []byte("---\n")), []byte("\n---\n"))
	converted, err := wire.YAMLToJSON(head)
	if !found || err != nil || converted[0] != '{' {
		return "", otherThing(at, "is no skill that was exported")
	}
	version, of := "", ""
	for _, m := range membersOf(converted) {
		switch {
		case m.key == "version" && isText(m.value):
			version = textOf(m.value)
		case m.key == "metadata":
			of = toolOf(m.value)
		}
	}
	switch {
	case of == "" || len(strings.Split(version, ".")) != 3: //nolint:mnd // major, minor and patch
		return "", otherThing(at, "is no skill that was exported")
	case of != w.record.Name:
		return "", otherThing(at, "is the skill of another tool, "+of)
	}
	return version, nil
}

// toolOf is the name of the tool in the metadata of a skill.
func toolOf(metadata []byte) string {
	for _, name := range []string{"agentos", "tool"} {
		inner := []byte(`""`)
		if metadata[0] == '{' {
			for _, m := range membersOf(metadata) {
				if m.key == name {
					inner = m.value
				}
			}
		}
		metadata = inner
	}
	if !isText(metadata) {
		return ""
	}
	return textOf(metadata)
}

// nextVersion counts the last part up; one that is no number begins anew.
func nextVersion(version string) string {
	at := strings.LastIndex(version, ".") + 1
	n, err := strconv.ParseUint(version[at:], 10, 32)
	if err != nil {
		return FirstSkillVersion
	}
	return version[:at] + strconv.FormatUint(n+1, 10)
}

// replace puts a text in the place of a file, whole or not at all, and reports whether it said something else.
func (w *skillWriter) replace(name string, text []byte) (changed bool, err error) {
	before, err := w.read(name)
	if err != nil || before != nil && bytes.Equal(before, text) {
		return false, err
	}
	temp := "." + name + "." + rand.Text()
	file, err := w.folder.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return false, err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = w.folder.Rename(temp, name)
	}
	if err != nil {
		return false, errors.Join(err, w.folder.Remove(temp))
	}
	return true, nil
}

func otherThing(path, what string) error {
	return &tool.Error{Code: tool.Collision, Message: fmt.Sprintf("%s %s", path, what), Hint: "export into another directory, or move it away"}
}

// unwritten words an error of the file system; ours stay as they are.
func unwritten(path string, err error) error {
	if _, ours := errors.AsType[*tool.Error](err); ours {
		return err
	}
	return &tool.Error{Code: tool.Unavailable, Message: fmt.Sprintf("writing below %s: %v", path, err), Hint: "give a directory of your own that has room", Cause: err}
}
