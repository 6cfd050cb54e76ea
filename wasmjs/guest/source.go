package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The engine's source: the upstream archive within Debian's source package. The suite moves on, so the sum decides,
// not the version.
const (
	sourcePackage = "quickjs-ng"
	sourceSuite   = "trixie-backports"
	sourceArchive = "quickjs-ng_0.16.2.orig.tar.gz"
	sourceSHA256  = "6ee0c983477c9b145909d873ed1a57422001927f7706b63859abf8e816d2d88c"
)

// packages are what the build needs from Debian.
var packages = []string{"clang-19", "lld-19", "libclang-rt-19-dev-wasm32", "wasi-libc", "patch"}

// ensurePackages installs the packages unless their programs are there.
func ensurePackages() error {
	missing := false
	for _, p := range []string{"clang-19", "wasm-ld-19", "patch"} {
		if _, err := exec.LookPath(p); err != nil {
			missing = true
		}
	}
	if _, err := os.Stat("/usr/lib/wasm32-wasi/crt1-reactor.o"); err == nil && !missing {
		return nil
	}
	wanted := strings.Join(packages, " ")
	if _, err := exec.LookPath("apt-get"); err != nil || os.Getuid() != 0 {
		return fmt.Errorf("the build needs Debian's packages %s: %w", wanted, errUnavailable)
	}
	_ = command(".", "apt-get", "update")
	install := append([]string{"install", "-y", "--no-install-recommends"}, packages...)
	if err := command(".", "apt-get", install...); err != nil {
		return fmt.Errorf("installing %s: %w: %w", wanted, errUnavailable, err)
	}
	return nil
}

// unpackSource lays the patched source out as work/src.
func unpackSource(recipe, work string) error {
	archive, err := fetchSource(work)
	if err != nil {
		return err
	}
	src := filepath.Join(work, "src")
	if err := untar(archive, src); err != nil {
		return fmt.Errorf("unpacking %s: %w", sourceArchive, err)
	}
	change, err := filepath.Abs(filepath.Join(recipe, "quickjs.patch"))
	if err != nil {
		return err
	}
	return command(src, "patch", "-p1", "--fuzz=0", "-i", change)
}

// fetchSource returns the path of the verified archive, from the cache or from Debian.
func fetchSource(work string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = work
	}
	kept := filepath.Join(cache, "toolsmith", sourceArchive)
	if verify(kept) == nil {
		return kept, nil
	}
	got, err := download(work)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(got)
	if err != nil {
		return "", err
	}
	if os.MkdirAll(filepath.Dir(kept), 0o700) == nil && os.WriteFile(kept, text, 0o600) == nil {
		return kept, nil
	}
	return got, nil // a cache that cannot be written is no reason to fail
}

// download gets the archive through apt, from the mirror this machine uses, with package lists of its own.
func download(work string) (string, error) {
	mirror, err := debianMirror()
	if err != nil {
		return "", err
	}
	for _, d := range []string{"lists/partial", "download"} {
		if err := os.MkdirAll(filepath.Join(work, d), 0o755); err != nil { //nolint:gosec // apt's own user reads it
			return "", err
		}
	}
	list := filepath.Join(work, "sources.list")
	entry := fmt.Sprintf("deb-src %s %s main\n", mirror, sourceSuite)
	if err := os.WriteFile(list, []byte(entry), 0o644); err != nil {
		return "", err
	}
	apt := []string{
		"-o", "Dir::Etc::sourcelist=" + list, "-o", "Dir::Etc::sourceparts=-",
		"-o", "Dir::State::lists=" + filepath.Join(work, "lists"), "-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache=",
	}
	if err := command(work, "apt-get", append(append([]string{}, apt...), "update")...); err != nil {
		return "", fmt.Errorf("reading the index of %s: %w: %w", sourceSuite, errUnavailable, err)
	}
	// apt may miss other files of the package when the archive has moved on; the verified archive is all we need.
	folder := filepath.Join(work, "download")
	failed := command(folder, "apt-get", append(append([]string{}, apt...), "source", "--download-only", sourcePackage)...)
	archive := filepath.Join(folder, sourceArchive)
	if err := verify(archive); err != nil {
		return "", fmt.Errorf("%s: %w: %w", sourceArchive, errUnavailable, errors.Join(err, failed))
	}
	return archive, nil
}

// debianMirror returns the address of the Debian archive in this machine's own configuration.
func debianMirror() (string, error) {
	out, err := exec.Command("apt-get", "indextargets", "--format", "$(SITE) $(LABEL)", "Created-By: Packages").Output() //nolint:noctx // short
	if err != nil {
		return "", fmt.Errorf("asking apt for its mirror: %w: %w", errUnavailable, err)
	}
	for line := range strings.Lines(string(out)) {
		if site, label, _ := strings.Cut(strings.TrimSpace(line), " "); label == "Debian" || strings.HasSuffix(site, "/debian") {
			return site, nil
		}
	}
	return "", fmt.Errorf("apt names no Debian mirror: %w", errUnavailable)
}

func verify(archive string) error {
	text, err := os.ReadFile(archive)
	if err != nil {
		return err
	}
	if got := sum(text); got != sourceSHA256 {
		return fmt.Errorf("its sha256 is %s, want %s", got, sourceSHA256)
	}
	return nil
}

// untar unpacks the plain files of a .tar.gz into folder, without its leading directory.
func untar(archive, folder string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for files := tar.NewReader(z); ; {
		head, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		_, name, inside := strings.Cut(head.Name, "/")
		if head.Typeflag != tar.TypeReg || !inside || !filepath.IsLocal(name) {
			continue
		}
		if err := unpackFile(filepath.Join(folder, name), files); err != nil {
			return err
		}
	}
}

func unpackFile(path string, from io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // a build folder
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}
