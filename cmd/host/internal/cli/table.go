package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// printTable prints rows in columns under a head. Cells are escaped.
func (f *face) printTable(head []string, rows [][]string) {
	table := tabwriter.NewWriter(f.out, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{head}, rows...) {
		cells := make([]string, 0, len(row))
		for _, cell := range row {
			cells = append(cells, escape(cell))
		}
		_, _ = fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	_ = table.Flush() // f.out remembers
}
