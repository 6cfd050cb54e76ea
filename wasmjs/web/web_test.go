package web_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/toolsmith/wasmjs/web"
)

func TestNamed(t *testing.T) {
	tests := map[string]struct {
		source string
		want   string // names of pieces, in load order
	}{
		"nothing":               {`function execute(input) { return input }`, ""},
		"a word":                {`console.log(1)`, "console"},
		"two of one piece":      {`new URL(new URLSearchParams())`, "url"},
		"with what it needs":    {`new AbortController()`, "events abort"},
		"needed and named":      {`new AbortController(); new Event("x")`, "events abort"},
		"load order":            {`console.log(new URL("x:"), structuredClone, TextEncoder)`, "encoding url clone console"},
		"in a string":           {`globalThis["structuredClone"]`, "clone"},
		"in a comment":          {`// console`, "console"},
		"part of a word":        {`consoles; myconsole; console_; $console; URLs; fooURL; consoleé; ñURL`, ""},
		"beside punctuation":    {"`${URL}`", "url"},
		"first and last":        {`URL`, "url"},
		"unicode escape":        {`c\u006fnsole.log(1)`, "encoding events abort url clone console"},
		"hex escape":            {`globalThis["\x55RL"]`, "encoding events abort url clone console"},
		"other escapes":         {`"\n" + /\d/ + "\\"`, ""},
		"lone backslash":        {`\`, ""},
		"empty":                 {``, ""},
		"capital of the engine": {`Console.log`, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := names(web.Named(test.source)); got != test.want {
				t.Errorf("Named(%q) = %q, want %q", test.source, got, test.want)
			}
		})
	}
}

// FuzzNamed compares the scan with a plain search for each name.
func FuzzNamed(f *testing.F) {
	f.Add("console.log(new URL('x'))")
	f.Add("éURL _URL URL9 9URL $URL URL$")
	f.Add(`"\u0041"`)
	all := names(web.Pieces())
	f.Fuzz(func(t *testing.T, source string) {
		got := names(web.Named(source))
		if strings.Contains(source, `\u`) || strings.Contains(source, `\x`) {
			if got != all {
				t.Errorf("Named(%q) = %q, want all", source, got)
			}
			return
		}
		for _, p := range web.Pieces() {
			named := slices.ContainsFunc(p.Defines, func(name string) bool { return hasWord(source, name) })
			needed := p.Name == "events" && (hasWord(source, "AbortController") || hasWord(source, "AbortSignal"))
			if has := slices.Contains(strings.Fields(got), p.Name); has != (named || needed) {
				t.Errorf("Named(%q) = %q: %s is %v", source, got, p.Name, has)
			}
		}
	})
}

func hasWord(source, name string) bool {
	const ascii = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$"
	in := func(b byte) bool { return b >= 0x80 || strings.IndexByte(ascii, b) >= 0 }
	for i := 0; i+len(name) <= len(source); i++ {
		end := i + len(name)
		if source[i:end] == name && (i == 0 || !in(source[i-1])) && (end == len(source) || !in(source[end])) {
			return true
		}
	}
	return false
}

func names(pieces []web.Piece) string {
	var list []string
	for _, p := range pieces {
		list = append(list, p.Name)
	}
	return strings.Join(list, " ")
}

func TestPiecesStandBehindTheirNeeds(t *testing.T) {
	var loaded []string
	for _, p := range web.Pieces() {
		for _, need := range p.Needs {
			if !slices.Contains(loaded, need) {
				t.Errorf("%s needs %s, which is not loaded before it", p.Name, need)
			}
		}
		loaded = append(loaded, p.Name)
		if !strings.HasPrefix(strings.TrimSpace(p.Code), "(function (") {
			t.Errorf("%s: no function expression", p.Name)
		}
	}
}

func BenchmarkNamed(b *testing.B) {
	source := strings.Repeat("  const total = items.reduce((sum, item) => sum + item.price * item.count, 0);\n", 26)
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		web.Named(source)
	}
}
