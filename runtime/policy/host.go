package policy

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// maxHost is the most bytes of a host that are looked at; a name that can be resolved has at most 253.
const maxHost = 1024

// NormalizeHost returns the one spelling in which hosts are compared: names in the ASCII form of IDNA, in lower case,
// without the dot at the end; addresses as net/netip writes them, without brackets. Refused is what is neither: odd
// spellings of IPv4 addresses (decimal, octal, hexadecimal, short), zones, empty labels, names that are too long.
func NormalizeHost(host string) (string, error) {
	switch {
	case len(host) > maxHost:
		return "", fmt.Errorf("a host of %d bytes is too long", len(host))
	case !utf8.ValidString(host):
		return "", errors.New("a host is written in UTF-8")
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inner, "]")
	}
	if strings.Contains(host, ":") {
		return normalizeIPv6(host)
	}
	name, err := idna.Lookup.ToASCII(host)
	if err != nil {
		return "", fmt.Errorf("%q is not a host name: %s", host, strings.TrimPrefix(err.Error(), "idna: "))
	}
	name = strings.TrimSuffix(name, ".")
	if endsInNumber(name) {
		return normalizeIPv4(name)
	}
	return name, checkLabels(name)
}

func normalizeIPv6(host string) (string, error) {
	addr, err := netip.ParseAddr(host)
	switch {
	case err != nil:
		return "", fmt.Errorf("%q is not an address", host)
	case addr.Zone() != "":
		return "", errors.New("an address with a zone is not a host")
	}
	return addr.String(), nil
}

func normalizeIPv4(host string) (string, error) {
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return "", fmt.Errorf("%q is not an address: write four decimal numbers", host)
	}
	return addr.String(), nil
}

// endsInNumber reports whether resolvers may take a name for an IPv4 address: its last label is a number.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// checkLabels holds a name to the lengths that the domain name system has.
func checkLabels(name string) error {
	if len(name) > 253 {
		return fmt.Errorf("a host name of %d bytes is too long", len(name))
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 {
			return fmt.Errorf("%q is not a host name: each part has 1 to 63 characters", name)
		}
	}
	return nil
}

// anyHost is the pattern of every host.
const anyHost = "*"

// normalizePattern is NormalizeHost for the host of a rule, which may also be "*" or begin with "*.".
func normalizePattern(pattern string) (string, error) {
	if pattern == anyHost {
		return pattern, nil
	}
	name, wild := strings.CutPrefix(pattern, "*.")
	switch {
	case strings.Contains(name, "*"):
		return "", fmt.Errorf("%q: a wildcard stands alone or before the first dot, as in *.example.org", pattern)
	case strings.Contains(name, "/"):
		return "", fmt.Errorf("%q is an address of a page: give its host alone", pattern)
	}
	host, err := NormalizeHost(name)
	switch {
	case err != nil && strings.Count(name, ":") == 1:
		return "", fmt.Errorf("%q has a port: give it in ports", pattern)
	case err != nil || !wild:
		return host, err
	case strings.Contains(host, ":") || endsInNumber(host):
		return "", fmt.Errorf("%q: an address has no sub-domains", pattern)
	}
	return "*." + host, nil
}

// matches reports whether a rule's host covers host; both are in normal form. A wildcard covers sub-domains alone.
func matches(pattern, host string) bool {
	suffix, wild := strings.CutPrefix(pattern, "*")
	return wild && strings.HasSuffix(host, suffix) || pattern == host
}

// nearness orders the patterns that match one host: the higher, the fewer hosts it covers.
func nearness(pattern string) int {
	if strings.HasPrefix(pattern, "*") {
		return len(pattern)
	}
	return maxHost
}
