package cli

import (
	"strings"
	"testing"
)

func TestDiffLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x\n", 3000)
	for name, c := range map[string]struct{ from, to, want string }{
		"same":        {"a\nb", "a\nb", "…"},
		"one":         {"a", "b", "-a|+b"},
		"middle":      {"a\nb\nc", "a\nB\nc", " a|-b|+B| c"},
		"added":       {"a\nc", "a\nb\nc", " a|+b| c"},
		"gone":        {"a\nb\nc", "a\nc", " a|-b| c"},
		"at the end":  {"a", "a\n", " a|+"},
		"two places":  {"1\n2\n3\n4\n5\n6\n7\n8\n9\na\nb", "0\n2\n3\n4\n5\n6\n7\n8\n9\na\nc", "-1|+0| 2| 3| 4|…| 8| 9| a|-b|+c"},
		"kept within": {"a\nk\nb", "c\nk\nd", "-a|+c| k|-b|+d"},
	} {
		if got := strings.Join(diffLines(c.from, c.to), "|"); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
	if got := diffLines("a\n"+long+"b", "c\n"+strings.ReplaceAll(long, "x", "y")+"d"); len(got) != 6004 || got[0] != "-a" || got[6003] != "+d" {
		t.Errorf("texts that are too long for the table: %d lines", len(got))
	}
}

// Whatever the texts, what is shown of one side is in it, in its order, and nothing that changed is left out.
func FuzzDiffLines(f *testing.F) {
	f.Add("a\nb\nc", "a\nc\nd")
	f.Add("", "\n\n")
	f.Add("\n\n\n", "\n\n\n\n")
	f.Fuzz(func(t *testing.T, from, to string) {
		if len(from)+len(to) > 1000 {
			t.Skip()
		}
		all := compareLines(from, to)
		for sign, text := range map[byte]string{'-': from, '+': to} {
			var side []string
			for _, line := range all {
				if line[0] == ' ' || line[0] == sign {
					side = append(side, line[1:])
				}
			}
			if got := strings.Join(side, "\n"); got != text {
				t.Fatalf("%q to %q: the side %c is %q", from, to, sign, got)
			}
		}
		changed := func(lines []string) (n int) {
			for _, line := range lines {
				if line[0] == '-' || line[0] == '+' {
					n++
				}
			}
			return n
		}
		if short := shorten(all); len(short) > len(all) || changed(short) != changed(all) {
			t.Errorf("%q to %q: %q is shortened to %q", from, to, all, short)
		}
	})
}
