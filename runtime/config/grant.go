package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

// Policy is what a persona is granted: the policy that it names, else the one named default. The caller owns it.
func (c Config) Policy(persona string) (*policy.Policy, error) {
	if name := c.Personas[persona].Policy; name != "" {
		return c.NamedPolicy(name)
	}
	return c.NamedPolicy(policy.DefaultName)
}

// NamedPolicy is the policy under policies, or the preset, of that name. The policy default is the one under policies, if it
// is there, and what the keys of emergentConfig grant besides. The error is NotFound.
func (c Config) NamedPolicy(name string) (*policy.Policy, error) {
	p, ok := policy.Preset(name)
	if d, written := c.Policies[name]; written {
		p, ok = d.Policy(), true
		p.Name = name
	}
	switch {
	case !ok:
		return nil, &tool.Error{
			Code: tool.NotFound, Message: fmt.Sprintf("there is no policy %.80q", name), Hint: "name one under policies in the configuration, or default or open",
		}
	case name == policy.DefaultName:
		return p, c.EmergentConfig.grant(p)
	}
	return p, nil
}

// grant adds to a policy what the keys of e grant. Limits that the policy sets itself stay.
func (e Emergent) grant(p *policy.Policy) error {
	if slices.Contains(e.AllowedSandboxAPIs, "fetch") {
		for _, host := range e.FetchDomainAllowlist {
			rule := policy.Network{Host: host, Methods: slices.Clone(e.FetchMethods)}
			if err := rule.Validate(); err != nil {
				return err
			}
			p.Network = append(p.Network, rule)
		}
	}
	if slices.Contains(e.AllowedSandboxAPIs, "fs.readFile") {
		for _, root := range e.FSReadRoots {
			if err := p.ReadRoot(root); err != nil {
				return err
			}
		}
	}
	if slices.Contains(e.AllowedSandboxAPIs, "crypto") && len(p.Crypto) == 0 {
		p.AllowCrypto()
	}
	fetch, fs := &p.FetchLimits, &p.FSLimits
	if fetch.MaxResponseBytes == 0 {
		fetch.MaxResponseBytes = e.FetchMaxResponseBytes
	}
	if fetch.MaxRedirects == 0 {
		if fetch.MaxRedirects = e.FetchMaxRedirects; e.FetchMaxRedirects == 0 {
			fetch.MaxRedirects = policy.NoRedirects
		}
	}
	if fs.MaxFileBytes == 0 {
		fs.MaxFileBytes = e.FSMaxFileBytes
	}
	return nil
}

// checkGrants looks at the keys that grant powers.
func (c *Config) checkGrants() error {
	e := c.EmergentConfig
	for i, root := range e.FSReadRoots {
		if !filepath.IsAbs(root) {
			return wrong(fmt.Sprintf("%.80q is not an absolute path", root), "write the whole path of the folder", "emergentConfig", "fsReadRoots", fmt.Sprint(i))
		}
	}
	for i, host := range e.FetchDomainAllowlist {
		if err := (&policy.Network{Host: host}).Validate(); err != nil {
			return wrong(tool.AsError(err).Message, tool.AsError(err).Hint, "emergentConfig", "fetchDomainAllowlist", fmt.Sprint(i))
		}
	}
	switch {
	case len(e.FetchMethods) == 0:
		return wrong("an empty list allows nothing", "leave it out for GET and HEAD, or take fetch out of allowedSandboxAPIs", "emergentConfig", "fetchMethods")
	case e.FetchAllowPrivateNetworks:
		return wrong("private networks are not opened all at once", "leave it out, and write a rule of policies.default for each host: "+
			"{host: billing.internal.example, private: true, cidr: 10.20.0.0/16}", "emergentConfig", "fetchAllowPrivateNetworks")
	}
	for _, id := range slices.Sorted(maps.Keys(c.Policies)) {
		if err := checkName("policies", id); err != nil {
			return err
		}
		if id == policy.OpenName {
			return wrong("the policy open is a preset", "take another name", "policies", id)
		}
	}
	return nil
}
