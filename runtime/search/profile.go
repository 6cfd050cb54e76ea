package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Profile is what a tool is compared by.
type Profile struct {
	name     []string
	says     []feature // of the description, sorted
	norm     float64
	takes    []uint32 // members of the input, sorted
	gives    []uint32 // members of the output, sorted
	hasGives bool     // whether anything is said of the output
	hash     string
	code     *fingerprint
}

// feature is a word or two in a row, and how often they are there.
type feature struct {
	hash  uint32
	count float64
}

// NewProfile makes a profile of a tool. impl is what it does, with its code if that is there, and hash that implementation's
// tool.Implementation.Hash; both are empty for a tool of the host.
func NewProfile(d Document, impl tool.Implementation, hash string) *Profile {
	in, out := properties(d.InputSchema), properties(d.OutputSchema)
	spoken := map[string]bool{}
	for _, p := range append(slices.Clone(in), out...) {
		spoken[p.path[strings.LastIndexByte(p.path, '/')+1:]] = true
	}
	p := &Profile{
		name: nameWords(d.Name), takes: hashes(in), gives: hashes(out), hasGives: len(d.OutputSchema) > 0,
		hash: hash, code: fingerprintOf(impl, spoken),
	}
	p.says, p.norm = features(d.Description)
	return p
}

// fillers say nothing in a name.
var fillers = setOf("my new the a tool util helper function improved better v1 v2 v3 v4 v5")

func nameWords(name string) (list []string) {
	all := words(name, maxNameWords)
	for _, w := range all {
		if !fillers[w] {
			list = append(list, stem(w))
		}
	}
	if len(list) == 0 {
		return stems(all)
	}
	return list
}

// features counts the words of a text and the pairs of neighbours, so that their order counts too.
func features(text string) (list []feature, norm float64) {
	all := stems(telling(words(text, maxDescriptionWords)))
	counts := map[uint32]float64{}
	for i, w := range all {
		counts[hashOf(w)]++
		if i > 0 {
			counts[hashOf(all[i-1], " ", w)]++
		}
	}
	for hash, n := range counts {
		list = append(list, feature{hash, n})
		norm += n * n
	}
	slices.SortFunc(list, func(a, b feature) int { return cmp.Compare(a.hash, b.hash) })
	return list, math.Sqrt(norm)
}

