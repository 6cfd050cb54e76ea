// Package cases reads, runs and judges case files: JSON lists of a tool's source, an input, limits, and the outcomes that
// are right. They are toolsmith's conformance tests, and an embedder writes such files by hand, so that every mistake in one
// is an error that names the case, the line and the column.
//
// The package imports runtime and its nouns; the sandbox it drives is handed in. Values are plain; Run is safe for
// concurrent use when its sandbox is.
package cases
