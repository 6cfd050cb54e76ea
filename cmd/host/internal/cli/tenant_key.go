package cli

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"example.com/toolsmith/tiers"
)

func (f *face) tenantKeyCommand(place *dataFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "key",
		Short: "Make keys of a tenant, and list them",
		Long:  "Whoever has a key acts as its persona in its tenant, within its scopes. What is printed of a key is printed once.",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(f.keyCreateCommand(place), f.keyListCommand(place))
	return cmd
}

func (f *face) keyCreateCommand(place *dataFlags) *cobra.Command {
	var flags keyFlags
	cmd := &cobra.Command{
		Use:     "create TENANT",
		Short:   "Make a key of a tenant",
		Long:    "Makes a key and prints it on standard output, once: it is kept nowhere, so that whoever loses it needs another one.",
		Example: f.examples("host tenant key create local", "host tenant key create local --persona local --key-name grace --scopes call,approve"),
		Args:    exactly("the name of one tenant"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.atNewOffice(cmd.Context(), *place, operatorOf(localTenant), noJudge, func(d *office) error {
				k, err := d.shelf.CreateKey(cmd.Context(), d.by, args[0], flags.request())
				if err == nil {
					f.showMadeKey(k)
				}
				return err
			})
		},
	}
	flags.register(cmd.Flags())
	return cmd
}

func (f *face) showMadeKey(k tiers.NewKey) {
	if f.format == asJSON {
		f.printJSON(k)
		return
	}
	f.showNewKey(k)
}

// showNewKey prints what has to be presented, alone on standard output.
func (f *face) showNewKey(k tiers.NewKey) {
	f.sayf("the key %s acts as %s/%s and may %s; it is shown this once, so put it where secrets are kept", k.ID, escape(k.Tenant), escape(k.Persona), k.Scopes)
	f.printf("%s\n", k.Secret)
}

func (f *face) keyListCommand(place *dataFlags) *cobra.Command {
	return &cobra.Command{
		Use:     "list TENANT",
		Short:   "List the keys of a tenant",
		Long:    "Lists the keys of a tenant: their ids, whom they act as, what they may do and when they were last used.",
		Example: f.examples("host tenant key list local", "host tenant key list local --output json"),
		Args:    exactly("the name of one tenant"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.atOffice(cmd.Context(), *place, operatorOf(localTenant), noJudge, func(d *office) error {
				keys, err := d.shelf.Keys(cmd.Context(), args[0])
				switch {
				case err != nil:
					return err
				case f.format == asJSON:
					f.printJSON(append([]tiers.Key{}, keys...))
				case len(keys) == 0:
					f.sayf("no keys")
				default:
					f.showKeys(keys)
				}
				return nil
			})
		},
	}
}

// works reports whether a key works now.
func works(k tiers.Key) bool { return k.Works(time.Now()) }

func (f *face) showKeys(keys []tiers.Key) {
	rows := make([][]string, 0, len(keys))
	for _, k := range keys {
		state := "works"
		switch {
		case k.RevokedAt != nil:
			state = "revoked"
		case !works(k):
			state = "expired"
		case k.ExpiresAt != nil:
			state = "until " + moment(k.ExpiresAt)
		}
		rows = append(rows, []string{k.ID, k.Persona, k.Name, k.Scopes.String(), moment(&k.CreatedAt), moment(k.LastUsedAt), state})
	}
	f.printTable([]string{"KEY", "PERSONA", "NAME", "SCOPES", "CREATED", "LAST USED", "STATE"}, rows)
}

// oneKey checks that a verb is given a tenant and a key.
func oneKey(_ *cobra.Command, args []string) error {
	if len(args) != 2 {
		return errors.New("give the name of a tenant and the id of one of its keys")
	}
	return nil
}

func (f *face) tenantRotateCommand(place *dataFlags) *cobra.Command {
	var grace span
	cmd := &cobra.Command{
		Use:   "rotate TENANT KEY",
		Short: "Give a key another secret",
		Long: "Prints the new secret of a key, once. The old one stops working at once, or with --grace only after a while. KEY is its id, not\n" +
			"the secret.",
		Args: oneKey,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.atOffice(cmd.Context(), *place, operatorOf(localTenant), noJudge, func(d *office) error {
				k, err := d.shelf.RotateKey(cmd.Context(), d.by, args[0], args[1], time.Duration(grace))
				if err == nil {
					f.showMadeKey(k)
				}
				return err
			})
		},
	}
	cmd.Flags().Var(&grace, "grace", "how long the old secret works on, at most 30d (default not at all)")
	return cmd
}

// revokedReport is the JSON form of the end of a key.
type revokedReport struct {
	OK bool   `json:"ok"`
	ID string `json:"id"`
}

func (f *face) tenantRevokeCommand(place *dataFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke TENANT KEY",
		Short: "End a key for good",
		Long:  "Ends a key, at once and for good. KEY is its id, not the secret.",
		Args:  oneKey,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.atOffice(cmd.Context(), *place, operatorOf(localTenant), noJudge, func(d *office) error {
				if err := d.shelf.RevokeKey(cmd.Context(), d.by, args[0], args[1]); err != nil {
					return err
				}
				if f.format == asJSON {
					f.printJSON(revokedReport{true, args[1]})
				} else {
					f.printf("the key %s is revoked\n", escape(args[1]))
				}
				return nil
			})
		},
	}
}
