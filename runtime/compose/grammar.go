package compose

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Bounds of a condition.
const (
	maxConditionBytes = 1024
	maxConditionDepth = 32 // parentheses and exclamation marks within each other
)

// parser reads a condition by precedence: || binds least, then &&, == and !=, the orders, and ! most.
type parser struct {
	text    string
	at      int
	depth   int
	resolve func(text string) (Reference, error)
}

// parseCondition reads a condition whose references resolve reads.
func parseCondition(text string, resolve func(text string) (Reference, error)) (condition, error) {
	if len(text) > maxConditionBytes {
		return nil, fmt.Errorf("the condition has %d bytes: at most %d are taken", len(text), maxConditionBytes)
	}
	p := &parser{text: text, resolve: resolve}
	c, err := p.binary(0)
	if err == nil && p.rest() != "" {
		err = p.expected("an operator or the end")
	}
	return c, err
}

// levels are the binary operators, those that bind least first. Of two that begin alike the longer stands first.
var levels = [][]string{{"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">"}}

func (p *parser) binary(level int) (condition, error) {
	if level == len(levels) {
		return p.unary()
	}
	left, err := p.binary(level + 1)
	for err == nil {
		operator := p.operator(levels[level])
		if operator == "" {
			return left, nil
		}
		var right condition
		if right, err = p.binary(level + 1); err != nil {
			return nil, err
		}
		left = join(left, operator, right)
	}
	return nil, err
}

func join(left condition, operator string, right condition) condition {
	switch operator {
	case "||", "&&":
		return logic{left, right, operator == "&&"}
	}
	return comparison{left, right, operator}
}

// operator takes one of those that are handed in, if it comes next.
func (p *parser) operator(among []string) string {
	rest := p.rest()
	i := slices.IndexFunc(among, func(o string) bool { return strings.HasPrefix(rest, o) })
	if i < 0 {
		return ""
	}
	p.at += len(among[i])
	return among[i]
}

func (p *parser) unary() (condition, error) {
	rest := p.rest()
	if !strings.HasPrefix(rest, "!") && !strings.HasPrefix(rest, "(") {
		return p.operand(rest)
	}
	if p.depth++; p.depth > maxConditionDepth {
		return nil, fmt.Errorf("the condition is nested more than %d deep", maxConditionDepth)
	}
	defer func() { p.depth-- }()
	p.at++
	if rest[0] == '!' {
		of, err := p.unary()
		return not{of}, err
	}
	within, err := p.binary(0)
	if err == nil && p.operator([]string{")"}) == "" {
		err = p.expected("a closing parenthesis")
	}
	return within, err
}

var (
	number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?`)
	word   = regexp.MustCompile(`^(true|false|null)\b`)
)

// operand reads a reference or a literal.
func (p *parser) operand(rest string) (condition, error) {
	if strings.HasPrefix(rest, "$") {
		if r, err := p.resolve(rest); r.Text != "" {
			p.at += len(r.Text)
			return lookup(r), err
		}
	}
	if strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, "'") {
		return p.quoted(rest)
	}
	text := number.FindString(rest)
	if text == "" {
		text = word.FindString(rest)
	}
	if text == "" {
		return nil, p.expected("a reference, a number, a string, true, false, null, ! or (")
	}
	p.at += len(text)
	return literal{&value{text: []byte(text)}}, nil
}

// quoted reads a string in quotes of either kind.
func (p *parser) quoted(rest string) (condition, error) {
	end := 1
	for end < len(rest) && rest[end] != rest[0] {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(rest) {
		return nil, p.expected("the end of the string")
	}
	text, ok := unquote(rest[1:end])
	if !ok {
		return nil, p.expected("a string with the escapes of JSON")
	}
	p.at += end + 1
	return literal{&value{text: append(appendEscaped([]byte{'"'}, text), '"'), decoded: &text}}, nil
}

// rest is what is still to be read.
func (p *parser) rest() string {
	rest := strings.TrimLeft(p.text[p.at:], " \t\r\n")
	p.at = len(p.text) - len(rest)
	return rest
}

func (p *parser) expected(what string) error {
	rest := p.rest()
	if rest == "" {
		return fmt.Errorf("the condition ends where %s is expected", what)
	}
	if len(rest) > 20 {
		rest = strings.ToValidUTF8(rest[:20], "") + "…"
	}
	return fmt.Errorf("%s is expected in the condition at %q, byte %d", what, rest, p.at)
}
