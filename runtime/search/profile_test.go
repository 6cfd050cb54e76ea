package search_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/search"
	"example.com/toolsmith/runtime/tool"
)

// threshold is what the forge refuses from, unless it is configured otherwise.
const threshold = 0.92

// made is a forged tool: its document and its code.
type made struct {
	search.Document
	code string
}

func tooled(name, description, in, out, code string) made {
	d := doc(name, description, "", in)
	d.OutputSchema = doc("", "", "", out).InputSchema
	return made{d, code}
}

func (m made) profile(t testing.TB) *search.Profile {
	t.Helper()
	impl := tool.Implementation{Mode: tool.SandboxMode, Code: m.code}
	hash, err := impl.Hash()
	if err != nil {
		t.Fatal(err)
	}
	return search.NewProfile(m.Document, impl, hash)
}

const slugCode = `function execute(input) {
	const text = input.title.toLowerCase(); // small letters
	return { slug: text.replace(/[^a-z0-9]+/g, "-") };
}`

var slug = tooled("slugify", "Makes a URL-friendly slug out of a title: small letters, hyphens between words.", "title", "slug", slugCode)

// TestDuplicatesAreTold has what repeats the tool slug, and what does not although much of it is the same.
func TestDuplicatesAreTold(t *testing.T) {
	t.Parallel()
	with := func(change func(*made)) made {
		m := slug
		change(&m)
		return m
	}
	for name, c := range map[string]struct {
		other  made
		repeat bool
		reason string
	}{
		"another name and description, the very code": {
			tooled("url_key", "Turns headings into keys.", "heading", "key", slugCode), true, "the implementation is the same",
		},
		"variables renamed, comments gone": {
			tooled("url_key", "Turns headings into keys.", "title", "slug", `function run(args){ let lowered = args.title.toLowerCase()
				return {slug: lowered.replace(/[^a-z0-9]+/g, '-')} }`), true, "the code is the same but for names",
		},
		"the face of it in another order and number": {
			with(func(m *made) { m.Name, m.code = "slugify_v2", "function execute(i) { return { slug: slow(i.title) } }" }), true, "the descriptions are the same",
		},
		"a slip in the name":          {with(func(m *made) { m.Name, m.code = "slugifi", "x()" }), true, "the names are the same"},
		"the name with a word more":   {with(func(m *made) { m.Name, m.code = "slugify_title", "x()" }), true, "the names are alike"},
		"another constant":            {tooled("snake", "Turns headings into snake case.", "title", "slug", strings.ReplaceAll(slugCode, `"-"`, `"_"`)), false, ""},
		"the same face, another name": {with(func(m *made) { m.Name, m.code = "permalink", "x()" }), false, ""},
		"another member that it takes": {with(func(m *made) {
			m.code = strings.ReplaceAll(slugCode, "input.title", "input.subtitle")
			m.Name = "sub"
			m.Description = "of subtitles"
		}), false, ""},
		"nothing alike": {tooled("median", "The middle one of a list of numbers.", "numbers", "median", "function execute(i) { return { median: i.numbers.sort()[0] } }"), false, ""},
	} {
		got := slug.profile(t).Like(c.other.profile(t))
		if repeat := got.Score >= threshold; repeat != c.repeat || c.repeat && !strings.Contains(strings.Join(got.Reasons, "; "), c.reason) {
			t.Errorf("%s: %+v", name, got)
		}
		if back := c.other.profile(t).Like(slug.profile(t)); back.Score != got.Score {
			t.Errorf("%s: %v one way, %v the other", name, got.Score, back.Score)
		}
	}
}

// TestNearMissesAreNoDuplicates has tools that are made by one pattern and do different things.
func TestNearMissesAreNoDuplicates(t *testing.T) {
	t.Parallel()
	long := ", with quotes and line breaks in fields, and with or without a head; rows that are too short are filled up, and rows that are too long are refused"
	for _, pair := range [][2]made{
		{tooled("miles_to_km", "Converts miles to kilometres.", "value", "value", "a(1.6)"), tooled("km_to_miles", "Converts kilometres to miles.", "value", "value", "a(0.6)")},
		{tooled("add_numbers", "Adds two numbers.", "a b", "result", "a+b"), tooled("subtract_numbers", "Subtracts two numbers.", "a b", "result", "a-b")},
		{tooled("parse_csv", "Parses CSV text into rows"+long, "text", "rows", "return 1"), tooled("parse_tsv", "Parses TSV text into rows"+long, "text", "rows", "return 2")},
		{tooled("celsius_to_fahrenheit", "Converts a temperature given in degrees Celsius to Fahrenheit, rounded to one decimal place.", "value", "value", "return 1"), tooled("celsius_to_kelvin", "Converts a temperature given in degrees Celsius to Kelvin, rounded to one decimal place.", "value", "value", "return 2")},
		{tooled("base64_encode", "Encodes text as base64.", "text", "text", "return 1"), tooled("base64_decode", "Decodes text from base64.", "text", "text", "return 2")},
		{tooled("sha1_hash", "The SHA-1 digest of a text.", "text", "hash", "return 1"), tooled("sha256_hash", "The SHA-256 digest of a text.", "text", "hash", "return 2")},
		{tooled("first_word", "The first word of a text.", "text", "word", "return 1"), tooled("last_word", "The last word of a text.", "text", "word", "return 2")},
	} {
		if got := pair[0].profile(t).Like(pair[1].profile(t)); got.Score >= threshold {
			t.Errorf("%s and %s: %+v", pair[0].Name, pair[1].Name, got)
		}
	}
}

