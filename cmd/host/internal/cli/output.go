package cli

import (
	"bytes"
	"encoding/json"
	"io"
)

// checkedWriter remembers the first error, so that a result which did not arrive is never a success.
type checkedWriter struct {
	w   io.Writer
	err error
}

// Write drops everything after an error.
func (c *checkedWriter) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.w.Write(p)
	c.err = err
	return n, err
}

// printJSON writes v as one line of JSON.
func (f *face) printJSON(v any) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err) // v is made of our own types, and what guests made is valid JSON
	}
	_, _ = f.out.Write(escapeJSON(line.Bytes()))
}
