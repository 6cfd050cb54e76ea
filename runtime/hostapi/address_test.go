package hostapi

import (
	"bytes"
	"net/netip"
	"testing"

	"example.com/toolsmith/runtime/policy"
)

// ranges are the special ranges, with the first address behind each that is public, if there is one.
var ranges = []struct{ prefix, behind string }{
	{"0.0.0.0/8", "1.0.0.0"},
	{"10.0.0.0/8", "11.0.0.0"},
	{"100.64.0.0/10", "100.128.0.0"},
	{"127.0.0.0/8", "128.0.0.0"},
	{"168.63.129.16/32", "168.63.129.17"},
	{"169.254.0.0/16", "169.255.0.0"},
	{"172.16.0.0/12", "172.32.0.0"},
	{"192.0.0.0/24", "192.0.1.0"},
	{"192.0.2.0/24", "192.0.3.0"},
	{"192.88.99.0/24", "192.88.100.0"},
	{"192.168.0.0/16", "192.169.0.0"},
	{"198.18.0.0/15", "198.20.0.0"},
	{"198.51.100.0/24", "198.51.101.0"},
	{"203.0.113.0/24", "203.0.114.0"},
	{"224.0.0.0/4", ""},
	{"240.0.0.0/4", ""},
	{"255.255.255.255/32", ""},
	{"::/128", ""},
	{"::1/128", ""},
	{"::/96", ""},               // IPv4-compatible
	{"::ffff:10.0.0.0/104", ""}, // IPv4-mapped, of a private range
	{"::ffff:127.0.0.0/104", ""},
	{"64:ff9b::10.0.0.0/104", ""}, // NAT64, of a private range
	{"64:ff9b::169.254.0.0/112", ""},
	{"64:ff9b:1::/48", ""},
	{"100::/64", ""},
	{"100:0:0:1::/64", ""},
	{"2001::/32", ""}, // Teredo
	{"2001:2::/48", ""},
	{"2001:10::/28", ""},
	{"2001:20::/28", ""},
	{"2001:30::/28", ""},
	{"2001::/23", "2001:200::"},
	{"2001:db8::/32", "2001:db9::"},
	{"2002::/16", "2003::"},
	{"3ffe::/16", "3fff:1000::"},
	{"3fff::/20", "3fff:1000::"},
	{"5f00::/16", ""},
	{"fc00::/7", ""},
	{"fe80::/10", ""},
	{"fec0::/10", ""},
	{"ff00::/8", ""},
}

// last is the highest address of a prefix.
func last(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 1 << (7 - i%8)
	}
	addr, _ := netip.AddrFromSlice(b)
	return addr
}

func TestSpecialAddresses(t *testing.T) {
	t.Parallel()
	for _, r := range ranges {
		p := netip.MustParsePrefix(r.prefix)
		if first := p.Addr(); isPublic(first) || isPublic(last(p)) {
			t.Errorf("%s counts as public", r.prefix)
		}
		if r.behind != "" && !isPublic(netip.MustParseAddr(r.behind)) {
			t.Errorf("%s does not count as public", r.behind)
		}
	}
}

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"1.1.1.1", "8.8.8.8", "93.184.215.14", "172.15.255.255", "223.255.255.255", "2606:4700:4700::1111", "2a00:1450::1",
		"::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
	} {
		if !isPublic(netip.MustParseAddr(text)) {
			t.Errorf("%s does not count as public", text)
		}
	}
	if isPublic(netip.Addr{}) || isPublic(netip.MustParseAddr("2606:4700::1%eth0")) {
		t.Error("no address, or one with a zone, counts as public")
	}
}

// A private rule opens its range and nothing else.
func TestPrivateRule(t *testing.T) {
	t.Parallel()
	rule := policy.Network{Private: true, CIDR: netip.MustParsePrefix("10.20.0.0/16")}
	for text, want := range map[string]bool{
		"10.20.0.1": true, "10.20.255.255": true, "::ffff:10.20.0.1": true,
		"10.21.0.1": false, "127.0.0.1": false, "8.8.8.8": false, "169.254.169.254": false, "64:ff9b::10.20.0.1": false, "::1": false,
	} {
		if mayDial(rule, netip.MustParseAddr(text)) != want {
			t.Errorf("%s: want %t", text, want)
		}
	}
	six := policy.Network{Private: true, CIDR: netip.MustParsePrefix("fd00::/8")}
	if !mayDial(six, netip.MustParseAddr("fd00::1")) || mayDial(six, netip.MustParseAddr("fd00::1%eth0")) {
		t.Error("fd00::/8 opens fd00::1, and no zone of it")
	}
}

// The machine's own names are in its hosts file, so that this needs no network.
func TestSystemResolver(t *testing.T) {
	t.Parallel()
	found, err := systemResolver{}.LookupNetIP(t.Context(), "ip", "localhost")
	if err != nil || len(found) == 0 || !found[0].Unmap().IsLoopback() {
		t.Errorf("localhost is at %v, %v", found, err)
	}
}

// ordinary is the rule for public addresses said another way: by net/netip's classes, and by the bytes.
func ordinary(a netip.Addr) bool {
	if a.Zone() != "" || !a.IsValid() {
		return false
	}
	a = a.Unmap()
	if a.IsUnspecified() || a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsMulticast() || !a.IsGlobalUnicast() {
		return false
	}
	b := a.AsSlice()
	at := func(bytes ...byte) bool { return len(b) >= len(bytes) && string(b[:len(bytes)]) == string(bytes) }
	if a.Is4() {
		reserved := b[0] == 0 || b[0] >= 240 || b[0] == 100 && b[1]>>6 == 1 || b[0] == 198 && b[1]>>1 == 9
		return !reserved && !at(192, 0, 0) && !at(192, 0, 2) && !at(192, 88, 99) && !at(198, 51, 100) && !at(203, 0, 113) && !at(168, 63, 129, 16)
	}
	if at(0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0) {
		inner, _ := netip.AddrFromSlice(b[12:])
		return ordinary(inner)
	}
	special := at(0x20, 1, 0) || at(0x20, 1, 1) || at(0x20, 1, 0xd, 0xb8) || at(0x20, 2) || at(0x3f, 0xfe) || at(0x3f, 0xff) && b[2]>>4 == 0
	return b[0]>>5 == 1 && !special
}

func FuzzAddress(f *testing.F) {
	for _, r := range ranges {
		p := netip.MustParsePrefix(r.prefix)
		f.Add(p.Addr().AsSlice())
		f.Add(last(p).AsSlice())
		f.Add(last(p).Next().AsSlice())
		f.Add(p.Addr().Prev().AsSlice())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		addr, ok := netip.AddrFromSlice(b)
		if !ok {
			return
		}
		got := isPublic(addr)
		if got != ordinary(addr) {
			t.Errorf("%s: %t, the oracle says otherwise", addr, got)
		}
		if addr.Is4() && got != isPublic(netip.AddrFrom16(addr.As16())) {
			t.Errorf("%s: judged otherwise when mapped to IPv6", addr)
		}
		if got && bytes.Equal(addr.Unmap().AsSlice(), []byte{169, 254, 169, 254}) {
			t.Error("the metadata service counts as public")
		}
	})
}