func hashes(list []property) []uint32 {
	out := make([]uint32, 0, len(list))
	for _, p := range list {
		out = append(out, hashOf(strings.ToLower(p.path), " ", p.kind))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Likeness says how much two tools are the same.
type Likeness struct {
	Score   float64  `json:"score"`   // 0 to 1; 1 is the same implementation
	Reasons []string `json:"reasons"` // what they have in common, in words
}

// What the likeness of two faces is made of. Only the same implementation reaches 1.
const (
	nameShare        = 0.2
	descriptionShare = 0.5
	schemaShare      = 0.3
	sameFace         = 0.99
	sameCode         = 0.98 // but for names, comments and layout
	likeCode         = 0.9  // of the part of the code that is the same
	reordered        = 0.7  // names of the same words in another order
	contained        = 0.65 // a name whose words are all in the other
)

// Like compares two tools: by what they do, if that is known of both, and by what they say that they do. Whichever is more
// alike counts.
func (p *Profile) Like(q *Profile) Likeness {
	c := p.compare(q)
	return Likeness{c.score(), c.reasons()}
}

// Match is one of several tools that is like another.
type Match struct {
	At int // its position
	Likeness
}

// Similar is a tool that is like another, for whoever could use it instead.
type Similar struct {
	Name        string `json:"name"`
	ID          string `json:"id,omitempty"` // "" for a tool of the host
	Description string `json:"description"`
	Likeness
}

// Like returns those of several tools that are at least so much like one, the most alike first; nil among them is none.
func Like(p *Profile, among []*Profile, least float64) (list []Match) {
	for i, q := range among {
		if q == nil {
			continue
		}
		if c := p.compare(q); c.score() >= least {
			list = append(list, Match{i, Likeness{c.score(), c.reasons()}})
		}
	}
	slices.SortStableFunc(list, func(a, b Match) int { return cmp.Compare(b.Score, a.Score) })
	return list
}

// comparison is how much two tools are the same in each respect.
type comparison struct {
	same                      bool
	name, says, members, code float64
}

func (p *Profile) compare(q *Profile) comparison {
	if p.hash != "" && p.hash == q.hash {
		return comparison{same: true}
	}
	return comparison{name: p.nameLike(q), says: p.saysLike(q), members: p.membersLike(q), code: p.codeLike(q)}
}

func (c comparison) score() float64 {
	if c.same {
		return 1
	}
	face := math.Min(nameShare*c.name+descriptionShare*c.says+schemaShare*c.members, sameFace)
	return rounded(math.Max(face, c.code))
}

func (c comparison) reasons() (list []string) {
	const alike = 0.7
	switch {
	case c.same:
		return []string{"the implementation is the same"}
	case c.code == sameCode:
		list = append(list, "the code is the same but for names, comments and layout")
	case c.code >= alike:
		list = append(list, fmt.Sprintf("the code is alike (%.2f)", c.code))
	}
	for _, part := range []struct {
		what  string
		much  float64
		least float64
	}{{"the names", c.name, contained}, {"the descriptions", c.says, alike}, {"inputs and outputs", c.members, alike}} {
		switch {
		case part.much == 1:
			list = append(list, part.what+" are the same")
		case part.much >= part.least:
			list = append(list, fmt.Sprintf("%s are alike (%.2f)", part.what, part.much))
		}
	}
	return list
}

func (p *Profile) codeLike(q *Profile) float64 {
	switch {
	case p.code == nil || q.code == nil:
		return 0
	case p.code.sum == q.code.sum:
		return sameCode
	}
	return likeCode * p.code.like(q.code)
}

// nameLike compares names word by word.
func (p *Profile) nameLike(q *Profile) float64 {
	if slices.EqualFunc(p.name, q.name, sameWord) {
		return 1
	}
	shared := 0
	for _, w := range p.name {
		if slices.ContainsFunc(q.name, func(v string) bool { return sameWord(w, v) }) {
			shared++
		}
	}
	switch {
	case shared == len(p.name) && shared == len(q.name):
		return reordered
	case shared == min(len(p.name), len(q.name)):
		return contained
	}
	return float64(shared) / float64(max(len(p.name)+len(q.name)-shared, 1))
}

// sameWord reports whether two words of names are one, or one with a slip in it. Short ones such as csv and tsv differ.
func sameWord(a, b string) bool {
	const long = 6
	return a == b || len(a) >= long && len(b) >= long && oneSlip(a, b)
}

// saysLike is the cosine of two descriptions.
func (p *Profile) saysLike(q *Profile) float64 {
	if p.norm == 0 || q.norm == 0 {
		return 0
	}
	product, a, b := 0.0, p.says, q.says
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].hash < b[0].hash:
			a = a[1:]
		case b[0].hash < a[0].hash:
			b = b[1:]
		default:
			product += a[0].count * b[0].count
			a, b = a[1:], b[1:]
		}
	}
	return rounded(product / (p.norm * q.norm))
}

// rounded takes off what is below a millionth, so that the same is 1.
func rounded(share float64) float64 { return math.Round(share*1e6) / 1e6 }

// membersLike is the part of the members of inputs and outputs that both have.
func (p *Profile) membersLike(q *Profile) float64 {
	in := overlap(p.takes, q.takes)
	if !p.hasGives || !q.hasGives {
		return in
	}
	return (in + overlap(p.gives, q.gives)) / 2
}

// overlap is the part that both sorted lists have; two empty ones are the same.
func overlap(a, b []uint32) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	both, all := 0, len(a)+len(b)
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case b[0] < a[0]:
			b = b[1:]
		default:
			both++
			a, b = a[1:], b[1:]
		}
	}
	return float64(both) / float64(all-both)
}
