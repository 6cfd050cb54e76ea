package builtin

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/toolsmith/runtime/tool"
)

// part is a piece of a template: a text, a value, or a block with parts of its own.
type part struct {
	kind      partKind
	text      string   // of a text; of the others the name as it is written
	path      []string // of the name
	place     place
	body      []part
	otherwise []part // behind {{else}}
}

type partKind uint8

const (
	textPart partKind = iota
	valuePart
	ifPart
	eachPart
	elsePart // these two end a list of parts
	endPart
)

// place is where a tag begins; both count from 1, columns in characters.
type place struct{ line, column int }

func (p place) String() string { return fmt.Sprintf("line %d, column %d", p.line, p.column) }

// wrong is a mistake in the template at this place.
func (p place) wrong(message, hint string) *tool.Error {
	return invalid("/template", message+", at "+p.String()+" of the template", hint)
}

const tagHint = "the tags are {{name}}, {{a.b}}, {{#each name}}…{{/each}} and {{#if name}}…{{else}}…{{/if}}; for braces as text write \\{{"

// parseTemplate reads a template. The error is a *tool.Error of code InvalidInput that says where.
func parseTemplate(text string) ([]part, error) {
	if len(text) > maxTemplate {
		return nil, invalid("/template", fmt.Sprintf("the template has %d bytes, at most %d are read", len(text), maxTemplate), "shorten it, or fill in parts of it")
	}
	flat, err := tokens(text)
	if err != nil {
		return nil, err
	}
	p := templateParser{flat: flat}
	parts, end, err := p.list(0)
	if err == nil && end != nil {
		err = end.place.wrong("{{"+clip(end.text)+"}} has no block that it belongs to", tagHint)
	}
	return parts, err
}

// tokens cuts a template into texts and tags, without structure.
func tokens(text string) ([]part, error) {
	var list []part
	here, from := place{1, 1}, 0 // from is the end of the last token, and here the place of the last tag
	add := func(text string) {
		if text != "" {
			list = append(list, part{text: text})
		}
	}
	for at, placed := 0, 0; ; {
		next := strings.Index(text[at:], "{{")
		if next < 0 {
			add(text[from:])
			return list, nil
		}
		start := at + next
		if start > from && text[start-1] == '\\' {
			add(text[from : start-1])
			from, at = start, start+2
			continue
		}
		here, placed = here.past(text[placed:start]), start
		length := strings.Index(text[start:], "}}")
		if length < 0 {
			return nil, here.wrong("the tag that begins here has no }}", tagHint)
		}
		tag, err := readTag(text[start+2:start+length], here)
		if err != nil {
			return nil, err
		}
		end := start + length + 2
		at = end
		if tag.kind != valuePart {
			start, end = wholeLine(text, start, end)
		}
		add(text[from:max(from, start)])
		list = append(list, tag)
		from, at = end, max(at, end)
	}
}

// past is the place behind a text.
func (p place) past(text string) place {
	if n := strings.Count(text, "\n"); n > 0 {
		p = place{p.line + n, 1}
		text = text[strings.LastIndexByte(text, '\n')+1:]
	}
	p.column += utf8.RuneCountInString(text)
	return p
}

// wholeLine widens a tag to its line when nothing else stands there.
func wholeLine(text string, start, end int) (from, to int) {
	from, to = start, end
	for from > 0 && blank(text[from-1]) {
		from--
	}
	for to < len(text) && blank(text[to]) {
		to++
	}
	switch {
	case from > 0 && text[from-1] != '\n', to < len(text) && text[to] != '\n':
		return start, end
	case to < len(text):
		to++
	}
	return from, to
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// readTag reads what stands between braces.
func readTag(content string, at place) (part, error) {
	words := strings.Fields(content)
	tag := part{text: strings.Join(words, " "), place: at}
	name := ""
	switch {
	case len(words) == 1 && words[0] == "else":
		tag.kind = elsePart
		return tag, nil
	case len(words) == 1 && (words[0] == "/if" || words[0] == "/each"):
		tag.kind = endPart
		return tag, nil
	case len(words) == 1:
		tag.kind, name = valuePart, words[0]
	case len(words) == 2 && words[0] == "#if":
		tag.kind, name = ifPart, words[1]
	case len(words) == 2 && words[0] == "#each":
		tag.kind, name = eachPart, words[1]
	}
	if !isName(name) {
		return tag, at.wrong("{{"+clip(content)+"}} is not a tag", tagHint)
	}
	tag.text, tag.path = name, strings.Split(name, ".")
	if len(tag.path) > maxPathParts {
		return tag, at.wrong(fmt.Sprintf("the name %s has more than %d parts", clip(name), maxPathParts), "give a value that lies deep a name of its own")
	}
	return tag, nil
}

// isName reports whether a text is parts of letters, digits, underscores, hyphens and dollar signs with dots between them, or
// one of the two names of a loop.
func isName(text string) bool {
	if text == "@index" || text == "@key" {
		return true
	}
	for word := range strings.SplitSeq(text, ".") {
		other := func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-$", r)
		}
		if word == "" || strings.ContainsFunc(word, other) {
			return false
		}
	}
	return true
}

// templateParser gives tokens their structure.
type templateParser struct {
	flat []part
	at   int
}

// list reads parts up to a tag that ends them, which is nil at the end of the template.
func (p *templateParser) list(depth int) (list []part, end *part, err error) {
	for p.at < len(p.flat) {
		next := &p.flat[p.at]
		p.at++
		switch next.kind {
		case elsePart, endPart:
			return list, next, nil
		case ifPart, eachPart:
			if err := p.block(next, depth+1); err != nil {
				return nil, nil, err
			}
		default:
		}
		list = append(list, *next)
	}
	return list, nil, nil
}

// block reads the parts of a block and its end.
func (p *templateParser) block(b *part, depth int) (err error) {
	if depth > maxBlocks {
		return b.place.wrong(fmt.Sprintf("blocks stand within each other more than %d deep", maxBlocks), "fill in inner parts first, in a call of their own")
	}
	var end *part
	if b.body, end, err = p.list(depth); err == nil && end != nil && end.kind == elsePart {
		b.otherwise, end, err = p.list(depth)
	}
	want := map[partKind]string{ifPart: "/if", eachPart: "/each"}[b.kind]
	switch {
	case err != nil:
		return err
	case end == nil:
		return b.place.wrong("the block that begins here has no {{"+want+"}}", tagHint)
	case end.text != want:
		return end.place.wrong("{{"+end.text+"}} stands where the block of "+b.place.String()+" wants {{"+want+"}}", tagHint)
	}
	return nil
}
