package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// maxPolicyFile is the size up to which a policy is read.
const maxPolicyFile = wire.MaxYAMLBytes

func (f *face) policyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Check what a policy grants, and say why or why not",
		Long:  "Checks policies, which say what powers tools get, and answers for one request whether a policy grants it.",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(f.policyCheckCommand(), f.policyExplainCommand())
	return cmd
}

func onePolicy(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("give one policy, not %d", len(args))
	}
	return nil
}

func (f *face) policyCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "Say whether a policy is valid, and what it grants",
		Long: "Reads a policy strictly, and prints what it grants. A mistake is told with its line and column, and the exit status is\n" +
			"then 7. FILE may be - for standard input, or the name of a preset: " + policy.DefaultName + " or " + policy.OpenName + ".",
		Example: f.examples("host policy check examples/rates.yaml", "host policy check open --output json"),
		Args:    onePolicy,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.checkPolicy(cmd.Context(), args[0])
		},
	}
}

// policyReport is the JSON form of a policy that was checked.
type policyReport struct {
	OK     bool        `json:"ok"`
	Grants []string    `json:"grants,omitempty"`
	Limits []string    `json:"limits,omitempty"`
	Error  *tool.Error `json:"error,omitempty"`
}

func (f *face) checkPolicy(ctx context.Context, name string) error {
	p, err := f.readPolicy(ctx, name)
	if f.format == asJSON {
		if err != nil {
			f.printJSON(policyReport{Error: tool.AsError(err)})
			return done(tool.AsError(err).Code.ExitStatus())
		}
		f.printJSON(policyReport{OK: true, Grants: grantsOf(p), Limits: p.SetLimits()})
		return nil
	}
	if err != nil {
		return err
	}
	f.printf("%s is valid\n", escape(called(name)))
	for _, grant := range grantsOf(p) {
		f.printf("  %s\n", escape(grant))
	}
	if set := p.SetLimits(); len(set) > 0 {
		f.printf("  limits: %s\n", strings.Join(set, ", "))
	}
	return nil
}

// grantsOf describes what a policy grants, one thing in each line.
func grantsOf(p *policy.Policy) []string {
	var all []string
	for _, rule := range p.Network {
		all = append(all, "fetch: "+rule.String())
	}
	for _, rule := range p.Storage {
		all = append(all, "fs.readFile: "+rule.String())
	}
	if len(p.Crypto) > 0 {
		all = append(all, "crypto: "+strings.Join(p.Crypto, ", "))
	}
	for _, s := range p.Secrets {
		all = append(all, fmt.Sprintf("secret %s: to %s", s.Name, strings.Join(s.Hosts, ", ")))
	}
	if len(all) == 0 {
		return []string{"nothing"}
	}
	return all
}

// question is what `host policy explain` is asked.
type question struct{ fetch, method, read, crypto string }

func (f *face) policyExplainCommand() *cobra.Command {
	var q question
	cmd := &cobra.Command{
		Use:   "explain FILE",
		Short: "Say whether a policy grants a request, by which rule, or how to get it",
		Long: "Answers for one request whether a policy grants it: by which rule, and what is looked at besides when it is made, or why\n" +
			"not, and how to get it. Nothing is looked up and no file is opened. The exit status is 0 when it is granted, else 3.\n" +
			"FILE may be - for standard input, or the name of a preset: " + policy.DefaultName + " or " + policy.OpenName + ".",
		Example: f.examples(
			"host policy explain examples/rates.yaml --fetch https://api.rates.example/latest",
			"host policy explain examples/rates.yaml --read /srv/data/rates/latest.json --output json",
			"host policy explain open --crypto sha256",
		),
		Args: onePolicy,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.explainPolicy(cmd.Context(), args[0], q)
		},
	}
	set := cmd.Flags()
	set.StringVar(&q.fetch, "fetch", "", "`URL` that a tool wants to fetch")
	set.StringVar(&q.method, "method", "", "`METHOD` of the request (default GET)")
	set.StringVar(&q.read, "read", "", "`PATH` of a file that a tool wants to read; a relative one is below the policy's first folder")
	set.StringVar(&q.crypto, "crypto", "", "`NAME` of what a tool wants of crypto: "+strings.Join(policy.CryptoNames(), ", "))
	return cmd
}

func (q question) check() error {
	asked := 0
	for _, text := range []string{q.fetch, q.read, q.crypto} {
		if text != "" {
			asked++
		}
	}
	switch {
	case asked != 1:
		return errors.New("ask one thing: --fetch URL, --read PATH or --crypto NAME")
	case q.method != "" && q.fetch == "":
		return errors.New("--method goes with --fetch")
	case q.crypto != "" && !slices.Contains(policy.CryptoNames(), q.crypto):
		return fmt.Errorf("%q is none of %s", q.crypto, strings.Join(policy.CryptoNames(), ", "))
	}
	return nil
}

// answer asks the policy.
func (q question) answer(p *policy.Policy) policy.Answer {
	switch {
	case q.fetch != "":
		return p.ExplainFetch(strings.ToUpper(q.method), q.fetch, hostapi.CheckHost)
	case q.read != "":
		return p.ExplainRead(q.read)
	}
	a := policy.Answer{Asked: q.crypto}
	if err := p.CryptoAllows(q.crypto); err != nil {
		a.Why, a.Hint = tool.AsError(err).Message, tool.AsError(err).Hint
		return a
	}
	a.Allowed, a.Rule = true, "crypto"
	return a
}

func (f *face) explainPolicy(ctx context.Context, name string, q question) error {
	if err := q.check(); err != nil {
		return err
	}
	p, err := f.readPolicy(ctx, name)
	if err != nil {
		return err
	}
	a := q.answer(p)
	if f.format == asJSON {
		f.printJSON(a)
	} else {
		f.printf("%s\n", escapeLines(a.String()))
	}
	if !a.Allowed {
		return done(tool.Denied.ExitStatus())
	}
	return nil
}
