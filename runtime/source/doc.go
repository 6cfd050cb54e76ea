// Package source looks at a tool's source before anything runs it: it refuses what means a banned API, finds the entry
// point, compares the powers the source uses with those it asked for, collects facts for a judge, and turns TypeScript
// into JavaScript.
//
// The checks are advice and early feedback, on a syntax tree; the boundary is the sandbox, which holds without them. The
// engine has the last word on syntax: the reader here refuses little that the engine accepts (HTML-like comments, absurd
// nesting) and lets through much that it does not.
//
// Everything is bounded: the bytes before reading, the nesting while reading, time and memory linear in the source. All
// functions may be called concurrently. The package imports runtime/tool and wasmjs.
package source
