package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/runtime/tool"
)

// quotaNames are those of the fields of tool.Quota, as they stand in JSON.
var quotaNames = []string{
	"concurrentCalls", "callsPerMinute", "fuelPerMinute", "memoryMB", "tools", "toolBytes", "sessions",
	"forgesPerDay", "judgeTokensPerDay", "judgeCostPerDay",
}

func (f *face) tenantQuotaCommand(place *dataFlags) *cobra.Command {
	var sets []string
	cmd := &cobra.Command{
		Use:   "quota NAME [--set LIMIT=NUMBER]…",
		Short: "Show or set what a tenant may use",
		Long: "Shows what a tenant may use, after setting some of it: " + strings.Join(quotaNames[:5], ", ") + ",\n" +
			strings.Join(quotaNames[5:], ", ") + ". What is 0 is that of the configuration again.",
		Example: f.examples("host tenant quota local", "host tenant quota local --set callsPerMinute=600 --set judgeCostPerDay=2.50"),
		Args:    exactly("the name of one tenant"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := setQuota(tool.Quota{}, sets); err != nil {
				return err
			}
			return f.atOffice(cmd.Context(), *place, operatorOf(localTenant), noJudge, func(d *office) error {
				return f.quota(cmd.Context(), d, args[0], sets)
			})
		},
	}
	cmd.Flags().StringArrayVar(&sets, "set", nil, "`LIMIT=NUMBER` to set; may be given again")
	return cmd
}

func (f *face) quota(ctx context.Context, d *office, name string, sets []string) error {
	t, err := d.shelf.Tenant(ctx, name)
	if err != nil {
		return err
	}
	if len(sets) > 0 {
		q, err := setQuota(t.Quota, sets)
		if err != nil {
			return err
		}
		if t, err = d.shelf.SetQuota(ctx, d.by, name, q); err != nil {
			return err
		}
	}
	if f.format == asJSON {
		f.printJSON(t.Quota)
	} else {
		f.printTable([]string{"LIMIT", "MOST"}, quotaRows(t.Quota))
	}
	return nil
}

// setQuota sets what the values of --set say.
func setQuota(q tool.Quota, sets []string) (tool.Quota, error) {
	for _, set := range sets {
		name, value, _ := strings.Cut(set, "=")
		if !slices.Contains(quotaNames, name) {
			return q, fmt.Errorf("there is no limit %q to set: give LIMIT=NUMBER with one of %s", name, strings.Join(quotaNames, ", "))
		}
		if _, err := strconv.ParseFloat(value, 64); err != nil || json.Unmarshal(fmt.Appendf(nil, "{%q:%s}", name, value), &q) != nil {
			return q, fmt.Errorf("the limit %s cannot be %q: give a whole number; of dollars it may have decimals", name, value)
		}
	}
	return q, nil
}

// quotaRows are the rows of a table of limits, each with its name and what is set.
func quotaRows(q tool.Quota) [][]string {
	text, err := json.Marshal(q)
	set := map[string]json.Number{}
	if err == nil {
		err = json.Unmarshal(text, &set)
	}
	if err != nil {
		panic(err) // it is made of our own type
	}
	rows := make([][]string, 0, len(quotaNames))
	for _, name := range quotaNames {
		value := "as configured"
		if n, ok := set[name]; ok {
			value = n.String()
		}
		rows = append(rows, []string{name, value})
	}
	return rows
}
