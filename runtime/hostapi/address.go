package hostapi

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

// special4 are the IPv4 ranges that are not ordinary public addresses: IANA's registry of special-purpose addresses,
// multicast, the reserved rest, and an address that looks public and answers inside of one cloud only.
var special4 = prefixes(
	"0.0.0.0/8",        // this network; 0.0.0.0 reaches the machine itself
	"10.0.0.0/8",       // private
	"100.64.0.0/10",    // carrier-grade NAT
	"127.0.0.0/8",      // loopback
	"168.63.129.16/32", // Azure's wire server
	"169.254.0.0/16",   // link-local, the metadata of most clouds
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // protocol assignments
	"192.0.2.0/24",     // documentation
	"192.88.99.0/24",   // 6to4 relays
	"192.168.0.0/16",   // private
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/4",      // multicast
	"240.0.0.0/4",      // reserved, and broadcast
)

// global6 is where global unicast IPv6 addresses come from. All that is special by a prefix of its own (unspecified,
// loopback, IPv4-compatible, NAT64, discard-only, unique local, link-local, site-local, multicast) lies outside, and
// special6 is what is special inside.
var (
	global6  = netip.MustParsePrefix("2000::/3")
	special6 = prefixes(
		"2001::/23",     // protocol assignments: Teredo, benchmarks, ORCHID
		"2001:db8::/32", // documentation
		"2002::/16",     // 6to4, which holds any IPv4 address
		"3ffe::/16",     // the former 6bone
		"3fff::/20",     // documentation
	)
	nat64 = netip.MustParsePrefix("64:ff9b::/96") // holds an IPv4 address, which is what is reached in the end
)

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// isPublic reports whether addr is global unicast. What holds an IPv4 address, mapped or for NAT64, is judged as that; an
// address with a zone is in no range (netip.Prefix.Contains), and so not in the public one.
func isPublic(addr netip.Addr) bool {
	if addr = addr.Unmap(); nat64.Contains(addr) {
		bytes := addr.As16()
		addr = netip.AddrFrom4([4]byte(bytes[12:]))
	}
	inside := func(p netip.Prefix) bool { return p.Contains(addr) }
	if addr.Is4() {
		return !slices.ContainsFunc(special4, inside)
	}
	return global6.Contains(addr) && !slices.ContainsFunc(special6, inside)
}

// mayDial reports whether a rule lets addr be connected to: a public address, or for a private rule one of its range.
func mayDial(rule policy.Network, addr netip.Addr) bool {
	if rule.Private {
		return rule.CIDR.Contains(addr.Unmap())
	}
	return isPublic(addr)
}

// addresses returns where a host may be connected to under a rule. It fails unless every address of the host may be.
// The host is in the form of policy.NormalizeHost. Errors do not tell the addresses.
func (f *fetcher) addresses(ctx context.Context, host string, rule policy.Network) ([]netip.Addr, error) {
	found, err := f.lookup(ctx, host, rule)
	if err != nil || len(found) == 0 {
		return nil, failed("%s has no address", host)
	}
	for i, addr := range found {
		if !mayDial(rule, addr) {
			return nil, forbidden(host, rule)
		}
		found[i] = addr.Unmap()
	}
	return found, nil
}

// lookup returns the addresses of a host, unchecked.
func (f *fetcher) lookup(ctx context.Context, host string, rule policy.Network) ([]netip.Addr, error) {
	if addr, ok := knownAddress(host, rule); ok {
		return []netip.Addr{addr}, nil
	}
	return f.session.host.options.Resolver.LookupNetIP(ctx, "ip", host)
}

// knownAddress is the address of a host that is not looked up: of an address, and of the names of the machine itself
// (RFC 6761).
func knownAddress(host string, rule policy.Network) (netip.Addr, bool) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr, true
	}
	if host != "localhost" && !strings.HasSuffix(host, ".localhost") {
		return netip.Addr{}, false
	}
	if rule.CIDR.Addr().Is6() {
		return netip.IPv6Loopback(), true
	}
	return netip.AddrFrom4([4]byte{127, 0, 0, 1}), true
}

// CheckHost tells what a rule that grants a host refuses all the same, as far as that shows without looking a name up: the
// error, a *tool.Error of code Denied, is that of a request to an address that the rule does not open. The host is in the
// form of policy.NormalizeHost.
func CheckHost(host string, rule policy.Network) error {
	if addr, ok := knownAddress(host, rule); ok && !mayDial(rule, addr) {
		return forbidden(host, rule)
	}
	return nil
}

func forbidden(host string, rule policy.Network) *tool.Error {
	if rule.Private {
		return tool.Errorf(tool.Denied, "%s leads to an address outside of %s, the range that its rule opens", host, rule.CIDR)
	}
	e := tool.Errorf(tool.Denied, "%s leads to an address that is not public", host)
	e.Hint = fmt.Sprintf("an operator can open one range to it: {host: %q, private: true, cidr: RANGE}", host)
	return e
}

// systemResolver asks the machine's resolver. A name with a dot is taken as it is, without the machine's search domains. A
// lookup ends with ctx, as one of the C library would not.
type systemResolver struct{}

func (systemResolver) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	if strings.Contains(host, ".") {
		host += "."
	}
	r := net.Resolver{PreferGo: true}
	return r.LookupNetIP(ctx, network, host)
}
