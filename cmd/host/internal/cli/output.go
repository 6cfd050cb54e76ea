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

// printAnswer writes text that is the result itself, and UTF-8: on a terminal harmless, elsewhere as it is but for control
// characters. What is shown of sources and records is harmless everywhere.
func (f *face) printAnswer(text string) {
	if isTerminal(f.out.w) {
		text = escapeLines(text)
	} else {
		text = escapeControls(text)
	}
	f.printf("%s\n", text)
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
