package policy

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Network grants requests to one host or one family of hosts.
type Network struct {
	// Host is in the form of NormalizeHost; "*.example.org" is every sub-domain of example.org, and "*" every host.
	Host string `json:"host"`
	// Methods are in upper case; empty: GET and HEAD.
	Methods []string `json:"methods"`
	// Ports are those that may be connected to; empty: 443 for https and 80 for http.
	Ports []int `json:"ports"`
	// Private opts in to addresses that are not public: the host's addresses must all lie in CIDR.
	Private bool         `json:"private"`
	CIDR    netip.Prefix `json:"cidr"`
}

// Methods are those that a rule can grant.
func Methods() []string {
	return []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
}

// Validate brings the rule into its normal form and says what is wrong with it.
func (n *Network) Validate() error {
	if n.Host == "" {
		return missing("host", `name the host that may be reached, as in host: "api.example.com"`)
	}
	host, err := normalizePattern(n.Host)
	if err != nil {
		return wrong("host", err.Error())
	}
	n.Host = host
	for _, check := range []func() error{n.checkMethods, n.checkPorts, n.checkPrivate} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (n *Network) checkMethods() error {
	if n.Methods != nil && len(n.Methods) == 0 {
		return wrong("methods", "an empty list allows nothing: leave it out for GET and HEAD, or take the rule away")
	}
	for i, m := range n.Methods {
		if !slices.Contains(Methods(), m) {
			return wrong(fmt.Sprintf("methods/%d", i), fmt.Sprintf("%q is none of %s", m, strings.Join(Methods(), ", ")))
		}
	}
	return nil
}

func (n *Network) checkPorts() error {
	if n.Ports != nil && len(n.Ports) == 0 {
		return wrong("ports", "an empty list allows nothing: leave it out for 443 and 80, or take the rule away")
	}
	for i, port := range n.Ports {
		if port < 1 || port > maxPort {
			return wrong(fmt.Sprintf("ports/%d", i), "a port is within 1 to 65535")
		}
	}
	return nil
}

const maxPort = 1<<16 - 1

func (n *Network) checkPrivate() error {
	switch {
	case n.Private && !n.CIDR.IsValid():
		return missing("cidr", "a private rule names the one range that it opens, as in cidr: 10.20.0.0/16")
	case !n.Private && n.CIDR.IsValid():
		return wrong("cidr", "a range stands with private: true alone")
	case n.Private && n.Host == anyHost:
		return wrong("host", `a private rule names its host: "*" would let every name lead inside`)
	case n.CIDR.IsValid() && n.CIDR != n.CIDR.Masked():
		return wrong("cidr", fmt.Sprintf("the range has bits behind its prefix: write %s", n.CIDR.Masked()))
	}
	return nil
}

// String describes the rule for people.
func (n Network) String() string {
	text := fmt.Sprintf("host %q, %s, %s", n.Host, strings.Join(n.methods(), " "), n.portText())
	if n.Private {
		text += ", private range " + n.CIDR.String()
	}
	return text
}

func (n Network) portText() string {
	if len(n.Ports) == 0 {
		return "the usual ports"
	}
	return "port " + joinInts(n.Ports, " or ")
}

func (n Network) methods() []string {
	if len(n.Methods) == 0 {
		return []string{"GET", "HEAD"}
	}
	return n.Methods
}

// target is a request as rules see it.
type target struct {
	method, scheme, host string
	port                 int
}

// usualPorts are the ports of the schemes there are.
var usualPorts = map[string]int{"http": 80, "https": 443}

// newTarget reads a request. The error says why no rule can grant it.
func newTarget(method string, u *url.URL) (target, error) {
	usual, ok := usualPorts[u.Scheme]
	switch {
	case !ok:
		return target{}, fmt.Errorf("the scheme of a request is http or https, not %.40q", u.Scheme)
	case !slices.Contains(Methods(), method):
		return target{}, fmt.Errorf("the method of a request is one of %s, not %.40q", strings.Join(Methods(), ", "), method)
	case u.User != nil:
		return target{}, errors.New("an address must not hold a user name or password: send an Authorization header")
	}
	host, err := NormalizeHost(u.Hostname())
	if err != nil {
		return target{}, err
	}
	t := target{method, u.Scheme, host, usual}
	if text := u.Port(); text != "" {
		if t.port, err = strconv.Atoi(text); err != nil || t.port < 1 || t.port > maxPort {
			return target{}, fmt.Errorf("%.40q is not a port", text)
		}
	}
	return t, nil
}

// String is the request without its path.
func (t target) String() string {
	host := t.host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if t.port != usualPorts[t.scheme] {
		host += ":" + strconv.Itoa(t.port)
	}
	return t.method + " " + t.scheme + "://" + host
}

func (n Network) allows(t target) bool {
	return matches(n.Host, t.host) && slices.Contains(n.methods(), t.method) && n.allowsPort(t)
}

func (n Network) allowsPort(t target) bool {
	if len(n.Ports) == 0 {
		return t.port == usualPorts[t.scheme]
	}
	return slices.Contains(n.Ports, t.port)
}

// Fetch returns the rule that grants a request: of all that do the one that covers the fewest hosts, of equals the first.
// The method is in upper case. The error is a *tool.Error of code Denied.
func (p *Policy) Fetch(method string, u *url.URL) (Network, error) {
	t, err := newTarget(method, u)
	if err != nil {
		return Network{}, tool.Errorf(tool.Denied, "fetch: %w", err)
	}
	best, near := -1, []Network(nil)
	for i, n := range p.Network {
		switch {
		case n.allows(t) && (best < 0 || nearness(n.Host) > nearness(p.Network[best].Host)):
			best = i
		case matches(n.Host, t.host):
			near = append(near, n)
		}
	}
	if best < 0 {
		return Network{}, deniedFetch(t, near)
	}
	return p.Network[best], nil
}

// deniedFetch says what is missing: a rule for the host, or more in the rules that there are for it.
func deniedFetch(t target, near []Network) *tool.Error {
	why := fmt.Sprintf("no rule of permissions.network.allow names the host %q", t.host)
	if len(near) > 0 {
		why = fmt.Sprintf("the rule for %s allows no more", near[0])
	}
	rule, flag := t.rule()
	return denied(fmt.Sprintf("%s is not granted: %s", t, why), flag, "permissions: {network: {allow: ["+rule+"]}}")
}

// rule is the narrowest rule that grants t, as YAML, and the flag that does the same, if one does.
func (t target) rule() (yaml, flag string) {
	yaml = fmt.Sprintf("host: %q", t.host)
	plain := slices.Contains(Network{}.methods(), t.method)
	if !plain {
		yaml += fmt.Sprintf(", methods: [%s]", t.method)
	}
	host := t.host
	if t.port != usualPorts[t.scheme] {
		yaml += fmt.Sprintf(", ports: [%d]", t.port)
		host = ""
	}
	if own := inside(t.host); own != "" {
		yaml += fmt.Sprintf(", private: true, cidr: %q", own)
		host = ""
	}
	if plain && host != "" {
		flag = "--allow-host " + host
	}
	return "{" + yaml + "}", flag
}

// inside is the range that a private rule for a host needs, where the host says by itself that it is not public; else "".
func inside(host string) string {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return "127.0.0.1/32"
	}
	addr, err := netip.ParseAddr(host)
	if err != nil || addr.IsGlobalUnicast() && !addr.IsPrivate() {
		return ""
	}
	addr = addr.Unmap()
	return netip.PrefixFrom(addr, addr.BitLen()).String()
}

// AllowHost grants GET and HEAD to a host, which may begin with "*." or be "*", on the usual ports.
func (p *Policy) AllowHost(host string) error {
	n := Network{Host: host}
	if err := n.Validate(); err != nil {
		e := tool.AsError(err)
		return &tool.Error{Code: tool.InvalidRequest, Message: "allowed host: " + e.Message, Hint: e.Hint}
	}
	p.Network = append(p.Network, n)
	return nil
}

func joinInts(numbers []int, sep string) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, sep)
}
