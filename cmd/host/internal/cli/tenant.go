package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

func (f *face) tenantCommand(place *dataFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tenant",
		Short: "Make tenants, and the keys by which others act in them",
		Long: "Each tenant has tools, sessions, an audit log and quotas of its own, and nothing of one is seen by another. Others act in a tenant by\n" +
			"its keys. The tenant " + localTenant + ", that of this command line, is always there.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		f.tenantCreateCommand(place), f.tenantListCommand(place), f.tenantShowCommand(place), f.tenantKeyCommand(place),
		f.tenantRotateCommand(place), f.tenantRevokeCommand(place), f.tenantQuotaCommand(place), f.tenantSuspendCommand(place),
		f.tenantResumeCommand(place), f.tenantDeleteCommand(place),
	)
	return cmd
}

// keyFlags say what a new key is to be.
type keyFlags struct {
	persona, name string
	scopes        scopes
	expires       instant
}

func (k *keyFlags) register(set *pflag.FlagSet) {
	k.scopes = scopes{tool.ScopeCall}
	set.StringVar(&k.persona, "persona", localPersona, "`NAME` of the persona that the key acts as")
	set.StringVar(&k.name, "key-name", "", "`NAME` of who holds the key, such as a person who approves (default the persona)")
	set.Var(&k.scopes, "scopes", "what the key may do, some of "+tool.AllScopes().String())
	set.Var(&k.expires, "expires", "`TIME` from which the key does not work any more, as in 2026-12-31T00:00:00Z")
}

func (k *keyFlags) request() tiers.KeyRequest {
	return tiers.KeyRequest{Persona: k.persona, Name: k.name, Scopes: tool.Scopes(k.scopes), ExpiresAt: time.Time(k.expires)}
}

// scopes is the value of --scopes.
type scopes tool.Scopes

// String, Set and Type make scopes a flag.
func (s *scopes) String() string { return tool.Scopes(*s).String() }

// Set takes the names of scopes with commas between them.
func (s *scopes) Set(text string) error {
	set, err := tool.ParseScopes(text)
	if err != nil {
		return errors.New(plain(err) + ": " + tool.AsError(err).Hint)
	}
	*s = scopes(set)
	return nil
}

// Type is what help calls the value.
func (s *scopes) Type() string { return "SCOPES" }

func (f *face) tenantCreateCommand(place *dataFlags) *cobra.Command {
	var flags keyFlags
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Make a tenant, and its first key",
		Long: "Makes a tenant and prints its first key on standard output, once: it is kept nowhere, so that whoever loses it needs another one. A\n" +
			"name has 1 to 63 lower-case letters, digits and hyphens.",
		Example: f.examples("host tenant create acme", "host tenant create shop --persona clerk --scopes call,forge"),
		Args:    exactly("the name of one tenant"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.createTenant(cmd.Context(), *place, args[0], flags.request())
		},
	}
	flags.register(cmd.Flags())
	return cmd
}

// tenantReport is a tenant with its keys, and what it uses of the limits on what is stored and on what is counted by day.
type tenantReport struct {
	tiers.Tenant
	Used []tool.Gauge `json:"used,omitempty"`
	Keys []tiers.Key  `json:"keys"`
}

// madeReport is the JSON form of a tenant that was made.
type madeReport struct {
	Tenant tiers.Tenant `json:"tenant"`
	Key    tiers.NewKey `json:"key"`
}

func (f *face) createTenant(ctx context.Context, place dataFlags, name string, first tiers.KeyRequest) error {
	return f.atNewOffice(ctx, place, operatorOf(localTenant), noJudge, func(d *office) error {
		made, k, err := d.shelf.CreateTenant(ctx, d.by, name, &first)
		if err != nil {
			return err
		}
		if f.format == asJSON {
			f.printJSON(madeReport{made, *k})
			return nil
		}
		f.sayf("made the tenant %s", escape(name))
		f.showNewKey(*k)
		return nil
	})
}

