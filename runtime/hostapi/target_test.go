package hostapi

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

func TestTargets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://example.org":                 "https://example.org/",
		"HTTPS://Example.ORG./a":              "https://example.org/a",
		"  https://example.org/ ":             "https://example.org/",
		"https://example.org:443/":            "https://example.org/",
		"http://example.org:443/":             "http://example.org:443/",
		"http://example.org:0080/":            "http://example.org/",
		"http://example.org:/":                "http://example.org/",
		"https://bücher.example/":             "https://xn--bcher-kva.example/",
		"https://１.1.1.1/":                    "https://1.1.1.1/",
		"https://[2606:4700:0::1]:8443/":      "https://[2606:4700::1]:8443/",
		"https://[2606:4700::1]":              "https://[2606:4700::1]/",
		"https://e.org/a b/é?q=ü x&y='#f":     "https://e.org/a%20b/%C3%A9?q=%C3%BC%20x&y=%27",
		"https://e.org/50%/x%20y%2Fz":         "https://e.org/50%25/x%20y%2Fz",
		"https://e.org/a/./b/../c":            "https://e.org/a/c",
		"https://e.org?q=http://127.0.0.1\\x": "https://e.org/?q=http://127.0.0.1\\x",
		"https://e.org//evil.example/":        "https://e.org//evil.example/",
		"https://e.org#@other.example/":       "https://e.org/",
	} {
		u, err := parseTarget(text)
		if err != nil || u.String() != want {
			t.Errorf("%q: got %v, %v, want %s", text, u, err, want)
		}
	}
}

func TestRefusedTargets(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "/", "//example.org/", "example.org", "undefined", "file:///etc/passwd", "ftp://example.org/", "javascript:1",
		"http:/example.org/", "http:example.org", "http:///example.org", "http://", "http://?x", "http://#@example.org",
		"http+unix://%2Frun%2Fdocker.sock/x", "data:text/plain,x", "blob:https://example.org/x",
		`http:\\example.org\`, `https://example.org\@other.example/`, `https://other.example\.example.org/`, `https://e.org/a\b`,
		"ht\ttp://example.org/", "https://exam\nple.org/", "https://example.org/\r\nX: y", "https://example.org/\x00", "https://e.org/\x7f",
		"https://user@example.org/", "https://user:pass@example.org/", "https://@example.org/", "https://a@b@example.org/",
		"https://127%2e0.0.1/", "https://exam%70le.org/", "https://exa mple.org/", "https://exam_ple..org/", "https://.example.org/", "https://a..b/",
		"https://127.1/", "https://2130706433/", "https://0x7f000001/", "https://0177.0.0.1/", "https://0x7f.0.0x0.01/", "https://0/", "https://1.2.3.4.5/",
		"https://127.0.0.1.:0/", "https://256.1.1.1/", "https://example.0x1/", "https://127.0.0.0x1./", "https://１２７.1/",
		"https://::1/", "https://[::1/", "https://::1]/", "https://[::1]x/", "https://x[::1]/", "https://[127.0.0.1]/", "https://[example.org]/",
		"https://[fe80::1%25eth0]/", "https://[fe80::1%eth0]/", "https://[]/", "https://[v1.x]/", "https://a:b:80/",
		"https://example.org:99999/", "https://example.org:0/", "https://example.org:-1/", "https://example.org:8a/", "https://example.org:+80/", "https://example.org: 80/",
		"https://" + strings.Repeat("a", 64) + ".example/", "https://" + strings.Repeat("a.", 200) + "example/",
		"https://example.org/" + strings.Repeat("a", maxTarget), "https://xn--a-ecp.ru\u2024/",
	} {
		if u, err := parseTarget(text); !errors.Is(err, tool.Denied) {
			t.Errorf("%.80q: got %v, %v", text, u, err)
		} else if len(err.Error()) > 1000 {
			t.Errorf("%.80q: an error of %d bytes", text, len(err.Error()))
		}
	}
}

