package selfimprove

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

const skillFile = "SKILL.md"

// SkillFolders are the folders to search for skills: those that are given, then those that the environment names, and skills in
// the current folder. getenv is os.Getenv. Folders that are not there are left out, and so is what is named twice.
func SkillFolders(given []string, getenv func(string) string, home, current string) (folders []string) {
	all := append(slices.Clone(given), getenv("AGENTOS_SKILLS_DIR"))
	for _, in := range []struct{ base, dir string }{{getenv("CODEX_HOME"), "skills"}, {home, ".codex/skills"}, {current, "skills"}} {
		if in.base != "" {
			all = append(all, filepath.Join(in.base, in.dir))
		}
	}
	for _, dir := range all {
		if dir == "" {
			continue
		}
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
		if info, err := os.Stat(dir); err == nil && info.IsDir() && !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	return folders
}

// catalogue returns what lies in the folders. It must not be changed.
func (s *Skills) catalogue(ctx context.Context) ([]Skill, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.opt.Now()
	if s.read != nil && now.Sub(s.readAt) < skillsFresh {
		return s.read, nil
	}
	all := []Skill{}
	for _, folder := range s.opt.Folders {
		found, err := scanSkills(ctx, folder, max(MaxSkills-len(all), 0))
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	markTaken(all)
	s.read, s.readAt = all, now
	return all, nil
}

// scanSkills reads the skills of a folder, by name, at most so many; one more, which is none, says what was left out. The error is
// the context's.
func scanSkills(ctx context.Context, folder string, most int) (list []Skill, err error) {
	root, err := os.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return []Skill{{SourcePath: folder, Problem: "the folder cannot be opened"}}, nil
	}
	defer func() { _ = root.Close() }()
	dirs, problem := skillDirs(root)
	if problem != "" {
		list = append(list, Skill{SourcePath: folder, Problem: problem})
	}
	for i, dir := range dirs {
		if err := ctx.Err(); err != nil {
			return nil, tool.AsError(err)
		}
		if len(list) >= most {
			more := fmt.Sprintf("%d more folders are not read, from %s on: at most %d skills are", len(dirs)-i, tool.Quote(dir), MaxSkills)
			return append(list[:most], Skill{SourcePath: folder, Problem: more}), nil
		}
		if k, ok := readSkillDir(root, folder, dir); ok {
			list = append(list, k.withoutText())
		}
	}
	return list, nil
}

// skillDirs returns the names of the folders in one, sorted. Hidden ones and links are passed over.
func skillDirs(root *os.Root) (dirs []string, problem string) {
	const most = 10 * MaxSkills // entries that are looked at
	here, err := root.Open(".")
	if err != nil {
		return nil, "the folder cannot be read"
	}
	defer func() { _ = here.Close() }()
	entries, err := here.ReadDir(most)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, "the folder cannot be read"
	}
	if len(entries) == most {
		problem = fmt.Sprintf("the folder has more than %d entries: not all were looked at", most)
	}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			dirs = append(dirs, e.Name())
		}
	}
	slices.Sort(dirs)
	return dirs, problem
}

// readSkillDir reads the skill in a folder; there is none without a SKILL.md.
func readSkillDir(root *os.Root, folder, dir string) (Skill, bool) {
	text, err := readSkillFile(root, filepath.Join(dir, skillFile))
	if errors.Is(err, fs.ErrNotExist) {
		return Skill{}, false
	}
	k := ReadSkill(dir, text)
	if err != nil {
		k.Problem = err.Error()
	}
	k.folder, k.dir, k.SourcePath, k.SHA256 = folder, dir, filepath.Join(folder, dir, skillFile), digest(string(text))
	return k, true
}

// readSkillFile reads a file without leaving the root, and no more of it than counts.
func readSkillFile(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("it is no file within the folder")
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, errors.New("the file cannot be opened")
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, MaxSkillBytes+1))
	if err != nil {
		return nil, errors.New("the file cannot be read")
	}
	return text, nil
}

// markTaken gives a problem to skills whose id or name is that of one before.
func markTaken(list []Skill) {
	taken := map[string]string{}
	for i := range list {
		k := &list[i]
		if k.Problem != "" {
			continue
		}
		id, name := foldSkill(k.SkillID), foldSkill(k.Name)
		for _, key := range []string{id, name} {
			if by, ok := taken[key]; ok {
				k.Problem = "its name is taken by " + by
			}
		}
		if k.Problem == "" {
			taken[id], taken[name] = k.SourcePath, k.SourcePath
		}
	}
}

// forget has the folders read anew.
func (s *Skills) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = nil
}

// load returns a skill with its content, read anew.
func (k Skill) load() (Skill, error) {
	if k.folder == "" {
		return k, nil
	}
	root, err := os.OpenRoot(k.folder)
	if err != nil {
		return k, k.notLoaded(err)
	}
	defer func() { _ = root.Close() }()
	loaded, ok := readSkillDir(root, k.folder, k.dir)
	switch {
	case !ok:
		return k, k.notLoaded(fs.ErrNotExist)
	case loaded.Problem != "" && k.Problem == "":
		return k, k.notLoaded(errors.New(loaded.Problem))
	case loaded.SkillID != k.SkillID || loaded.Category != k.Category:
		return k, k.notLoaded(errors.New("it has become another skill"))
	}
	loaded.Problem = k.Problem
	return loaded, nil
}

func (k *Skill) notLoaded(err error) error {
	return &tool.Error{
		Code: tool.Unavailable, Message: fmt.Sprintf("the skill %s cannot be loaded: %v", tool.Quote(k.SkillID), err), Cause: err,
		Hint: "look for another skill, or have the operator mend this one",
	}
}
