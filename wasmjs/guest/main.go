// Command guest builds assets/quickjs.wasm from its pinned source, reproducibly:
//
//	go run ./wasmjs/guest          # build it anew
//	go run ./wasmjs/guest -check   # build it in another folder and compare with the committed bytes
//
// It needs Debian's clang, lld and wasi-libc, which it installs when it may, and takes the engine's source package from
// the archive mirror that the machine itself is set up with. Exit status: 0 done, 1 failed or different, 75 when
// the packages or the source cannot be had here.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"example.com/toolsmith/wasmjs/meter"
)

// errUnavailable means that something needed for the build cannot be had on this machine.
var errUnavailable = errors.New("not to be had here")

const exitUnavailable = 75 // EX_TEMPFAIL of sysexits.h

func main() {
	check := flag.Bool("check", false, "build in a temporary folder and compare with the committed module")
	root := flag.String("root", ".", "the project's root")
	flag.Parse()
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "guest:", err)
		if errors.Is(err, errUnavailable) {
			os.Exit(exitUnavailable)
		}
		os.Exit(1)
	}
}

func run(root string, check bool) error {
	if err := ensurePackages(); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "toolsmith-guest-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	module, err := build(filepath.Join(root, "wasmjs", "guest", "shim"), work)
	if err != nil {
		return err
	}
	assets := filepath.Join(root, "assets")
	if check {
		return compare(assets, module)
	}
	return write(assets, module)
}

// build compiles, links and meters the module in the folder work.
func build(recipe, work string) ([]byte, error) {
	if err := unpackSource(recipe, work); err != nil {
		return nil, err
	}
	plain, err := compile(recipe, work)
	if err != nil {
		return nil, err
	}
	return meter.Instrument(plain, meter.Options{StackPointer: "__stack_pointer", ReservePages: reservePages})
}

// reservePages is the least memory that an instance of the module gets, in 64 KiB pages: the default memory limit. The
// engine gives it more where address space is cheap.
const reservePages = 2048

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

func compare(assets string, built []byte) error {
	committed, err := os.ReadFile(filepath.Join(assets, "quickjs.wasm"))
	if err != nil {
		return err
	}
	if !bytes.Equal(committed, built) {
		return fmt.Errorf("the module built here (sha256 %s, %d bytes) differs from assets/quickjs.wasm (sha256 %s, %d bytes)",
			sum(built), len(built), sum(committed), len(committed))
	}
	noted, err := os.ReadFile(filepath.Join(assets, "quickjs.wasm.sha256"))
	if err != nil {
		return err
	}
	if string(bytes.TrimSpace(noted)) != sum(built) {
		return errors.New("assets/quickjs.wasm.sha256 does not hold the sum of assets/quickjs.wasm")
	}
	fmt.Println("guest: reproduced assets/quickjs.wasm, sha256", sum(built))
	return nil
}

func write(assets string, module []byte) error {
	if err := os.WriteFile(filepath.Join(assets, "quickjs.wasm"), module, 0o644); err != nil {
		return err
	}
	sha := []byte(sum(module) + "\n")
	if err := os.WriteFile(filepath.Join(assets, "quickjs.wasm.sha256"), sha, 0o644); err != nil {
		return err
	}
	fmt.Printf("guest: wrote assets/quickjs.wasm, %d bytes, sha256 %s\n", len(module), sum(module))
	return nil
}
