// Package wire reads YAML and JSON from outside into Go structs, strictly and within bounds: bytes, nesting, one document,
// UTF-8, keys that are known in exactly their spelling and given once, values of exactly the type that is expected, numbers
// that fit. Of YAML it takes the plain part: no anchors, aliases, merge keys or tags. A mistake is an error with its line,
// column and JSON pointer. What has no struct of its own is turned into JSON by YAMLToJSON.
//
// The work is linear in the text, so that nothing which is sent can stall the host. The package imports runtime/tool, holds
// no state, and is safe for concurrent use.
package wire
