package wire

import (
	"bytes"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"example.com/toolsmith/runtime/tool"
)

// JSONToYAML writes a JSON document as YAML that people like to read: members in their order, numbers as they were written,
// text of several lines as a block, characters that nobody sees as escapes. YAMLToJSON of the result is the document again.
// The errors are those of JSON; what nests deeper than YAML is read here, or becomes longer, is a mistake, too. The caller
// owns the result.
func JSONToYAML(text []byte) ([]byte, error) {
	root, err := readJSON(text)
	if err != nil {
		return nil, err
	}
	for _, everything := range []bool{true, false} {
		out, err := yaml.Dump(yamlNode(root), append(yamlStyle(), yaml.WithUnicode(everything))...)
		if err != nil {
			return nil, tool.Errorf(tool.Internal, "writing YAML: %w", err)
		}
		if sameDocument(root, out) && (!everything || visible(out)) {
			return out, nil
		}
	}
	// What is JSON with one value in a line is YAML, too.
	e := encoder{text: text}
	if err := e.encode(root, ""); err != nil {
		return nil, err
	}
	out := append(e.out.Bytes(), '\n')
	if _, err := readYAML(out); err != nil {
		return nil, err
	}
	return out, nil
}

// yamlStyle is made for each document: the library writes to what an option was given.
func yamlStyle() []yaml.Option {
	return []yaml.Option{yaml.WithIndent(2), yaml.WithCompactSeqIndent(false), yaml.WithLineWidth(-1), yaml.WithQuotePreference(yaml.QuoteDouble)}
}

// visible reports whether text looks like what it is: it has nothing that turns or hides what stands beside it.
func visible(text []byte) bool {
	return bytes.IndexFunc(text, func(c rune) bool { return c != '\n' && c != '\t' && !unicode.IsGraphic(c) }) < 0
}

// sameDocument reports whether YAML reads as a tree.
func sameDocument(root *node, text []byte) bool {
	back, err := YAMLToJSON(text)
	e := encoder{}
	return err == nil && e.encode(root, "") == nil && bytes.Equal(back, e.out.Bytes())
}

// yamlNode is the library's form of a tree.
func yamlNode(n *node) *yaml.Node {
	switch n.kind {
	case nullNode:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	case boolNode:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: n.text}
	case numberNode:
		tag := "!!int"
		if strings.ContainsAny(n.text, ".eE") {
			tag = "!!float"
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: n.text}
	case textNode:
		return textYAML(n.text)
	case listNode:
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for i := range n.items {
			list.Content = append(list.Content, yamlNode(&n.items[i]))
		}
		return list
	case objectNode:
	}
	object := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for i := range n.keys {
		object.Content = append(object.Content, textYAML(n.keys[i].text), yamlNode(&n.items[i]))
	}
	return object
}

// textYAML is a string: as a block when it has several lines.
func textYAML(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if strings.Contains(text, "\n") {
		n.Style = yaml.LiteralStyle
	}
	return n
}
