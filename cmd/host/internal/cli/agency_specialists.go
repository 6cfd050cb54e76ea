package cli

import (
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/toolsmith"
)

func (f *face) agencySpecialistsCommand(place *dataFlags) *cobra.Command {
	tenant, role := localTenant, ""
	cmd := &cobra.Command{
		Use:   "specialists [AGENCY]",
		Short: "List the specialists that are there for good, and remove them",
		Long: "Lists the specialists of the tier shared: of one agency, or of all. Every run of the agency has them on its team. --remove takes\n" +
			"one away, with its older versions; the audit log keeps what was decided.",
		Example: f.examples("host agency specialists", "host agency specialists research-desk --remove tide_reader"),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if role != "" && len(args) == 0 {
				return errors.New("name the agency whose specialist is to go")
			}
			agency := ""
			if len(args) == 1 {
				agency = args[0]
			}
			return f.atOffice(cmd.Context(), *place, operatorOf(tenant), noJudge, func(d *office) error {
				if role != "" {
					return f.removeSpecialist(cmd, d, agency, role)
				}
				list, err := d.host.SharedSpecialists(cmd.Context(), tenant, agency)
				if err == nil {
					f.showSpecialists(list)
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&role, "remove", "", "`ROLE` of the specialist that is removed")
	registerTenant(cmd.Flags(), &tenant)
	return cmd
}

func (f *face) removeSpecialist(cmd *cobra.Command, d *office, agency, role string) error {
	if err := d.host.RemoveSpecialist(cmd.Context(), d.by, agency, role); err != nil {
		return err
	}
	if f.format == asJSON {
		f.printJSON(map[string]any{"ok": true, "agency": agency, "removed": role})
		return nil
	}
	f.printf("%s has left the agency %s\n", escape(role), escape(agency))
	return nil
}

func (f *face) showSpecialists(list []toolsmith.SharedSpecialist) {
	switch {
	case f.format == asJSON:
		f.printJSON(append([]toolsmith.SharedSpecialist{}, list...))
		return
	case len(list) == 0:
		f.sayf("no specialists of the tier shared")
		return
	}
	rows := make([][]string, 0, len(list))
	for _, s := range list {
		rows = append(rows, []string{
			s.Agency, s.Specialist.Role, strconv.Itoa(s.Version), s.ApprovedBy, moment(&s.At), cutLine(s.Specialist.Instructions, promptWidth),
		})
	}
	f.printTable([]string{"AGENCY", "ROLE", "VERSION", "APPROVED BY", "SINCE", "INSTRUCTIONS"}, rows)
}
