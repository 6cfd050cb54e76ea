package wasmjs

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/toolsmith/runtime/tool"
)

// maxInputDepth is how deep containers may nest in an input.
const maxInputDepth = 1000

// exactDigits is the length up to which every integer is exact in a double.
const exactDigits = 15

// checkInput refuses what the guest could not hold faithfully: text that is not JSON, too large or too deep, and
// numbers that a JavaScript number would silently change. The error carries a JSON pointer where there is one.
func checkInput(input []byte, most int) error {
	if len(input) > most {
		return &tool.Error{
			Code:    tool.InvalidInput,
			Message: "the input of " + strconv.Itoa(len(input)) + " bytes is larger than the limit of " + strconv.Itoa(most),
			Hint:    "send less at a time, or raise the input limit",
		}
	}
	if !utf8.Valid(input) {
		return tool.Errorf(tool.InvalidInput, "the input is not valid UTF-8")
	}
	if !json.Valid(input) {
		var v any
		return tool.Errorf(tool.InvalidInput, "the input is not JSON: %w", json.Unmarshal(input, &v))
	}
	if !suspicious(input) {
		return nil
	}
	return locateInexact(input)
}

// suspicious reports whether valid JSON may hold a number that is not exact, or nests deep; it errs on the safe side.
func suspicious(input []byte) bool {
	digits, depth := 0, 0
	inString := false
	for i := 0; i < len(input); i++ {
		c := input[i]
		switch {
		case inString && c == '\\':
			i++
		case c == '"':
			inString, digits = !inString, 0
		case inString:
		case c >= '0' && c <= '9':
			if digits++; digits > exactDigits {
				return true
			}
		case c == 'e' || c == 'E':
			if digits > 0 {
				return true
			}
		case c == '[' || c == '{':
			if depth++; depth > maxInputDepth {
				return true
			}
			digits = 0
		case c == ']' || c == '}':
			depth--
			digits = 0
		case c != '.':
			digits = 0
		}
	}
	return false
}

// locateInexact walks the input and returns an error for the first number that is not exact or the first container
// that is too deep.
func locateInexact(input []byte) error {
	d := json.NewDecoder(strings.NewReader(string(input)))
	d.UseNumber()
	var at pointer
	for {
		token, err := d.Token()
		if err != nil {
			return nil //nolint:nilerr // the end: the text is known to be valid
		}
		if number, ok := token.(json.Number); ok && !isExact(string(number)) {
			return &tool.Error{
				Code: tool.InvalidInput, Path: at.here(),
				Message: "the number " + shorten(string(number)) + " cannot be held exactly by a JavaScript number",
				Hint:    "send it as a string, and let the tool use BigInt",
			}
		}
		if !at.step(token) {
			return &tool.Error{
				Code: tool.InvalidInput, Message: "the input nests deeper than " + strconv.Itoa(maxInputDepth) + " levels",
				Hint: "flatten it",
			}
		}
	}
}

// isExact reports whether a JSON number survives as a double: integers exactly, others within a double's range and
// precision, as everywhere in JSON.
func isExact(number string) bool {
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return false // out of range
	}
	if strings.ContainsAny(number, ".eE") {
		return f != 0 || !strings.ContainsAny(significand(number), "123456789")
	}
	exact, ok := new(big.Int).SetString(number, 10)
	if !ok || exact.IsInt64() && exact.Int64() < 1<<53 && exact.Int64() > -1<<53 {
		return ok
	}
	held, _ := big.NewFloat(f).Int(nil)
	return held.Cmp(exact) == 0
}

// significand is a number without its exponent.
func significand(number string) string {
	if at := strings.IndexAny(number, "eE"); at >= 0 {
		return number[:at]
	}
	return number
}

func shorten(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// pointer tracks where in a document a token stream is.
type pointer struct{ levels []level }

type level struct {
	object  bool
	key     string
	wantKey bool
	index   int
}

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

// here is the JSON pointer to the value that comes next.
func (p *pointer) here() string {
	var b strings.Builder
	for _, l := range p.levels {
		b.WriteByte('/')
		if l.object {
			b.WriteString(escapePointer.Replace(l.key))
		} else {
			b.WriteString(strconv.Itoa(l.index))
		}
	}
	return b.String()
}

// step moves past a token. It returns false when the document nests too deep.
func (p *pointer) step(token json.Token) bool {
	last := len(p.levels) - 1
	if delim, ok := token.(json.Delim); ok {
		switch delim {
		case '{', '[':
			p.levels = append(p.levels, level{object: delim == '{', wantKey: true})
			return len(p.levels) <= maxInputDepth
		default:
			p.levels = p.levels[:last]
			last--
		}
	} else if last >= 0 && p.levels[last].object && p.levels[last].wantKey {
		p.levels[last].key, _ = token.(string)
		p.levels[last].wantKey = false
		return true
	}
	if last >= 0 {
		p.levels[last].index++
		p.levels[last].wantKey = true
	}
	return true
}
