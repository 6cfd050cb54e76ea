package runtime

import (
	"slices"

	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/source"
)

// Grant adds to a policy what somebody grants by naming it beside a run, on a command line or in a case file: GET and HEAD to
// hosts, the files below folders, and crypto when it is among the APIs asked for. A policy that grants some of crypto
// already keeps to that. The error is a *tool.Error of code InvalidRequest.
func Grant(p *policy.Policy, apis, hosts, folders []string) error {
	for _, host := range hosts {
		if err := p.AllowHost(host); err != nil {
			return err
		}
	}
	for _, folder := range folders {
		if err := p.ReadRoot(folder); err != nil {
			return err
		}
	}
	if slices.Contains(apis, source.Crypto) && len(p.Crypto) == 0 {
		p.AllowCrypto()
	}
	return nil
}
