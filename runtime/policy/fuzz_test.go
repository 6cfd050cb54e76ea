package policy_test

import (
	"errors"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

// A policy that is read decides without failing, and an error is one that the author can mend.
func FuzzParse(f *testing.F) {
	f.Add(full, "https://api.rates.example:443/")
	f.Add("version: '1.0'\npermissions: {network: {allow: [{host: '*', ports: [80]}]}}", "http://[::1]/")
	f.Fuzz(func(t *testing.T, text, address string) {
		p, err := policy.Parse([]byte(text))
		if err != nil {
			if !errors.Is(err, tool.InvalidRequest) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		u, err := url.Parse(address)
		if err != nil {
			return
		}
		rule, err := p.Fetch("GET", u)
		if err == nil && u.Scheme != "http" && u.Scheme != "https" {
			t.Errorf("%s is granted by %v", address, rule)
		}
		if err != nil && !errors.Is(err, tool.Denied) {
			t.Errorf("%s: %v", address, err)
		}
		if a := p.ExplainFetch("GET", address, anywhere); a.Allowed != (err == nil) {
			t.Errorf("%s: %v, yet %v", address, err, a)
		}
	})
}

// A host in normal form is one address in its one spelling or a name that no resolver takes for an address.
func FuzzNormalizeHost(f *testing.F) {
	for _, host := range []string{
		"Example.ORG.", "bücher.example", "xn--bcher-kva.example", "127.0.0.1", "127.1", "0x7f.1", "[::1]", "::ffff:127.0.0.1", "1。2．3｡4",
		"①②⑦.0.0.1", "a..b", "0x", "a.0x1g", "fe80::1%eth0", "ⓔxample.com", "faß.de", "a\u00adb.example", "*.example", "xn--a",
	} {
		f.Add(host)
	}
	f.Fuzz(func(t *testing.T, host string) {
		got, err := policy.NormalizeHost(host)
		if err != nil {
			return
		}
		if again, err := policy.NormalizeHost(got); err != nil || again != got {
			t.Errorf("%q is %q, which is %q, %v", host, got, again, err)
		}
		if addr, err := netip.ParseAddr(got); err == nil {
			if addr.String() != got || addr.Zone() != "" {
				t.Errorf("%q is %q, whose one spelling is %q", host, got, addr)
			}
			return
		}
		labels := strings.Split(got, ".")
		last := labels[len(labels)-1]
		if strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") && strings.Trim(last[2:], "0123456789abcdef") == "" ||
			slices.Contains(labels, "") || strings.Trim(got, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" {
			t.Errorf("%q is %q, which is no name", host, got)
		}
	})
}

// What may be read lies below its root, by the name alone, and the path that is returned leads to the same file.
func FuzzRead(f *testing.F) {
	root := folder("/srv/data")
	for _, path := range []string{"a", "../data/a", "/srv/data/a", "/srv/data/../data/a", "/srv/database", "/srv/data//..", ".", "a/..", "..a", `..\a`, "//srv/data/a"} {
		f.Add(path)
	}
	p := &policy.Policy{Storage: []policy.Storage{{Root: root}}}
	f.Fuzz(func(t *testing.T, path string) {
		whole := path
		if !filepath.IsAbs(path) {
			whole = root + string(filepath.Separator) + path
		}
		clean := filepath.Clean(whole)
		inside := clean == root || strings.HasPrefix(clean, root+string(filepath.Separator))
		_, name, err := p.Read(path)
		switch {
		case err == nil && (!inside || filepath.Join(root, name) != clean):
			t.Errorf("%q leads to %q by %q", path, clean, name)
		case err != nil && inside && path != "" && len(path) <= 4096 && !strings.ContainsRune(path, 0) && filepath.Separator == '/' && filepath.IsAbs(path):
			t.Errorf("%q leads to %q, yet %v", path, clean, err)
		}
	})
}
