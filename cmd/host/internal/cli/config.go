package cli

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"example.com/toolsmith/runtime/config"
)

func (f *face) configCommand(place *dataFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the configuration, and where each value comes from",
		Long:  "Shows the configuration of a host, which comes from flags, the environment, a file and defaults.",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(f.configShowCommand(place))
	return cmd
}

func (f *face) configShowCommand(place *dataFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "show",
		Short: "Print each value and where it comes from",
		Long: "Prints each key of the configuration, its value, and where that comes from: a flag, else an environment variable, else the\n" +
			"file, else the default. Of policies, personas and what models may spend it prints the names. A mistake in one of them is\n" +
			"told with its place, and the exit status is then 7.",
		Example: f.examples("host config show", "host config show --config examples/config.yaml --data :memory: --output json"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.showConfig(cmd.Context(), *place)
		},
	}
}

func (f *face) showConfig(ctx context.Context, place dataFlags) error {
	c, err := f.config(ctx, place)
	if err != nil {
		return f.failed(err)
	}
	values := c.Values()
	if f.format == asJSON {
		f.printJSON(values)
		return nil
	}
	table := tabwriter.NewWriter(f.out, 0, 0, 2, ' ', 0)
	for _, v := range values {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", v.Key, escape(valueText(v)), escape(v.From))
	}
	_ = table.Flush() // f.out remembers
	return nil
}

// valueText is a value in one cell of a table; "-" is one that there is not.
func valueText(v config.Value) string {
	text := fmt.Sprint(v.Value)
	if list, ok := v.Value.([]string); ok {
		text = strings.Join(list, ", ")
	}
	if text == "" {
		return "-"
	}
	return text
}
