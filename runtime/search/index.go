package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
)

// Index finds documents by words.
type Index struct {
	names   []string // compact, by document
	terms   []string // stems, sorted
	posts   [][]posting
	typos   []typo // sorted by hash
	scratch sync.Pool
}

// posting says how much a term means for a document.
type posting struct {
	doc    int32
	weight float32
}

// What a word weighs where it stands. In a description that is at most bm25K+1, however often it is there.
const (
	nameWeight     = 8.0
	nameWordCost   = 0.15 // a word in a long name means less
	tagWeight      = 4.0
	propertyWeight = 1.0
	bm25K          = 1.2 // how soon repetition in a description stops to count
	bm25B          = 0.75
)

// New makes an index of documents, which are called by their position from then on.
func New(docs []Document) *Index {
	b := builder{ids: map[string]int32{}}
	x := &Index{}
	for i, d := range docs {
		x.names = append(x.names, compact(d.Name))
		b.add(int32(i), d, x.names[i])
	}
	b.describe()
	x.terms, x.posts = b.sorted()
	x.typos = typosOf(x.terms)
	x.scratch.New = func() any { return newScratch(len(docs)) }
	return x
}

// builder gathers what documents say.
type builder struct {
	ids       map[string]int32
	terms     []string
	posts     [][]posting
	described [][]int32 // the terms of each description, in their order
	length    int       // of all descriptions
}

func (b *builder) id(term string) int32 {
	id, known := b.ids[term]
	if !known {
		id = int32(len(b.terms)) //nolint:gosec // G115: bounded by the documents
		b.ids[term] = id
		b.terms, b.posts = append(b.terms, term), append(b.posts, nil)
	}
	return id
}

// weigh adds to what a term means for the document that is added last.
func (b *builder) weigh(term int32, doc int32, weight float64) {
	list := b.posts[term]
	if n := len(list); n > 0 && list[n-1].doc == doc {
		list[n-1].weight += float32(weight)
		return
	}
	b.posts[term] = append(list, posting{doc, float32(weight)})
}

func (b *builder) add(doc int32, d Document, whole string) {
	name := stems(words(d.Name, maxNameWords))
	for _, w := range unique(append(name, stem(whole))) {
		b.weigh(b.id(w), doc, nameWeight/(1+nameWordCost*float64(len(name)-1)))
	}
	for _, w := range unique(stems(d.tagWords())) {
		b.weigh(b.id(w), doc, tagWeight)
	}
	var inside []string
	for _, p := range properties(d.InputSchema) {
		inside = append(inside, words(p.path[strings.LastIndexByte(p.path, '/'):], maxNameWords)...)
	}
	for _, w := range unique(stems(inside)) {
		b.weigh(b.id(w), doc, propertyWeight)
	}
	description := stems(telling(words(d.Description, maxDescriptionWords)))
	ids := make([]int32, len(description))
	for i, w := range description {
		ids[i] = b.id(w)
	}
	slices.Sort(ids)
	b.described = append(b.described, ids)
	b.length += len(ids)
}

// describe weighs the words of descriptions, once it is known how long they are.
func (b *builder) describe() {
	average := math.Max(float64(b.length)/math.Max(float64(len(b.described)), 1), 1)
	more := make([][]posting, len(b.terms))
	for doc, ids := range b.described {
		long := bm25K * (1 - bm25B + bm25B*float64(len(ids))/average)
		for len(ids) > 0 {
			n := 1
			for n < len(ids) && ids[n] == ids[0] {
				n++
			}
			tf := float64(n)
			more[ids[0]] = append(more[ids[0]], posting{int32(doc), float32(tf * (bm25K + 1) / (tf + long))})
			ids = ids[n:]
		}
	}
	for term := range more {
		b.posts[term] = merged(b.posts[term], more[term])
	}
}

// merged is two lists in the order of documents as one.
func merged(a, b []posting) []posting {
	out := make([]posting, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch cmp.Compare(a[0].doc, b[0].doc) {
		case -1:
			out, a = append(out, a[0]), a[1:]
		case 1:
			out, b = append(out, b[0]), b[1:]
		default:
			out = append(out, posting{a[0].doc, a[0].weight + b[0].weight})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// sorted returns the terms in their order, each with its list.
func (b *builder) sorted() ([]string, [][]posting) {
	order := make([]int, len(b.terms))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return strings.Compare(b.terms[x], b.terms[y]) })
	terms, posts := make([]string, len(order)), make([][]posting, len(order))
	for i, at := range order {
		terms[i], posts[i] = b.terms[at], b.posts[at]
	}
	return terms, posts
}

// unique sorts words and drops those that stand there twice, and empty ones.
func unique(list []string) []string {
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) > 0 && list[0] == "" {
		list = list[1:]
	}
	return list
}
