package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Bounds of a question and of its answer.
const (
	MaxQueryBytes = 1 << 10
	MaxQueryWords = 32 // that count; more are passed over
	MaxHits       = 100
	maxExpansion  = 64 // terms that one word may stand for
)

// Hit is a document that was found.
type Hit struct {
	Doc   int     // its position
	Score float64 // higher is better; comparable within one answer
}

// How much less a term counts that is not the very word, and what a whole name is worth.
const (
	prefixQuality = 0.8 // at the most: less, the more letters are missing
	typoQuality   = 0.5
	wholeName     = 1000
	beginsName    = 4
	partial       = 0.3 // of the score of a document that has next to none of the words
	minPrefix     = 3   // letters
)

// Search returns the best documents for a query, at most limit and at most MaxHits; a limit of 0 is 10. see reports whether
// a document may be found; nil finds all. The error is a *tool.Error of code InvalidRequest: for a query that is too long, or
// that has no words.
func (x *Index) Search(query string, limit int, see func(doc int) bool) ([]Hit, error) {
	const usual = 10
	if limit <= 0 {
		limit = usual
	}
	all, err := queryWords(query)
	if err != nil {
		return nil, err
	}
	s, _ := x.scratch.Get().(*scratch)
	defer func() { s.clear(); x.scratch.Put(s) }()
	list := queryStems(all)
	for _, w := range list {
		x.score(s, w)
	}
	best := ranking{most: min(limit, MaxHits), names: x.names}
	whole := strings.Join(all, "")
	for _, doc := range s.touched {
		hit := Hit{int(doc), float64(s.docs[doc].total) * (partial + (1-partial)*float64(s.docs[doc].words)/float64(len(list)))}
		switch name := x.names[doc]; {
		case name == whole:
			hit.Score += wholeName
		case len(whole) >= minPrefix && strings.HasPrefix(name, whole):
			hit.Score += beginsName
		}
		if best.wants(hit) && (see == nil || see(hit.Doc)) {
			best.add(hit)
		}
	}
	return best.hits, nil
}

// queryWords reads a query within its bounds.
func queryWords(query string) ([]string, error) {
	if len(query) > MaxQueryBytes {
		return nil, &tool.Error{
			Code: tool.InvalidRequest, Path: "/query", Message: fmt.Sprintf("the query has %d bytes; at most %d are read", len(query), MaxQueryBytes),
			Hint: "name in a few words what the tool should do",
		}
	}
	list := words(query, MaxQueryWords)
	if len(list) == 0 {
		return nil, &tool.Error{Code: tool.InvalidRequest, Path: "/query", Message: "the query has no words", Hint: "name in a few words what the tool should do"}
	}
	return list, nil
}

// queryStems are what a query looks for: without the words that say nothing, unless there are no others.
func queryStems(all []string) []string {
	if some := telling(all); len(some) > 0 {
		return unique(stems(some))
	}
	return unique(stems(slices.Clone(all)))
}

// match is a term that a word of the query stands for.
type match struct {
	term    int32
	quality float32
}

// matches returns the terms that a word stands for: itself, those that begin with it and, when there are none, those that it is
// a slip away from.
func (x *Index) matches(word string) (list []match) {
	at, exact := slices.BinarySearch(x.terms, word)
	if exact {
		list = append(list, match{int32(at), 1}) //nolint:gosec // G115: bounded by the documents
		at++
	}
	if len([]rune(word)) >= minPrefix {
		for ; at < len(x.terms) && len(list) < maxExpansion && strings.HasPrefix(x.terms[at], word); at++ {
			list = append(list, match{int32(at), float32(prefixQuality * float64(len(word)) / float64(len(x.terms[at])))}) //nolint:gosec // G115: bounded by the documents
		}
	}
	if len(list) == 0 {
		for _, term := range x.misspelt(word) {
			list = append(list, match{term, typoQuality})
		}
	}
	return list
}

// score adds what a word of the query means for each document: the best of the terms that it stands for, the more the fewer
// documents have any of them.
func (x *Index) score(s *scratch, word string) {
	list := x.matches(word)
	having := 0.0
	for _, m := range list {
		having += float64(len(x.posts[m.term]))
	}
	all := float64(len(x.names))
	having = math.Min(having, all)
	rare := float32(math.Log(1 + (all-having+0.5)/(having+0.5)))
	s.word++
	for _, m := range list {
		for _, p := range x.posts[m.term] {
			s.add(p.doc, rare*m.quality*p.weight)
		}
	}
}

// scratch is where a search adds up.
type scratch struct {
	docs    []sum
	touched []int32
	word    uint8 // of the query, from 1
}

// sum is what a document has until now.
type sum struct {
	total float32
	best  float32 // of the word that it had last
	last  uint8   // which word that was
	words uint8
}

func newScratch(docs int) *scratch { return &scratch{docs: make([]sum, docs)} }

func (s *scratch) add(doc int32, score float32) {
	d := &s.docs[doc]
	if d.words == 0 {
		s.touched = append(s.touched, doc)
	}
	if d.last != s.word {
		d.last, d.best = s.word, 0
		d.words++
	}
	if score > d.best {
		d.total += score - d.best
		d.best = score
	}
}

func (s *scratch) clear() {
	for _, doc := range s.touched {
		s.docs[doc] = sum{}
	}
	s.touched, s.word = s.touched[:0], 0
}

// ranking keeps the best hits, the best first.
type ranking struct {
	hits  []Hit
	most  int
	names []string
}

// compare puts the better hit first: by score, then by name and position, so that the order is always the same.
func (r *ranking) compare(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(r.names[a.Doc], r.names[b.Doc]), cmp.Compare(a.Doc, b.Doc))
}

func (r *ranking) wants(hit Hit) bool {
	return len(r.hits) < r.most || r.compare(hit, r.hits[len(r.hits)-1]) < 0
}

func (r *ranking) add(hit Hit) {
	if len(r.hits) == r.most {
		r.hits = r.hits[:r.most-1]
	}
	at, _ := slices.BinarySearchFunc(r.hits, hit, r.compare)
	r.hits = slices.Insert(r.hits, at, hit)
}