// TestRefusalsExplain: what agents write by habit is refused with the way to do it.
func TestRefusalsExplain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"example.org/x": "must begin with https://", "https://user:pass@example.org/": "send an Authorization header", "https://127.1/": "four decimal numbers",
		"https://": "names no host", "https://e.org:99999/": "from 1 to 65535", `https:\\e.org`: "backslash", "https://e.org/\n": "line break",
	} {
		if _, err := parseTarget(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestRelativeTargets(t *testing.T) {
	t.Parallel()
	base, _ := url.Parse("https://example.org/a/b?c=d")
	for location, want := range map[string]string{
		"":                     "https://example.org/a/b?c=d",
		"x":                    "https://example.org/a/x",
		"/x":                   "https://example.org/x",
		"../../../x":           "https://example.org/x",
		"?q=ü":                 "https://example.org/a/b?q=%C3%BC",
		"#top":                 "https://example.org/a/b?c=d",
		"/\xe9":                "https://example.org/%E9",
		"//other.example/x":    "https://other.example/x",
		"http://other.example": "http://other.example/",
		" /x\t":                "https://example.org/x",
		"x@y":                  "https://example.org/a/x@y",
		"/a//b":                "https://example.org/a//b",
		"./c:d":                "https://example.org/a/c:d",
	} {
		u, err := resolveTarget(base, location)
		if err != nil || u.String() != want {
			t.Errorf("%q: got %v, %v, want %s", location, u, err, want)
		}
	}
	for _, location := range []string{
		"file:///etc/passwd", "javascript:1", "data:,x", "//user@other.example/", "//", "///", `/\other.example`, `\\other.example`,
		"//127.1/", "/\r\nX: y", "http:x", "/" + strings.Repeat("a", maxTarget),
	} {
		if u, err := resolveTarget(base, location); !errors.Is(err, tool.Denied) {
			t.Errorf("%.40q: got %v, %v", location, u, err)
		}
	}
}

// FuzzTarget holds an address that is accepted to what the guard builds on: it says the same to every reader.
func FuzzTarget(f *testing.F) {
	for _, text := range []string{
		"https://example.org/a?b#c", "http://127.0.0.1:8080/", "http://[::1]:80/", "https://bücher.example/é", "http://0x7f.1/",
		"http://a@b/", "https://e.org/%zz", `http:\\x`, "//x", "http://１２７.0.0.1/", "http://127。0。0。1/", "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", "?x", "../a",
	} {
		f.Add(text)
	}
	base, _ := url.Parse("https://example.org/a/b?c=d")
	f.Fuzz(func(t *testing.T, text string) {
		for _, parse := range []func() (*url.URL, error){
			func() (*url.URL, error) { return parseTarget(text) },
			func() (*url.URL, error) { return resolveTarget(base, text) },
		} {
			u, err := parse()
			switch {
			case err == nil:
				checkAccepted(t, u)
			case !errors.Is(err, tool.Denied):
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}

func checkAccepted(t *testing.T, u *url.URL) {
	t.Helper()
	text := u.String()
	again, err := parseTarget(text)
	if err != nil || again.String() != text {
		t.Errorf("%q becomes %v, %v", text, again, err)
	}
	std, err := url.Parse(text)
	if err != nil || std.Host != u.Host || std.User != nil || std.Fragment != "" || std.Scheme != u.Scheme {
		t.Fatalf("%q: net/url reads %v, %v", text, std, err)
	}
	host := std.Hostname()
	if normal, err := policy.NormalizeHost(host); err != nil || normal != host {
		t.Errorf("%q: the host is not in its normal form: %q, %v", text, normal, err)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		t.Errorf("%q holds what does not belong in a request line", text)
	}
	if addr, err := netip.ParseAddr(host); err == nil && addr.String() != host {
		t.Errorf("%q: the address is written %s", text, addr)
	}
	lastLabel := host[strings.LastIndexByte(host, '.')+1:]
	if _, err := netip.ParseAddr(host); err != nil && strings.Trim(lastLabel, "0123456789") == "" {
		t.Errorf("%q: the host is a number, and no address", text)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		t.Errorf("%q: scheme", text)
	}
}
