package toolsmith_test

import (
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The rows of section 3 of the specification, T-1 to the last. Those that are due are tests named by their numbers, or
// stand in docs/behaviour.md with what replaces them. docs/behaviour.md says how a row is named.
var rows = []struct {
	from, to int
	later    string // what they come with; "" when they are due
}{
	{1, 348, ""},
}

// A row that is neither a test nor replaced is one that nobody would miss.
func TestEveryRowIsTestedOrReplaced(t *testing.T) {
	t.Parallel()
	tested, tests := testedRows(t)
	replaced := replacedRows(t, tests)
	next := 1
	for _, r := range rows {
		if r.from != next || r.to < r.from {
			t.Errorf("T-%d to T-%d do not follow T-%d", r.from, r.to, next-1)
		}
		next = r.to + 1
		for n := r.from; n <= r.to && r.later == ""; n++ {
			if !tested[n] && !replaced[n] {
				t.Errorf("T-%d is neither named by a test nor listed in docs/behaviour.md", n)
			}
		}
	}
	for _, all := range []map[int]bool{tested, replaced} {
		for n := range all {
			if n < 1 || n >= next {
				t.Errorf("there is no T-%d", n)
			}
		}
	}
}

var (
	testName  = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	rowsOfOne = regexp.MustCompile(`^Test(T\d+(?:(?:And|To)T?\d+)*)`)              // TestT1To7And12SomeWords
	caseName  = regexp.MustCompile(`[{\s(]"(T-\d+(?:(?:, | to )T-\d+)*) [^"\n]+"`) // "T-1, T-7 some words": a table's entry or a subtest
)

// testedRows returns the rows that tests of the module are named by, and the names of all tests.
func testedRows(t *testing.T) (tested map[int]bool, tests map[string]bool) {
	t.Helper()
	tested, tests = map[int]bool{}, map[string]bool{}
	for _, path := range testFiles(t) {
		text := read(t, path)
		for _, m := range testName.FindAllStringSubmatch(text, -1) {
			tests[m[1]] = true
			if m := rowsOfOne.FindStringSubmatch(m[1]); m != nil {
				add(tested, m[1], "And", "To", "T")
			}
		}
		for _, m := range caseName.FindAllStringSubmatch(text, -1) {
			add(tested, m[1], ", ", " to ", "T-")
		}
	}
	return tested, tests
}

// testFiles returns the files of the module that hold tests.
func testFiles(t *testing.T) (paths []string) {
	t.Helper()
	others := []string{"testdata", "bench", "node_modules"}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains(others, d.Name())):
			return fs.SkipDir
		case strings.HasSuffix(path, "_test.go"):
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// add marks rows that are listed with a separator, a word between the ends of a range, and a prefix of numbers.
func add(rows map[int]bool, list, separator, to, prefix string) {
	for part := range strings.SplitSeq(list, separator) {
		from, last, _ := strings.Cut(part, to)
		first, err := strconv.Atoi(strings.TrimPrefix(from, prefix))
		if err != nil {
			continue
		}
		end := first
		if n, err := strconv.Atoi(strings.TrimPrefix(last, prefix)); err == nil {
			end = n
		}
		for n := first; n <= end; n++ {
			rows[n] = true
		}
	}
}

var (
	tableRow  = regexp.MustCompile(`(?m)^\| (T-\d+[^|]*) \|(.*)\|$`)
	namedTest = regexp.MustCompile("`(Test\\w+)`")
)

// replacedRows returns the rows in the tables of docs/behaviour.md. Each names a test that is there.
func replacedRows(t *testing.T, tests map[string]bool) map[int]bool {
	t.Helper()
	replaced := map[int]bool{}
	for _, m := range tableRow.FindAllStringSubmatch(read(t, "docs/behaviour.md"), -1) {
		add(replaced, m[1], ", ", " to ", "T-")
		cells := strings.Split(m[2], " | ")
		named := namedTest.FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(cells) != 4 || len(named) == 0 {
			t.Errorf("docs/behaviour.md: %s has no test", m[1])
		}
		for _, n := range named {
			if !tests[n[1]] {
				t.Errorf("docs/behaviour.md: %s names %s, which is not there", m[1], n[1])
			}
		}
	}
	return replaced
}

func TestRowsAreReadFromNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"TestT35": "[35]", "TestT35SomeWords": "[35]", "TestT199And200Words": "[199 200]", "TestT1To7And12And13Words": "[1 2 3 4 5 6 7 12 13]",
		"TestT205And213And218Words": "[205 213 218]", "TestTAnd5": "[]", "TestTo5": "[]", "TestTimes3": "[]", "Test3And4": "[]",
	} {
		rows := map[int]bool{}
		if m := rowsOfOne.FindStringSubmatch(name); m != nil {
			add(rows, m[1], "And", "To", "T")
		}
		if got := fmt.Sprint(slices.Sorted(maps.Keys(rows))); got != want {
			t.Errorf("%s names %s, want %s", name, got, want)
		}
	}
}
