package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/tiers"
)

func (f *face) tenantSuspendCommand(place *dataFlags) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "suspend NAME --reason TEXT",
		Short: "Stop a tenant for a while",
		Long: "Refuses all keys of a tenant from now on, until it is resumed; whoever uses one is told why. Calls that run end as they would, and\n" +
			"nothing that the tenant has is lost.",
		Example: f.examples("host tenant suspend acme --reason 'floods the others'"),
		Args:    exactly("the name of one tenant"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(reason) == "" {
				return errors.New("say why: --reason TEXT")
			}
			if err := desk.Reason(reason); err != nil {
				return errors.New(plain(err))
			}
			return f.atOffice(cmd.Context(), *place, operatorOf(localTenant), noJudge, func(d *office) error {
				t, err := d.shelf.SuspendTenant(cmd.Context(), d.by, args[0], reason)
				if err == nil {
					f.showSwitched(t, "is suspended: its keys are refused until it is resumed")
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`TEXT` that says why, to whoever uses a key of the tenant and in the audit log")
	return cmd
}

func (f *face) tenantResumeCommand(place *dataFlags) *cobra.Command {
	return &cobra.Command{
		Use:     "resume NAME",
		Short:   "Let a suspended tenant go on",
		Long:    "Lets the keys of a suspended tenant work again, as they did before.",
		Example: f.examples("host tenant resume acme"),
		Args:    exactly("the name of one tenant"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.atOffice(cmd.Context(), *place, operatorOf(localTenant), noJudge, func(d *office) error {
				t, err := d.shelf.ResumeTenant(cmd.Context(), d.by, args[0])
				if err == nil {
					f.showSwitched(t, "goes on")
				}
				return err
			})
		},
	}
}

// showSwitched tells what became of a tenant.
func (f *face) showSwitched(t tiers.Tenant, what string) {
	if f.format == asJSON {
		f.printJSON(t)
		return
	}
	f.printf("the tenant %s %s\n", escape(t.Name), what)
}
