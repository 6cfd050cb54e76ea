package programs

import (
	"embed"
	"strings"
)

// Program is one script, what to call it with, and what must come out.
type Program struct {
	Name   string
	Source string // defines execute(input)
	Input  string // JSON
	Want   string // the JSON of the result; "" when the program is not meant to end
}

// Slug is the small tool of which the call benchmarks are made: trim, lower-case, two regular expressions.
var Slug = Program{
	Name: "slug",
	Source: `function execute(input) {
  const slug = input.text.trim().toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
  return { slug, n: input.n + 1 };
}
`,
	Input: `{"text":"  Hello World & Friends! ","n":41}`,
	Want:  `{"slug":"hello-world-friends","n":42}`,
}

//go:embed compute/*.js
var compute embed.FS

// wants is what each compute program returns, in the order in which the programs run.
var wants = []struct{ name, want string }{
	{"int_loop", `50236`},
	{"float", `82207170`},
	{"fib", `6765`},
	{"objects", `18673`},
	{"classes", `10127250`},
	{"closures", `4085665`},
	{"generators", `15122250`},
	{"try_catch", `2750`},
	{"map_set", `10829`},
	{"sort_objects", `"row0row80"`},
	{"sort_numbers", `2181110442`},
	{"typed_arrays", `231027`},
	{"bulk_copy", `21`},
	{"bigint", `"44563926073589"`},
	{"strings", `10824`},
	{"string_building", `2118153705`},
	{"regex", `7404`},
	{"json", `24010`},
}

// Compute returns the programs of the compute suite: a few milliseconds each, every one leaning on another part of
// the language.
func Compute() []Program {
	list := make([]Program, len(wants))
	for i, w := range wants {
		list[i] = Program{Name: w.name, Source: read(w.name), Input: "null", Want: w.want}
	}
	return list
}

// read returns an embedded script. A name in wants without its file is a fault of this package.
func read(name string) string {
	source, err := compute.ReadFile("compute/" + name + ".js")
	if err != nil {
		panic(err)
	}
	return string(source)
}

// Variant returns the program with its source changed in a way that does not change what it does, so that no cache
// takes two variants for one.
func (p Program) Variant(mark string) Program {
	p.Source = strings.TrimRight(p.Source, "\n") + "\n// " + mark + "\n"
	return p
}
