package cli

import "github.com/spf13/cobra"

func (f *face) tenantDeleteCommand(place *dataFlags) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:   "delete NAME --yes",
		Short: "Delete a tenant, and all that it has",
		Long: "Deletes a tenant with its keys, tools, sessions, what its personas have learned, and its audit log. The audit log of the tenant " + localTenant + "\n" +
			"keeps that it was there, and its name is not used again. On a terminal it asks first; elsewhere it needs --yes. What was cut off is\n" +
			"finished by the next one, or when a host is opened.",
		Example: f.examples("host tenant delete acme --yes"),
		Args:    exactly("the name of one tenant"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !yes && !f.askable() {
				return errUnasked
			}
			return f.atOffice(cmd.Context(), *place, operatorOf(localTenant), noJudge, func(d *office) error {
				if !yes {
					if err := f.confirm(cmd.Context(), "Delete the tenant "+args[0]+" and all that it has?"); err != nil {
						return err
					}
				}
				if err := d.shelf.DeleteTenant(cmd.Context(), d.by, args[0]); err != nil {
					return err
				}
				if f.format == asJSON {
					f.printJSON(deletedReport{true, args[0]})
				} else {
					f.printf("deleted the tenant %s and all that it had\n", escape(args[0]))
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// deletedReport is the JSON form of the end of a tenant.
type deletedReport struct {
	OK     bool   `json:"ok"`
	Tenant string `json:"tenant"`
}
