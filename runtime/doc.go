// Package runtime runs tools. Sandbox is the way from a source to a result that everything shares: the static gate, TypeScript,
// the engine, and the powers that a request asks for and a policy grants. It imports runtime/source, runtime/hostapi,
// runtime/policy, wasmjs and the nouns of runtime/tool; it is safe for concurrent use.
package runtime
