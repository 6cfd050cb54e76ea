package schema_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// matcher is a tool that says of each pattern which texts it matches, null for one that is none.
const matcher = `function execute({ patterns, texts }) {
	return patterns.map(source => {
		try {
			const pattern = new RegExp(source, 'u');
			return texts.map(text => pattern.test(text));
		} catch { return null; }
	});
}`

// randomPattern strings pieces together, most of which are good for something.
func randomPattern(random *rand.Rand) string {
	pieces := []string{
		"a", "b", "é", "😀", ".", "^", "$", "|", "(", ")", "(?:", "[", "]", "[^", "-", "*", "+", "?", "{2}", "{1,2}", "{0,}", "{", "}", `\d`, `\D`, `\w`, `\W`, `\s`, `\S`,
		`\b`, `\B`, `\t`, `\x41`, `\.`, `\\`, `\/`, `\-`, `\]`, `\p{L}`, `\P{Lu}`, "[a-c]", `[\s\d]`, `[^\S]`, "[^a]", "(a|b)", "(?:é+)", "[-a]", "[a-]", ":", "[:alpha:]", " ", "\u00a0", "\n", "\u2028", "1", "A", "&&", "--", "~",
	}
	var pattern strings.Builder
	for range 1 + random.IntN(6) {
		pattern.WriteString(pieces[random.IntN(len(pieces))])
	}
	return pattern.String()
}

// What is admitted is a pattern in JavaScript too, and matches the same texts.
func TestPatternsMeanWhatTheyMeanInJavaScript(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starting the engine takes a second")
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test that repeats
	texts := []string{
		"", "a", "b", "ab", "aa", "abc", "é", "éé", "aé", "😀", "😀a", "A", "1", "a1", " ", "a b", "\n", "a\n", "\r", "\t", "\u00a0", "\u2028", "\ufeff", "\u0085", "\u180e", "-", "a-b", "]", "[", "^", "{", "}", ".", "/", "\\", "~", "&", ":", "_", "\x00", "٣", "ß", "Σ", "\uFFFD",
	}
	schemas := map[string]*schema.Schema{}
	var patterns []string
	for len(patterns) < 3000 {
		source := randomPattern(random)
		if s, err := schema.Compile(patterned(source)); err == nil && schemas[source] == nil {
			patterns, schemas[source] = append(patterns, source), s
		}
	}
	for i, matches := range matchesInJavaScript(t, patterns, texts) {
		if matches == nil {
			t.Errorf("%q is no pattern in JavaScript", patterns[i])
			continue
		}
		for j, want := range matches {
			if got := schemas[patterns[i]].Validate(marshal(texts[j])) == nil; got != want {
				t.Errorf("%q matches %q: %t, in JavaScript %t", patterns[i], texts[j], got, want)
			}
		}
	}
}

func matchesInJavaScript(t *testing.T, patterns, texts []string) [][]bool {
	t.Helper()
	engine, err := wasmjs.New(t.Context(), wasmjs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	}()
	limits := tool.Limits{Fuel: 1e10}.WithDefaults()
	program, err := engine.Load(t.Context(), wasmjs.Source{Code: matcher}, limits)
	if err != nil {
		t.Fatal(err)
	}
	result, err := program.Call(t.Context(), marshal(map[string]any{"patterns": patterns, "texts": texts}), wasmjs.CallOptions{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	var matches [][]bool
	if err := json.Unmarshal(result.Output, &matches); err != nil {
		t.Fatal(err)
	}
	return matches
}
