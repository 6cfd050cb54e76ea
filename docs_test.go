package toolsmith_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
)

// The README and the guides are run, so that they cannot go stale. In them
//
//	```console          holds commands, each after "$ ", and below each what it prints on stdout and stderr;
//	                    "…" stands for any text. The commands of a document run in a folder of its own that has
//	                    the examples, and with empty folders for data and configuration.
//	```go main.go       is a program in a package of this module; it prints what stands after "// Output: ".
//	```js tool.js       (any other language, then a name) is a file that the commands after it can use.
//
// Blocks of any other kind are not run.

// TestDocuments runs the console blocks of the README and of every guide. With -short it does not: what it builds has no race
// detector, so under one nothing more would show.
func TestDocuments(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs programs that it builds")
	}
	sh := newShell(t)
	for _, path := range documents(t) {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			sh := sh.in(t)
			for _, b := range blocks(t, path) {
				switch {
				case b.language == "go" && b.file != "":
					sh.program(t, b.text)
				case b.file != "":
					sh.write(t, b.file, b.text)
				case b.language == "console":
					sh.console(t, b.text)
				}
			}
		})
	}
}

// TestDocumentsLinkToWhatIsThere follows every relative link.
func TestDocumentsLinkToWhatIsThere(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	for _, path := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(read(t, path), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

// TestTablesAreThoseOfTheCode holds the tables of limits and of outcome codes to runtime/tool.
func TestTablesAreThoseOfTheCode(t *testing.T) {
	t.Parallel()
	readme, cli := read(t, "README.md"), read(t, "docs/cli.md")
	usual, most := tool.DefaultLimits, tool.MaxLimits
	for _, row := range []string{
		fmt.Sprintf("| timeout | %g s | %g s |", usual.Timeout.Seconds(), most.Timeout.Seconds()),
		fmt.Sprintf("| fuel, in millions of units of about 10 ns | %d | %d |", usual.Fuel/1e6, most.Fuel/1e6),
		fmt.Sprintf("| memory | %d MiB | %d GiB |", usual.MemoryBytes>>20, most.MemoryBytes>>30),
		fmt.Sprintf("| source | %d KiB | %d KiB |", usual.SourceBytes>>10, most.SourceBytes>>10),
		fmt.Sprintf("| input | %d MiB | %d MiB |", usual.InputBytes>>20, most.InputBytes>>20),
		fmt.Sprintf("| output | %d MiB | %d MiB |", usual.OutputBytes>>20, most.OutputBytes>>20),
		fmt.Sprintf("| logs | %d KiB | %d MiB |", usual.LogBytes>>10, most.LogBytes>>20),
		fmt.Sprintf("| host calls | %d | %d |", usual.HostCalls, most.HostCalls),
	} {
		if !strings.Contains(readme, row) {
			t.Errorf("README.md lacks the row %s", row)
		}
	}
	for _, c := range tool.Codes() {
		if row := fmt.Sprintf("| `%s` | %d | %d |", c, c.ExitStatus(), c.HTTPStatus()); !strings.Contains(cli, row) {
			t.Errorf("docs/cli.md lacks the row %s", row)
		}
	}
}

// TestREADMENamesEveryDependency holds the README's notes to go.mod. A module below one that is named needs no name.
func TestREADMENamesEveryDependency(t *testing.T) {
	t.Parallel()
	readme := read(t, "README.md")
	direct := regexp.MustCompile(`(?m)^(?:require)?\s+(\S+) v\S+$`)
	for _, m := range direct.FindAllStringSubmatch(read(t, "go.mod"), -1) {
		name := m[1]
		for name != "." && !strings.Contains(readme, "`"+name+"`") {
			name = path.Dir(name)
		}
		if !strings.Contains(name, "/") {
			t.Errorf("README.md does not say why we depend on %s", m[1])
		}
	}
}

// documents returns the README, what stands beside it, and everything below docs.
func documents(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/adr/*.md"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, paths...)
	}
	return all
}

// A block is fenced text in a document.
type block struct{ language, file, text string }

func blocks(t *testing.T, path string) []block {
	t.Helper()
	fence := regexp.MustCompile("(?ms)^```(\\w*) ?(\\S*)\n(.*?)^```$")
	var all []block
	for _, m := range fence.FindAllStringSubmatch(read(t, path), -1) {
		all = append(all, block{language: m[1], file: m[2], text: m[3]})
	}
	return all
}

// A shell runs commands in a folder, with the host command in its path.
type shell struct {
	dir string
	env []string
}

// newShell builds the host command; what it compiles for itself is kept for all documents.
func newShell(t *testing.T) shell {
	t.Helper()
	noteInputs(t)
	bin := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, "host"), "./cmd/host")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	compile := exec.CommandContext(t.Context(), filepath.Join(bin, "host"), "doctor") // once, not once for each document
	cache := "XDG_CACHE_HOME=" + t.TempDir()
	compile.Env = append(os.Environ(), cache)
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("host doctor: %v\n%s", err, out)
	}
	path := bin + string(os.PathListSeparator) + os.Getenv("PATH")
	return shell{env: append(os.Environ(), "PATH="+path, cache)}
}

// in returns the shell in a new folder that has the examples.
func (s shell) in(t *testing.T) shell {
	t.Helper()
	s.dir = t.TempDir()
	s.env = append(slices.Clip(s.env), "XDG_DATA_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	examples, err := filepath.Abs("examples")
	if err == nil {
		err = os.Symlink(examples, filepath.Join(s.dir, "examples"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s shell) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// console runs the commands of a console block and compares what they print.
func (s shell) console(t *testing.T, text string) {
	t.Helper()
	for part := range strings.SplitSeq("\n"+text, "\n$ ") {
		command, want, _ := strings.Cut(part, "\n")
		if command == "" {
			continue
		}
		// The same program, built once; .ci/run runs the README's command as it stands.
		command = strings.ReplaceAll(command, "go run ./cmd/host ", "host ")
		if !strings.Contains(command, "host ") {
			t.Errorf("%q does not run host: what is not tested goes into another kind of block", command)
			continue
		}
		got := s.run(t, command)
		pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(want)), "…", ".*?")
		if !regexp.MustCompile(`(?s)\A` + pattern + `\z`).MatchString(strings.TrimSpace(got)) {
			t.Errorf("$ %s\ngot:\n%s\nwant:\n%s", command, got, want)
		}
	}
}

// run returns what a command prints, stdout and stderr together, whatever its exit status.
func (s shell) run(t *testing.T, command string) string {
	t.Helper()
	sh := exec.CommandContext(t.Context(), "sh", "-c", command)
	sh.Dir, sh.Env = s.dir, s.env
	out, err := sh.CombinedOutput()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	return string(out)
}

// program runs a Go program as if it lay in a folder of the module's own.
func (s shell) program(t *testing.T, text string) {
	t.Helper()
	s.write(t, "main.go", text)
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(root, "documented", "main.go"): filepath.Join(s.dir, "main.go"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	s.write(t, "overlay.json", string(overlay))
	run := exec.CommandContext(t.Context(), "go", "run", "-overlay", filepath.Join(s.dir, "overlay.json"), "./documented")
	out, err := run.CombinedOutput()
	_, want, _ := strings.Cut(text, "// Output: ")
	want, _, _ = strings.Cut(want, "\n")
	if err != nil || strings.TrimSpace(string(out)) != want {
		t.Errorf("the Go program printed %q, want %q (%v)", out, want, err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
