package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"example.com/toolsmith/runtime/tool"
)

// Bounds of a document.
const (
	MaxYAMLBytes = 256 << 10
	MaxJSONBytes = 1 << 20
	MaxDepth     = 32 // lists and objects within each other
)

// YAML reads one document into what into points to. The error is a *tool.Error of code InvalidRequest with the place of the
// first mistake.
func YAML(text []byte, into any) error {
	root, err := readYAML(text)
	if err != nil {
		return err
	}
	return decoder{text: text}.decode(root, reflect.ValueOf(into).Elem(), "")
}

// YAMLAll is YAML that does not stop at the first mistake in a member: it reads what it can, and the error is then Mistakes,
// of which it gathers at most MaxMistakes. A document that is not YAML has the error of YAML.
func YAMLAll(text []byte, into any) error {
	root, err := readYAML(text)
	if err != nil {
		return err
	}
	var all Mistakes
	err = decoder{text, &all}.decode(root, reflect.ValueOf(into).Elem(), "")
	if len(all) > 0 { // err is the last of them, if any
		return all
	}
	return err
}

// readYAML reads the tree of a document within the bounds.
func readYAML(text []byte) (*node, error) {
	if err := bounded(text, MaxYAMLBytes); err != nil {
		return nil, err
	}
	root, err := parseYAML(text)
	if err == nil && root.kind == nullNode {
		err = errEmpty()
	}
	return root, err
}

// bounded refuses what is too long, empty or not text.
func bounded(text []byte, most int) error {
	switch {
	case len(text) > most:
		return tool.Errorf(tool.InvalidRequest, "the document has %d bytes: at most %d are read", len(text), most)
	case !utf8.Valid(text):
		return tool.Errorf(tool.InvalidRequest, "the document is not UTF-8")
	case len(bytes.TrimSpace(text)) == 0:
		return errEmpty()
	}
	return nil
}

func errEmpty() error { return tool.Errorf(tool.InvalidRequest, "the document is empty") }

// parseYAML reads the tree of a document. The library builds nodes without expanding aliases; what they mean is refused
// before anything is made of them.
func parseYAML(text []byte) (root *node, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = tool.Errorf(tool.InvalidRequest, "the document cannot be read as YAML: %v", fault)
		}
	}()
	loader, err := yaml.NewLoader(bytes.NewReader(text), yaml.WithPlugin(depthLimit{}))
	if err != nil {
		return nil, tool.Errorf(tool.Internal, "setting up the YAML reader: %w", err)
	}
	var document, second yaml.Node
	if err := loader.Load(&document); err != nil {
		return nil, syntaxError(text, err)
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, mistake(text, &node{line: second.Line, column: second.Column}, "", tool.Errorf(tool.InvalidRequest, "there is a second document: give one"))
	case !errors.Is(err, io.EOF):
		return nil, syntaxError(text, err)
	}
	return tree(text, &document)
}

// depthLimit stops the library at the nesting that is allowed.
type depthLimit struct{}

func (depthLimit) CheckDepth(depth int, _ *yaml.DepthContext) error {
	if depth > MaxDepth {
		return errDepth
	}
	return nil
}

func (depthLimit) CheckAlias(int, int) error { return nil } // there are none

var errDepth = fmt.Errorf("lists and objects are nested more than %d deep", MaxDepth)

// syntaxError is what the library found wrong.
func syntaxError(text []byte, err error) error {
	var load *yaml.LoadError
	switch {
	case errors.Is(err, io.EOF):
		return errEmpty()
	case !errors.As(err, &load):
		return tool.Errorf(tool.InvalidRequest, "the document cannot be read as YAML: %w", err)
	}
	message := load.Message
	if load.ContextMsg != "" {
		message = load.ContextMsg + ", " + message
	}
	place := &node{line: load.Mark.Line, column: load.Mark.Column}
	e := tool.Errorf(tool.InvalidRequest, "this is not YAML: %s", message)
	if strings.Contains(load.ContextMsg, "flow") {
		e.Hint = "within {…} and […] a text with brackets, braces or commas needs quotes"
	}
	if bytes.HasPrefix(text, []byte("```")) || bytes.Contains(text, []byte("\n```")) {
		e.Hint = "keep only what stands between the fences of Markdown, ``` and ```"
	}
	return mistake(text, place, "", e)
}
