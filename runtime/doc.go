// Package runtime runs tools. Sandbox is the way from a source to a result that everything shares: the static gate, TypeScript,
// the engine. It imports runtime/source, wasmjs and the nouns of runtime/tool; it is safe for concurrent use.
package runtime
