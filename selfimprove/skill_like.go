package selfimprove

import (
	"hash/fnv"
	"slices"
	"strings"
	"unicode"
)

// skillSketch stands for the words of a text: the smallest of their hashes. Two of them tell how many words their texts share,
// exactly for short texts and nearly for long ones, in a time that does not depend on the texts.
type skillSketch []uint64

const (
	sketchSize = 128
	sketchFew  = 4 // distinct words below which texts are the same or not alike
)

func sketch(text string) skillSketch {
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	hashes := make(skillSketch, 0, len(words))
	for _, word := range slices.Concat(words, pairsOfSigns(words)) {
		h := fnv.New64a()
		_, _ = h.Write([]byte(word))
		hashes = append(hashes, h.Sum64())
	}
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	return slices.Clip(hashes[:min(len(hashes), sketchSize)])
}

// pairsOfSigns are the words, as it were, of scripts that put no space between them.
func pairsOfSigns(words []string) (pairs []string) {
	for _, word := range words {
		signs := []rune(word)
		for i := 1; i < len(signs); i++ {
			if unicode.In(signs[i], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
				pairs = append(pairs, string(signs[i-1:i+1]))
			}
		}
	}
	return pairs
}

// like is the share of words that two texts have in common, 0 to 1.
func (a skillSketch) like(b skillSketch) float64 {
	switch {
	case len(a) > 0 && slices.Equal(a, b):
		return 1
	case min(len(a), len(b)) < sketchFew:
		return 0
	}
	i, j, all, both := 0, 0, 0, 0
	for all < sketchSize && (i < len(a) || j < len(b)) {
		all++
		switch {
		case j == len(b) || i < len(a) && a[i] < b[j]:
			i++
		case i == len(a) || b[j] < a[i]:
			j++
		default:
			i, j, both = i+1, j+1, both+1
		}
	}
	return float64(both) / float64(all)
}