// TestCodeIsComparedByWhatItDoes has pairs of sources, and whether they are the same but for what does not count.
func TestCodeIsComparedByWhatItDoes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"layout":                  {"let a = 1; return a", "let a=1\nreturn a;", true},
		"comments":                {"a(/* one */ 1) // two", "a(1)", true},
		"names":                   {"const x = in1; y(x)", "var q = p; r(q)", true},
		"names that change place": {"f(x, y); return x - y", "f(x, y); return y - x", false},
		"members":                 {"x.first", "x.second", false},
		"optional members":        {"x?.first", "x?.second", false},
		"keys":                    {"g({ one: x })", "g({ two: x })", false},
		"what schemas speak of":   {"const { title } = x; title", "const { slug } = x; slug", false},
		"what all programs have":  {"Math.max(x)", "JSON.max(x)", false},
		"numbers":                 {"x * 2", "x * 3", false},
		"text":                    {`x + "a"`, `x + "b"`, false},
		"quotation marks":         {`x + "a"`, `x + 'a'`, true},
		"quotes within text":      {`x.split('"')`, `x.split("'")`, false},
		"no comment in text":      {`"http://a"`, `"http://b"`, false},
		"no comment in patterns":  {`x.replace(/\/\/a/, y)`, `x.replace(/\/\/b/, y)`, false},
		"no text in patterns":     {"x.split(/['\"]/); z(1) // one", "x.split(/['\"]/); z(1) // two", true},
		"no pattern in divisions": {"(a / b) / 2 // one", "(a / b) / 2 // two", true},
		"templates":               {"`a ${x} // b`", "`a ${x} // c`", false},
		"branches":                {"x ? y : z", "a ? b : c", true},
	} {
		a, b := tooled("one", "Does this.", "title", "slug", c.a), tooled("two", "That is done.", "title", "slug", c.b)
		if got := a.profile(t).Like(b.profile(t)); (got.Score == 0.98) != c.same {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestPipelinesAreComparedByTheirSteps(t *testing.T) {
	t.Parallel()
	profile := func(step, toolName, argument string) *search.Profile {
		impl := tool.Implementation{Mode: tool.ComposeMode, Steps: []tool.Step{
			{Name: step, Tool: toolName, InputMapping: map[string]json.RawMessage{"url": json.RawMessage(`"$input.url"`)}},
			{Name: "end", Tool: "format", InputMapping: map[string]json.RawMessage{"text": json.RawMessage(fmt.Sprintf(`"$steps.%s.%s"`, step, argument))}},
		}}
		hash, err := impl.Hash()
		if err != nil {
			t.Fatal(err)
		}
		return search.NewProfile(doc(step, "Does "+step, "", "url "+step), impl, hash)
	}
	one := profile("get", "http_request", "body")
	for name, c := range map[string]struct {
		other *search.Profile
		want  bool
	}{
		"another name of a step": {profile("load", "http_request", "body"), true},
		"another tool":           {profile("load", "read_file", "body"), false},
		"another argument":       {profile("load", "http_request", "status"), false},
	} {
		if got := one.Like(c.other); (got.Score >= threshold) != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestLikeSortsWhatIsMostAlike(t *testing.T) {
	t.Parallel()
	among := []*search.Profile{
		tooled("median", "The middle one.", "numbers", "n", "m()").profile(t), nil,
		tooled("slugify_again", slug.Description, "title", "slug", "y()").profile(t), slug.profile(t),
	}
	var at []int
	for _, m := range search.Like(slug.profile(t), among, 0.9) {
		at = append(at, m.At)
	}
	if !slices.Equal(at, []int{3, 2}) {
		t.Errorf("got %v", at)
	}
	host := search.NewProfile(slug.Document, tool.Implementation{}, "")
	if got := slug.profile(t).Like(host); got.Score != 0.99 {
		t.Errorf("a tool of the host with the same face: %+v", got)
	}
}

func FuzzLike(f *testing.F) {
	for _, code := range []string{slugCode, "", "/", "'", "`${`", "/[/]/", "a.b:c?.d=>\\", "\xff", "/* "} {
		f.Add("name", "text", code, "other", `{"properties":{"a":{"items":{"properties":{"b":{}}}}}}`)
	}
	f.Fuzz(func(t *testing.T, name, description, code, other, schema string) {
		d := search.Document{Name: name, Description: description, InputSchema: json.RawMessage(schema)}
		a := search.NewProfile(d, tool.Implementation{Mode: tool.SandboxMode, Code: code}, "a")
		b := search.NewProfile(d, tool.Implementation{Mode: tool.SandboxMode, Code: other}, "b")
		one, two := a.Like(b), b.Like(a)
		if one.Score != two.Score || one.Score < 0 || one.Score >= 1 || a.Like(a).Score != 1 {
			t.Errorf("%v, %v", one, two)
		}
	})
}

func BenchmarkLike(b *testing.B) {
	p, q := slug.profile(b), tooled("slugify_all", "Makes a slug out of several titles, one by one.", "titles", "slugs", slugCode+"//").profile(b)
	b.ReportAllocs()
	for b.Loop() {
		search.Like(p, []*search.Profile{q}, 0.999)
	}
}
