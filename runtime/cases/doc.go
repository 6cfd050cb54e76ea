// Package cases reads, runs and judges case files: JSON lists of a tool's source, an input, limits, and the outcomes that
// are right. They are toolsmith's conformance tests, and an embedder writes such files by hand, so that every mistake in one
// is an error that names the case, the line and the column.
//
// The package imports the nouns of runtime/tool and wasmjs, and runtime/match; how a case is run is handed in, so that it
// knows no gate and no engine. Cases and reports are plain values.
package cases
