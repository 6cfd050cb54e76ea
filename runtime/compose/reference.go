package compose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Reference is a place in a step that refers to a value.
type Reference struct {
	Text string // as written: $steps.one.items[0]
	At   string // JSON pointer (RFC 6901) to the string that holds it
	// Root is "input", "prev" or "steps"; anything else is the word of an expression that is none: Run refuses it, or, when
	// lenient, takes it as text.
	Root string
	Step int      // with the root "steps": which step
	Path []string // keys and indexes from there
}

// maxPath bounds the parts of a path.
const maxPath = 32

// roots are the words that a reference begins with.
var roots = map[string]bool{"input": true, "prev": true, "steps": true}

// known reports whether the reference is one.
func (r Reference) known() bool { return roots[r.Root] }

// unresolved is what messages say of a reference that is not known.
func (r Reference) unresolved() string { return "Unresolved reference expression " + clip(r.Text) }

// scan reads the reference that text begins with. An empty Text means that the dollar sign begins none; the error says what is
// wrong with one that begins well.
func scan(text string, earlier []step) (Reference, error) {
	word := text[1 : 1+wordLength(text[1:], false)]
	if word == "" || unicode.IsDigit(rune(word[0])) {
		return Reference{}, nil
	}
	path, length, err := scanPath(text[1+len(word):])
	r := Reference{Root: word, Path: path, Text: text[:1+len(word)+length]}
	switch {
	case !r.known():
		return r, nil
	case err != nil:
		return r, err
	case len(path) > maxPath:
		return r, fmt.Errorf("the path of %s has %d parts: at most %d are taken", clip(r.Text), len(path), maxPath)
	case word == "steps":
		return r, r.find(earlier)
	}
	return r, nil
}

// find turns the first part of the path into the step that it names.
func (r *Reference) find(earlier []step) error {
	if len(r.Path) == 0 {
		return fmt.Errorf("%s is not a reference: write $steps[N] or $steps.<name>, or $$steps for the text", r.Text)
	}
	index, err := strconv.Atoi(r.Path[0])
	if err != nil {
		index = slices.IndexFunc(earlier, func(s step) bool { return s.Name == r.Path[0] })
	}
	if index >= 0 && index < len(earlier) {
		r.Step, r.Path = index, r.Path[1:]
		return nil
	}
	if len(earlier) == 0 {
		return fmt.Errorf("%s refers to a step, and no step comes before this one", clip(r.Text))
	}
	names := make([]string, len(earlier))
	for i, s := range earlier {
		names[i] = s.Name
	}
	return fmt.Errorf("%s refers to no earlier step: those are %s", clip(r.Text), clip(strings.Join(names, ", ")))
}

// scanPath reads the path that text begins with, and how long it is.
func scanPath(text string) (path []string, length int, err error) {
	for length < len(text) {
		var key string
		n := 0
		switch rest := text[length:]; rest[0] {
		case '.':
			n = wordLength(rest[1:], true)
			key = rest[1 : 1+n]
			if n > 0 {
				n++
			}
		case '[':
			if key, n = scanBracket(rest); n == 0 {
				return path, length, fmt.Errorf(`%s is no path: behind a reference write [N] or ["key"]`, clip(rest))
			}
		}
		if n == 0 {
			break
		}
		path = append(path, key)
		length += n
	}
	return path, length, nil
}

// scanBracket reads [N] or ["key"]; its length is 0 when it is neither.
func scanBracket(text string) (key string, length int) {
	if strings.HasPrefix(text, `["`) {
		end := afterString(text, 1)
		if end >= len(text) || text[end] != ']' {
			return "", 0
		}
		key, ok := unquote(text[2 : end-1])
		if !ok {
			return "", 0
		}
		return key, end + 1
	}
	end := strings.IndexByte(text, ']')
	if end < 2 || strings.Trim(text[1:end], "0123456789") != "" {
		return "", 0
	}
	return text[1:end], end + 1
}

// wordLength is how many bytes of text are letters, digits and underscores, and, within, hyphens.
func wordLength(text string, hyphens bool) int {
	length := 0
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			length = i
		} else if r != '-' || !hyphens || length == 0 {
			break
		}
	}
	return length
}
