package search

import (
	"cmp"
	"hash/fnv"
	"slices"
	"sort"
	"unicode/utf8"
)

// typo is a term with a letter left out, or whole, as a hash. Two terms that are one slip apart share one.
type typo struct {
	hash uint32
	term int32
}

// Words that are shorter are not corrected, nor are longer ones.
const (
	minTypo = 3
	maxTypo = 24
)

// typosOf lists all of the terms', sorted.
func typosOf(terms []string) []typo {
	var all []typo
	for i, term := range terms {
		for _, hash := range deletions(term) {
			all = append(all, typo{hash, int32(i)})
		}
	}
	slices.SortFunc(all, func(a, b typo) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.term, b.term)) })
	return all
}

// deletions are the hashes of a word and of all that come of it by leaving out one letter; none of a word that is too short or
// too long.
func deletions(word string) []uint32 {
	if n := utf8.RuneCountInString(word); n < minTypo || n > maxTypo {
		return nil
	}
	list := []uint32{hashOf(word)}
	for i, r := range word {
		list = append(list, hashOf(word[:i], word[i+utf8.RuneLen(r):]))
	}
	return list
}

// hashOf hashes texts one after the other.
func hashOf(parts ...string) uint32 {
	h := fnv.New32a()
	for _, part := range parts {
		_, _ = h.Write([]byte(part))
	}
	return h.Sum32()
}

// oneSlip reports whether two different words are one letter apart: one more, one less, another, or two that changed places.
func oneSlip(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	switch len(y) - len(x) {
	case 0:
		if i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && slices.Equal(x[i+2:], y[i+2:]) {
			return true
		}
		return i < len(x) && slices.Equal(x[i+1:], y[i+1:])
	case 1:
		return slices.Equal(x[i:], y[i+1:])
	}
	return false
}

// misspelt returns the terms that a word is one slip away from, in their order.
func (x *Index) misspelt(word string) (terms []int32) {
	for _, hash := range deletions(word) {
		from := sort.Search(len(x.typos), func(i int) bool { return x.typos[i].hash >= hash })
		for _, t := range x.typos[from:] {
			if t.hash != hash || len(terms) >= maxExpansion {
				break
			}
			if !slices.Contains(terms, t.term) && oneSlip(word, x.terms[t.term]) {
				terms = append(terms, t.term)
			}
		}
	}
	slices.Sort(terms)
	return terms
}
