// Package web holds the web platform as far as tools may use it, in JavaScript: console, TextEncoder and TextDecoder,
// URL and URLSearchParams, structuredClone, events and AbortController. The engine evaluates the pieces that a tool's
// source names before the source itself, so what is never named costs nothing. It imports nothing of ours, holds no
// state, and is safe for concurrent use.
//
// A piece is one function expression that takes the engine's native functions and defines configurable, writable,
// non-enumerable properties of the global object. Pieces keep their own references to the built-ins they use, so a
// tool that replaces those cannot break them.
package web

import (
	"embed"
	"strings"
)

//go:embed *.js
var files embed.FS

// Piece is one part of the library.
type Piece struct {
	Name    string   // its file name without the ending
	Defines []string // the global names it defines
	Needs   []string // the pieces that must be evaluated before it, by Name
	Code    string   // a function expression; call it with the engine's native functions
}

// pieces is in load order: a piece stands behind those it needs. The console comes last, since it shows the objects
// of the pieces loaded before it.
var pieces = []Piece{
	{Name: "encoding", Defines: []string{"TextEncoder", "TextDecoder"}},
	{Name: "events", Defines: []string{"Event", "EventTarget", "CustomEvent"}},
	{Name: "abort", Defines: []string{"AbortController", "AbortSignal"}, Needs: []string{"events"}},
	{Name: "url", Defines: []string{"URL", "URLSearchParams"}},
	{Name: "clone", Defines: []string{"structuredClone"}},
	{Name: "console", Defines: []string{"console"}},
}

// wanted gives, for a global name, the pieces it takes: a bit per index of pieces.
var wanted = readPieces()

// readPieces fills in the code of the pieces and returns the table of their names.
func readPieces() map[string]uint {
	byPiece, byName := map[string]uint{}, map[string]uint{}
	for i := range pieces {
		p := &pieces[i]
		code, err := files.ReadFile(p.Name + ".js")
		if err != nil {
			panic(err) // the file is embedded
		}
		p.Code = lean(string(code))
		bits := uint(1) << i
		for _, need := range p.Needs {
			bits |= byPiece[need]
		}
		byPiece[p.Name] = bits
		for _, name := range p.Defines {
			byName[name] = bits
		}
	}
	return byName
}

// lean returns code without indentation and whole-line comments, which would be parsed and kept with every tool. Lines
// keep their numbers.
func lean(code string) string {
	lines := strings.Split(code, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimLeft(line, " ")
		if strings.HasPrefix(lines[i], "//") {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

// Pieces returns the whole library in load order. The caller must not change the slices in it.
func Pieces() []Piece {
	return pick(1<<len(pieces) - 1)
}

// Named returns, in load order, the pieces whose names occur as words in source, and those they need. Strings and
// comments count too; a source with \u or \x escapes could spell any name, so it gets everything.
func Named(source string) []Piece {
	if strings.Contains(source, `\u`) || strings.Contains(source, `\x`) {
		return Pieces()
	}
	var bits uint
	for i := 0; i < len(source); {
		if !inWord[source[i]] {
			i++
			continue
		}
		start := i
		for i < len(source) && inWord[source[i]] {
			i++
		}
		bits |= wanted[source[start:i]]
	}
	return pick(bits)
}

func pick(bits uint) []Piece {
	var picked []Piece
	for i, p := range pieces {
		if bits&(1<<i) != 0 {
			picked = append(picked, p)
		}
	}
	return picked
}

// inWord tells the bytes of JavaScript identifiers, all bytes of characters beyond ASCII among them.
var inWord = wordBytes()

func wordBytes() (in [256]bool) {
	for c := range in {
		lower := c | 0x20
		in[c] = c == '$' || c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= lower && lower <= 'z'
	}
	return in
}
