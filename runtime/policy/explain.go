package policy

import (
	"fmt"
	"net/url"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Answer says whether a policy grants something, and why, for the operator.
type Answer struct {
	Asked   string   `json:"asked"`
	Allowed bool     `json:"allowed"`
	Rule    string   `json:"rule,omitempty"`  // that grants it
	Notes   []string `json:"notes,omitempty"` // what is looked at besides, when it is done
	Why     string   `json:"why,omitempty"`   // it is denied
	Hint    string   `json:"hint,omitempty"`  // how to get it
}

// String is the answer in a few lines.
func (a Answer) String() string {
	lines := []string{"denied: " + a.Why}
	if a.Allowed {
		lines[0] = fmt.Sprintf("allowed: %s, by the rule for %s", a.Asked, a.Rule)
	}
	lines = append(lines, a.Notes...)
	if a.Hint != "" {
		lines = append(lines, a.Hint)
	}
	return strings.Join(lines, "\n")
}

// refuse makes a the answer that err is.
func (a Answer) refuse(err error) Answer {
	e := tool.AsError(err)
	a.Why, a.Hint = e.Message, e.Hint
	return a
}

// ExplainFetch answers for a request. An empty method is GET. What refuses a host, in the form of NormalizeHost, though a
// rule grants it, check tells, as hostapi.CheckHost does.
func (p *Policy) ExplainFetch(method, address string, check func(host string, rule Network) error) Answer {
	if method == "" {
		method = "GET"
	}
	a := Answer{Asked: method + " " + address}
	u, err := url.Parse(address)
	if err != nil {
		return a.refuse(tool.Errorf(tool.Denied, "%q is not the address of a page", address))
	}
	rule, err := p.Fetch(method, u)
	if err != nil {
		return a.refuse(err)
	}
	if host, err := NormalizeHost(u.Hostname()); err == nil { // or no rule would grant it
		if err := check(host, rule); err != nil {
			return a.refuse(err)
		}
	}
	a.Allowed, a.Rule = true, rule.String()
	a.Notes = append(a.Notes, rule.addressNote())
	if names := p.secretsFor(u); len(names) > 0 {
		a.Notes = append(a.Notes, "headers may carry the secrets "+strings.Join(names, ", "))
	}
	return a
}

func (n Network) addressNote() string {
	if n.Private {
		return fmt.Sprintf("every address of the host must lie in %s", n.CIDR)
	}
	return "every address of the host must be public"
}

// secretsFor names the secrets that may go to the host of a request.
func (p *Policy) secretsFor(u *url.URL) []string {
	var names []string
	host, err := NormalizeHost(u.Hostname())
	for _, s := range p.Secrets {
		if err == nil && s.GoesTo(host) {
			names = append(names, s.Name)
		}
	}
	return names
}

// ExplainRead answers for a file.
func (p *Policy) ExplainRead(path string) Answer {
	a := Answer{Asked: "reading " + quote(path)}
	rule, _, err := p.Read(path)
	if err != nil {
		return a.refuse(err)
	}
	most := rule.MaxBytes
	if most == 0 {
		most = p.FSLimits.WithDefaults().MaxFileBytes
	}
	a.Allowed, a.Rule = true, rule.String()
	a.Notes = []string{fmt.Sprintf("it must be a regular file of at most %d bytes, and links on the way must stay below the folder", most)}
	return a
}
