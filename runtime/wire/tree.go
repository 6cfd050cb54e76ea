package wire

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"example.com/toolsmith/runtime/tool"
)

// tree turns a document of the library into nodes, and refuses what plain YAML has no need of.
func tree(text []byte, n *yaml.Node) (*node, error) {
	if n.Kind == yaml.DocumentNode {
		n = n.Content[0]
	}
	root := &node{}
	return root, planter{text}.plant(n, root, "")
}

// planter carries the text that mistakes quote.
type planter struct{ text []byte }

func (p planter) plant(n *yaml.Node, into *node, path string) error {
	into.line, into.column = n.Line, n.Column
	if err := refused(n); err != nil {
		return mistake(p.text, into, path, err)
	}
	switch n.Kind { //nolint:exhaustive // a document stands outermost alone, aliases were refused
	case yaml.ScalarNode:
		into.kind, into.text = scalarKind(n), n.Value
		if into.kind == boolNode {
			into.text = strings.ToLower(n.Value)
		}
	case yaml.SequenceNode:
		into.kind, into.items = listNode, make([]node, len(n.Content))
		for i, item := range n.Content {
			if err := p.plant(item, &into.items[i], pointer(path, strconv.Itoa(i))); err != nil {
				return err
			}
		}
	case yaml.MappingNode:
		into.kind = objectNode
		return p.members(n, into, path)
	}
	return nil
}

func (p planter) members(n *yaml.Node, into *node, path string) error {
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		var key, value node
		if err := p.plant(n.Content[i], &key, path); err != nil {
			return err
		}
		if key.kind != textNode {
			return mistake(p.text, &key, path, tool.Errorf(tool.InvalidRequest, "a key is a string: put it in quotes if need be"))
		}
		if err := p.plant(n.Content[i+1], &value, pointer(path, key.text)); err != nil {
			return err
		}
		if err := into.add(key, value, seen); err != nil {
			return mistake(p.text, &key, pointer(path, key.text), tool.Errorf(tool.InvalidRequest, "%w", err))
		}
	}
	return nil
}

// refused returns what is wrong with a node that YAML has and we do not take.
func refused(n *yaml.Node) *tool.Error {
	what := ""
	switch {
	case n.Kind == yaml.AliasNode:
		what = "an alias"
	case n.Anchor != "":
		what = "an anchor"
	case n.Style&yaml.TaggedStyle != 0:
		what = "a tag"
	case n.Tag == "!!merge":
		what = "a merge key"
	default:
		return nil
	}
	return &tool.Error{
		Code: tool.InvalidRequest, Message: what + " is not taken here", Hint: "write the value out, without anchors, aliases, merge keys and tags; a text that begins with !, & or * needs quotes",
	}
}

// scalarKind is what a scalar means in YAML's core schema. What is quoted is a string; so is what the library takes for a
// time.
func scalarKind(n *yaml.Node) kind {
	switch n.Tag {
	case "!!null":
		return nullNode
	case "!!bool":
		return boolNode
	case "!!int", "!!float":
		return numberNode
	}
	return textNode
}