func (f *face) tenantListCommand(place *dataFlags) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the tenants",
		Long:    "Lists the tenants that there are, with how many of their keys work.",
		Example: f.examples("host tenant list", "host tenant list --output json"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.atOffice(cmd.Context(), *place, operatorOf(localTenant), noJudge, func(d *office) error {
				list, err := d.shelf.ListTenants(cmd.Context())
				if err != nil {
					return err
				}
				reports := make([]tenantReport, 0, len(list))
				for _, t := range list {
					keys, err := d.shelf.Keys(cmd.Context(), t.Name)
					if err != nil {
						return err
					}
					reports = append(reports, tenantReport{Tenant: t, Keys: keys})
				}
				f.showTenants(reports)
				return nil
			})
		},
	}
}

func (f *face) showTenants(list []tenantReport) {
	if f.format == asJSON {
		f.printJSON(list)
		return
	}
	rows := make([][]string, 0, len(list))
	for _, t := range list {
		working := 0
		for _, k := range t.Keys {
			if works(k) {
				working++
			}
		}
		rows = append(rows, []string{t.Name, madeAtAll(t.Tenant), orDash(t.CreatedBy), strconv.Itoa(working), tenantState(t.Tenant)})
	}
	f.printTable([]string{"TENANT", "CREATED", "BY", "KEYS", "STATE"}, rows)
}

// madeAtAll is when a tenant was made; those that nobody made are there all the same.
func madeAtAll(t tiers.Tenant) string {
	if t.CreatedAt.IsZero() {
		return "-"
	}
	return moment(&t.CreatedAt)
}

func tenantState(t tiers.Tenant) string {
	switch {
	case t.DeletingSince != nil:
		return "being deleted"
	case t.Suspended != nil:
		return "suspended"
	}
	return "active"
}

func (f *face) tenantShowCommand(place *dataFlags) *cobra.Command {
	return &cobra.Command{
		Use:     "show NAME",
		Short:   "Show a tenant, its quotas and its keys",
		Long:    "Shows who made a tenant, what it may use, what of that it has stored and used today (UTC), and which keys it has.",
		Example: f.examples("host tenant show local", "host tenant show local --output json"),
		Args:    exactly("the name of one tenant"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.atOffice(cmd.Context(), *place, operatorOf(localTenant), noJudge, func(d *office) error {
				report, err := d.tenant(cmd.Context(), args[0])
				if err == nil {
					f.showTenant(report)
				}
				return err
			})
		},
	}
}

// tenant reports on a tenant.
func (o *office) tenant(ctx context.Context, name string) (report tenantReport, err error) {
	if report.Tenant, err = o.shelf.Tenant(ctx, name); err != nil {
		return report, err
	}
	of := o.by.Caller
	of.Tenant = name
	usage, err := o.shelf.Usage(ctx, of)
	if err != nil {
		return report, err
	}
	report.Used = usage.Tenant
	report.Keys, err = o.shelf.Keys(ctx, name)
	return report, err
}

func (f *face) showTenant(t tenantReport) {
	if f.format == asJSON {
		f.printJSON(t)
		return
	}
	state := tenantState(t.Tenant)
	if s := t.Suspended; s != nil {
		state += fmt.Sprintf(" since %s by %s: %s", moment(&s.Since), s.By, s.Reason)
	}
	for _, fact := range [][2]string{{"tenant", t.Name}, {"created", madeAtAll(t.Tenant)}, {"by", orDash(t.CreatedBy)}, {"state", state}} {
		f.printf("%-8s %s\n", fact[0], escape(fact[1]))
	}
	rows := quotaRows(t.Quota)
	for i, row := range rows {
		rows[i] = append(row, usedOf(t.Used, row[0]))
	}
	f.printTable([]string{"LIMIT", "MOST", "USED"}, rows)
	if len(t.Keys) > 0 {
		f.showKeys(t.Keys)
	}
}
