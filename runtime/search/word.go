package search

import (
	"strings"
	"unicode"
)

// How many bytes of a text and of a word count.
const (
	maxText = 16 << 10
	maxWord = 64
)

// words splits text into words in lower case, at most so many: at whatever is no letter or digit, and where the case says that
// a word begins, as in parseCsv, HTTPServer and URLs. Characters of scripts without spaces are words of their own.
func words(text string, most int) []string {
	var list []string
	var word []rune
	end := func() {
		if len(word) > 0 && len(list) < most {
			list = append(list, clipped(strings.ToLower(string(word))))
		}
		word = word[:0]
	}
	all := []rune(text[:min(len(text), maxText)])
	for i, r := range all {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r):
			end()
			continue
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			end()
			word = append(word, r)
			end()
			continue
		case len(word) > 0 && begins(all, i):
			end()
		}
		if len(list) >= most {
			break
		}
		word = append(word, r)
	}
	end()
	return list
}

func clipped(word string) string {
	if len(word) > maxWord {
		return strings.ToValidUTF8(word[:maxWord], "")
	}
	return word
}

// begins reports whether a word begins within letters: at a capital after a small letter, and at the last of several capitals
// before a small one, unless that is the s of a plural.
func begins(all []rune, i int) bool {
	if i == 0 || !unicode.IsUpper(all[i]) {
		return false
	}
	if !unicode.IsUpper(all[i-1]) {
		return unicode.IsLower(all[i-1])
	}
	if i+1 >= len(all) || !unicode.IsLower(all[i+1]) {
		return false
	}
	plural := all[i+1] == 's' && (i+2 >= len(all) || !unicode.IsLetter(all[i+2]))
	return !plural
}

// stem takes the endings off an English word that do not change what it is about: parse, parses, parsed, parsing and parser are
// one. It is light: two words that share a stem nearly always share a meaning, not the other way round.
func stem(w string) string {
	if strings.ContainsFunc(w, func(r rune) bool { return r > unicode.MaxASCII }) {
		return w
	}
	w = singular(w)
	for _, ending := range []struct {
		text  string
		least int // letters of the whole word
	}{{"ing", 5}, {"ed", 5}, {"ion", 7}, {"er", 6}, {"or", 6}} {
		rest, found := strings.CutSuffix(w, ending.text)
		if !found || len(w) < ending.least || !strings.ContainsAny(rest, "aeiouy") {
			continue
		}
		if ending.text == "ion" && !strings.HasSuffix(rest, "t") && !strings.HasSuffix(rest, "s") {
			continue
		}
		return withoutE(undoubled(rest))
	}
	return withoutE(w)
}

func singular(w string) string {
	switch {
	case len(w) < 4 || !strings.HasSuffix(w, "s"):
		return w
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case endsIn(w, "sses", "xes", "ches", "shes", "zes"):
		return w[:len(w)-2]
	case endsIn(w, "ss", "us", "is"):
		return w
	}
	return w[:len(w)-1]
}

func endsIn(w string, endings ...string) bool {
	for _, ending := range endings {
		if strings.HasSuffix(w, ending) {
			return true
		}
	}
	return false
}

// undoubled turns what is left of running and formatted into run and format.
func undoubled(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("aeiouls", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}

func withoutE(w string) string {
	if len(w) > 3 {
		return strings.TrimSuffix(w, "e")
	}
	return w
}

// stems are the stems of words.
func stems(list []string) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = stem(w)
	}
	return out
}

// stopWords say nothing of what a tool does.
var stopWords = setOf(
	"a an the of to in on for from with and or by is are be it its this that these as at into which what how do does i can you me my we " +
		"want need please tool tools function returns return given gives using use used some any all if then when so will should",
)

func setOf(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

// telling are the words that are no stop words.
func telling(list []string) []string {
	out := make([]string, 0, len(list))
	for _, w := range list {
		if !stopWords[w] {
			out = append(out, w)
		}
	}
	return out
}
