// Package search finds tools by words, and tools that do what another does. An Index ranks documents for a query as a person
// expects: the tool of that very name, then what its name is made of, then tags, then what describes it. A Profile is what two
// tools are compared by.
//
// Everything is bounded: what is read of a document, a query, and what a word may stand for. The same documents and the same
// query always give the same answer. An Index and a Profile do not change and are safe for concurrent use. The package
// imports runtime/tool; it knows no callers: whoever asks says what may be seen.
package search
