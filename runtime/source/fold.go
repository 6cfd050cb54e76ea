package source

import (
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/source/internal/syntax"
)

// foldedBytes bounds constants that are computed: no name of interest is longer.
const foldedBytes = 64

func constant(text string) value {
	if len(text) > foldedBytes {
		return value{}
	}
	return value{sense: isText, text: text}
}

// join concatenates constants as + and templates do; unknown unless all are constants.
func join(values []value, separator string) value {
	parts := make([]string, 0, len(values))
	size := 0
	for _, v := range values {
		text, ok := v.asText()
		if size += len(text); !ok || size > foldedBytes {
			return value{}
		}
		parts = append(parts, text)
	}
	return constant(strings.Join(parts, separator))
}

// asText is the value as a string, if it is a constant.
func (v value) asText() (string, bool) {
	switch v.sense {
	case isText:
		return v.text, true
	case isNumber:
		return strconv.FormatFloat(v.number, 'f', -1, 64), true
	default:
		return "", false
	}
}

// parseNumber reads a literal: 10, 0x1F, 1_000, 017, .5e3, 9n.
func parseNumber(text string) value {
	text = strings.ReplaceAll(strings.TrimSuffix(text, "n"), "_", "")
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return value{sense: isNumber, number: float64(n)}
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return value{sense: isNumber, number: f}
	}
	return value{}
}

// index is the whole number that the value holds, if it lies within 0 and most.
func (v value) index(most int) (int, bool) {
	if v.sense != isNumber || v.number != math.Trunc(v.number) || v.number < 0 || v.number > float64(most) {
		return 0, false
	}
	return int(v.number), true
}

// textMethods are the methods of strings that are computed.
var textMethods = map[string]func(text string, args []value) value{
	"concat": func(text string, args []value) value {
		return join(append([]value{constant(text)}, args...), "")
	},
	"split": func(text string, args []value) value {
		if len(args) != 1 || args[0].sense != isText {
			return value{}
		}
		return textList(strings.Split(text, args[0].text))
	},
	"toLowerCase": func(text string, _ []value) value { return constant(strings.ToLower(text)) },
	"toUpperCase": func(text string, _ []value) value { return constant(strings.ToUpper(text)) },
	"toString":    func(text string, _ []value) value { return constant(text) },
	"trim":        func(text string, _ []value) value { return constant(strings.TrimSpace(text)) },
	"charAt":      charAt,
	"at":          charAt,
	"slice":       slice,
	"substring":   slice,
	"replace":     replace,
	"replaceAll":  replace,
}

func charAt(text string, args []value) value {
	if len(args) != 1 {
		return value{}
	}
	i, ok := args[0].index(len(text) - 1)
	if !ok {
		return value{}
	}
	return constant(text[i : i+1])
}

func slice(text string, args []value) value {
	bounds := [2]int{0, len(text)}
	if len(args) > 2 {
		return value{}
	}
	for i, arg := range args {
		n, ok := arg.index(len(text))
		if !ok {
			return value{}
		}
		bounds[i] = n
	}
	if bounds[0] > bounds[1] {
		return value{}
	}
	return constant(text[bounds[0]:bounds[1]])
}

func replace(text string, args []value) value {
	if len(args) != 2 || args[0].sense != isText || args[1].sense != isText {
		return value{}
	}
	if len(text)*len(args[1].text) > foldedBytes*foldedBytes {
		return value{}
	}
	return constant(strings.ReplaceAll(text, args[0].text, args[1].text))
}

func textList(parts []string) value {
	v := value{sense: isList}
	for _, part := range parts {
		v.list = append(v.list, constant(part))
	}
	return v
}

// listMethods are the methods of arrays that are computed.
var listMethods = map[string]func(items, args []value) value{
	"join": func(items, args []value) value {
		separator := ","
		if len(args) > 0 {
			separator = args[0].text
		}
		return join(items, separator)
	},
	"reverse":    reversed,
	"toReversed": reversed,
	"toString":   func(items, _ []value) value { return join(items, ",") },
	"concat": func(items, args []value) value {
		all := slices.Clone(items)
		for _, arg := range args {
			if arg.sense == isList {
				all = append(all, arg.list...)
			} else {
				all = append(all, arg)
			}
		}
		return value{sense: isList, list: all[:min(len(all), foldedBytes)]}
	},
}

func reversed(items, _ []value) value {
	items = slices.Clone(items)
	slices.Reverse(items)
	return value{sense: isList, list: items}
}

// fromCodes is String.fromCharCode and String.fromCodePoint.
func fromCodes(args []value) value {
	codes := make([]rune, 0, len(args))
	for _, arg := range args {
		code, ok := arg.index(math.MaxUint16)
		if !ok || len(codes) == foldedBytes {
			return value{}
		}
		codes = append(codes, rune(code)) //nolint:gosec // within 16 bits
	}
	return constant(string(codes))
}

// fromBase64 is atob.
func fromBase64(args []value) value {
	if len(args) != 1 || args[0].sense != isText {
		return value{}
	}
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(args[0].text, "="))
	if err != nil {
		return value{}
	}
	return constant(string(text))
}

// elements evaluates the kids of an array literal or the arguments of a call, as far as they are bounded.
func (g *gate) elements(nodes []*syntax.Node) []value {
	items := make([]value, 0, min(len(nodes), foldedBytes))
	for _, n := range nodes[:min(len(nodes), foldedBytes)] {
		if n.Kind != syntax.Spread {
			items = append(items, g.value(n))
			continue
		}
		switch v := g.value(n.Kids[0]); v.sense {
		case isText:
			items = append(items, textList(strings.Split(v.text, "")).list...)
		case isList:
			items = append(items, v.list...)
		default:
			items = append(items, value{})
		}
	}
	return items[:min(len(items), foldedBytes)]
}
