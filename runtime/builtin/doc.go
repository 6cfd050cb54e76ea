// Package builtin has the host's own tools, which are there from the start so that forged tools and pipelines have something
// to build on: http_request and read_file, which reach what the caller's policy grants; json_query and text_template, which
// compute; and generate_text, which asks a chat model.
//
// Each is a runtime.Tool with descriptions and schemas that are written for models. The two small languages, of queries and of
// templates, are our own because both have to be bounded: in time, in depth and in what they produce. Numbers keep their
// digits and objects the order of their members, whatever passes through.
//
// The package imports runtime, which does not import it, and runtime/hostapi, model, schema and tool. It holds no state, and
// is safe for concurrent use.
package builtin
