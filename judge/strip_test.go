package judge

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestStrip(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"a // b\nc":                      "a  \nc",
		"a // b\u2028c":                  "a  \nc",
		"a // b\rc":                      "a  \nc",
		"a /* b */ c":                    "a   c",
		"a/*\n\r\n*/c":                   "a\n\nc",
		`x = "a\"b" + 'c\'d'`:            `x = "" + ''`,
		"x = 'a\\\r\nb'; y":              "x = '\n'; y",
		"`a\n${b + \"c\"}d`+1":           "`\n${b + \"\"}`+1",
		"`${{a: `${1}`}}`/2":             "`${{a: `${1}`}}`/2",
		"`\\`${a}\\${b}`":                "`${a}`",
		`x = /"/.test(y) // "`:           `x = /"/.test(y)  `,
		`return /[/"]/g`:                 `return /[/"]/g`,
		`a.return / "b" / "c"`:           `a.return / "" / ""`,
		`a / 'b' / c`:                    `a / '' / c`,
		`(a) / b / "c"`:                  `(a) / b / ""`,
		`(a) / b + "c"`:                  `(a) / b + ""`,
		`a[0] / "b"`:                     `a[0] / ""`,
		`1.5 / "b"`:                      `1.5 / ""`,
		`a = 1./'b'/2`:                   `a = 1./''/2`,
		`x = {} / 1`:                     `x = {} / 1`,
		"return\u00a0/\"/;e(); /\"/":     "return\u00a0/\"/;e(); /\"/",
		`"a" /b/ "c"`:                    `"" /b/ ""`,
		`ſ = "é" /* ü */ + /\//`:         `ſ = ""   + /\//`,
		"if (x) /a/.test(y) ; z = \"b\"": "if (x) /a/.test(y) ; z = \"\"",
		"":                               "",
	} {
		text, from := strip(code, false)
		if lineEnds.Replace(text) != want || from >= 0 {
			t.Errorf("%q: %q from %d, want %q", code, text, from, want)
		}
	}
}

// Where text and code cannot be told apart, nothing is hidden.
func TestStripStops(t *testing.T) {
	t.Parallel()
	for code, at := range map[string]string{
		`x = "a" + "b`:                            `"b`,
		"x = 'a' + 'b\nc'":                        "'b\nc'",
		"'a' /* b":                                "/* b",
		"'a' + `b ${c} d":                         " d",
		`if (x) /"/.test(y); evil("z"); /"/`:      `/"/.test(y); evil("z"); /"/`,
		`function f() {} /"/; evil(); /"/`:        `/"/; evil(); /"/`,
		`x++ /"/; evil(); /"/`:                    `/"/; evil(); /"/`,
		`await /"/; evil(); /"/`:                  `/"/; evil(); /"/`,
		`retur\u006e /"/; evil(); /"/`:            `/"/; evil(); /"/`,
		"'a'; <!-- `\nevil() //`":                 "<!-- `\nevil() //`",
		"'a'\n--> `\nevil() //`":                  "--> `\nevil() //`",
		"#! `\nevil() //`":                        "#! `\nevil() //`",
		"x = /a\nb/":                              "/a\nb/",
		"a €`b`":                                  "€`b`",
		"(a) /`/ 1; evil(); `":                    "/`/ 1; evil(); `",
		"(a) /b\\/ '":                             "'",
		strings.Repeat(")/[", 1<<10) + "'a' /**/": "",
	} {
		text, from := strip(code, false)
		if from < 0 || !strings.HasSuffix(text, at) || !strings.HasSuffix(code[from:], at) {
			t.Errorf("%.80q: %.80q from %d, want %q kept", code, text, from, at)
		}
	}
	if _, from := strip("x = <T>/'/; evil(); /'/", true); from < 0 {
		t.Error("the end of a type is taken for an operator")
	}
}

func TestStripIsLinear(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{")/[", "(/a/", "a/", "`${", "}", "/", "/*", "'", "//\n", "{", "\\", ")/a"} {
		code := strings.Repeat(piece, MaxSourceBytes/len(piece))
		start := time.Now()
		strip(code, false)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("many %q take %s", piece, took)
		}
	}
}

// FuzzStrip: lines stay where they are, what is left is part of the code in its order, and nothing else is there.
func FuzzStrip(f *testing.F) {
	f.Add("a // b\n`c${d}e` /f/ 'g' /* h */ { } ) / i", false)
	f.Add("\r// b\n", false)
	f.Add("x = <T>/'/; y! /z", true)
	f.Add("<!-- `\n--> #! \\u2028 \u2028 \r\n '\\\r\n'", false)
	f.Fuzz(func(t *testing.T, code string, typescript bool) {
		text, from := strip(code, typescript)
		if len(lines(text)) != len(lines(code)) {
			t.Fatalf("%q: %q has other lines", code, text)
		}
		if from >= 0 && !strings.HasSuffix(text, code[from:]) {
			t.Fatalf("%q: %q does not end with what is left", code, text)
		}
		if !utf8.ValidString(code) {
			return // compared by characters below
		}
		rest := lineEnds.Replace(code)
		for _, r := range lineEnds.Replace(text) {
			if r == ' ' {
				continue // may stand for a comment
			}
			_, after, found := strings.Cut(rest, string(r))
			if !found {
				t.Fatalf("%q: %q holds what is not there", code, text)
			}
			rest = after
		}
	})
}
