package tool_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
)

func TestCheckName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]tool.NameProblem{
		"a": "", "Add_numbers-2": "", strings.Repeat("a", 200): "",
		"": tool.NameEmpty, strings.Repeat("a", 201): tool.NameLength,
		"1a": tool.NameFirstChar, "_a": tool.NameFirstChar, "äb": tool.NameFirstChar, "\x00": tool.NameFirstChar,
		"a b": tool.NameCharset, "a.b": tool.NameCharset, "aä": tool.NameCharset, "a/../b": tool.NameCharset, "a\n": tool.NameCharset,
	} {
		got := tool.CheckName(name)
		if got != want {
			t.Errorf("%.20q: got %q, want %q", name, got, want)
		}
		err := tool.NameError(name, got)
		if (err == nil) != (got == "") || err != nil && !errors.Is(err, tool.InvalidRequest) {
			t.Errorf("%.20q: %v", name, err)
		}
		if problem, ok := tool.NameProblemOf(err); problem != got || ok != (got != "") {
			t.Errorf("%.20q: the error's problem is %q", name, problem)
		}
	}
}

func TestFoldName(t *testing.T) {
	t.Parallel()
	for a, b := range map[string]string{"Forge-Tool": "forge_tool", "csv_parse": "CSV-parse", "a": "A"} {
		if tool.FoldName(a) != tool.FoldName(b) {
			t.Errorf("%s and %s are not alike", a, b)
		}
	}
	if tool.FoldName("csvparse") == tool.FoldName("csv_parse") {
		t.Error("csvparse and csv_parse are alike")
	}
}
