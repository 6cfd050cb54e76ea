package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

// powerFlags are the flags that ask for powers and grant them.
type powerFlags struct {
	allow  apis
	hosts  hosts
	roots  []string
	policy string
}

func (p *powerFlags) register(set *pflag.FlagSet) {
	set.Var(&p.allow, "allow", "APIs to ask for and to grant, with commas between them: "+strings.Join(hostapi.Names(), ", "))
	set.Var(&p.hosts, "allow-host", "host that fetch may get from, as in api.example.com or *.example.com; repeat it for more")
	set.StringArrayVar(&p.roots, "read-root", nil, "`DIR` below which fs.readFile may read; repeat it for more")
	set.StringVar(&p.policy, "policy", policy.DefaultName, "`POLICY` that grants more: "+policy.DefaultName+" (nothing), "+policy.OpenName+", or a YAML file")
}

// idle says of each flag that grants what no API asks for, and what it waits for.
func (p *powerFlags) idle() []string {
	var all []string
	if len(p.hosts) > 0 && !slices.Contains(p.allow, "fetch") {
		all = append(all, "--allow-host without --allow fetch")
	}
	if len(p.roots) > 0 && !slices.Contains(p.allow, "fs.readFile") {
		all = append(all, "--read-root without --allow fs.readFile")
	}
	return all
}

// grants is the policy that the flags make together.
func (f *face) grants(ctx context.Context, flags powerFlags) (*policy.Policy, error) {
	p, err := f.readPolicy(ctx, flags.policy)
	if err != nil {
		return nil, err
	}
	for _, root := range flags.roots {
		if err := checkFolder(root); err != nil {
			return nil, err
		}
	}
	return p, runtime.Grant(p, flags.allow, flags.hosts, flags.roots)
}

func checkFolder(name string) error {
	info, err := os.Stat(name)
	if err == nil && !info.IsDir() {
		err = errors.New("it is not a folder")
	}
	if err != nil {
		return unreadable(name, err)
	}
	return nil
}

// readPolicy returns a preset by its name, or the policy in a file.
func (f *face) readPolicy(ctx context.Context, name string) (*policy.Policy, error) {
	if p, ok := policy.Preset(name); ok {
		return p, nil
	}
	text, err := f.readText(ctx, name, maxPolicyFile, tool.InvalidRequest)
	if err != nil {
		e := tool.AsError(err)
		if e.Code == tool.NotFound {
			e.Hint = "a policy is " + policy.DefaultName + ", " + policy.OpenName + " or a file"
		}
		return nil, e
	}
	p, err := policy.Parse(text)
	if err != nil {
		e := tool.AsError(err)
		e.Message = "the policy is not valid: " + e.Message
		return nil, &fileError{name, string(text), true, e}
	}
	p.Name = name
	return p, nil
}

// granted is a policy with grants added to it, which stays as it is.
func granted(base *policy.Policy, apis, hosts, roots []string) (*policy.Policy, error) {
	p := *base
	p.Network, p.Storage = slices.Clip(p.Network), slices.Clip(p.Storage)
	return &p, runtime.Grant(&p, apis, hosts, roots)
}

// beside returns folders that are relative to that of a file as what they are from here.
func beside(file string, folders []string) []string {
	var all []string
	for _, folder := range folders {
		if !filepath.IsAbs(folder) && folder != "" && file != stdin {
			folder = filepath.Join(filepath.Dir(file), folder)
		}
		all = append(all, folder)
	}
	return all
}

// apis is a flag that takes names of APIs with commas between them.
type apis []string

// String is empty while the flag is not given.
func (a *apis) String() string { return strings.Join(*a, ",") }

// Set adds names.
func (a *apis) Set(text string) error {
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if _, err := hostapi.APIs([]string{name}); err != nil {
			return misuse(err)
		}
		*a = append(*a, name)
	}
	return nil
}

// Type is what help calls the value.
func (a *apis) Type() string { return "API,..." }

// hosts is a flag that takes one host each time it is given.
type hosts []string

// String is empty while the flag is not given.
func (h *hosts) String() string { return strings.Join(*h, ",") }

// Set adds a host.
func (h *hosts) Set(text string) error {
	if err := new(policy.Policy).AllowHost(text); err != nil {
		return misuse(err)
	}
	*h = append(*h, text)
	return nil
}

// Type is what help calls the value.
func (h *hosts) Type() string { return "HOST" }

// misuse is a mistake of the command line in the words of an error that has a code.
func misuse(err error) error {
	e := tool.AsError(err)
	if e.Hint != "" {
		return errors.New(e.Message + "; " + e.Hint)
	}
	return errors.New(e.Message)
}
