package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/search"
)

func (f *face) toolSearchCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	limit := 0
	cmd := canBeElsewhere(&cobra.Command{
		Use:   "search QUERY…",
		Short: "Find a tool that the caller may call, by words",
		Long: "Finds tools that the caller may call, of the host and forged ones, the best first: by their names, tags, descriptions and the\n" +
			"members of their input. Endings and single slips do not matter.",
		Example: f.examples("host tool search parse csv", "host tool search 'convert money' --limit 3 --output json"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("give the words to search for")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.searchTools(cmd.Context(), *place, who, strings.Join(args, " "), limit)
		},
	})
	who.register(cmd.Flags())
	cmd.Flags().IntVar(&limit, "limit", 10, fmt.Sprintf("at most so many tools, up to %d", search.MaxHits))
	return cmd
}

func (f *face) searchTools(ctx context.Context, place dataFlags, who callerFlags, query string, limit int) error {
	if limit < 1 || limit > search.MaxHits {
		return fmt.Errorf("--limit is %d: it is within 1 to %d", limit, search.MaxHits)
	}
	return f.atDesk(ctx, place, who, noJudge, func(d desk.Desk) error {
		hits, err := d.Search(ctx, query, limit)
		if err == nil {
			f.showHits(hits)
		}
		return err
	})
}

// showHits prints what was found, the best first.
func (f *face) showHits(hits []runtime.Hit) {
	if f.format == asJSON {
		f.printJSON(append([]runtime.Hit{}, hits...))
		return
	}
	if len(hits) == 0 {
		f.sayf("no tools")
		return
	}
	rows := make([][]string, 0, len(hits))
	for _, h := range hits {
		tier := "host"
		if h.Tier != "" {
			tier = string(h.Tier)
		}
		rows = append(rows, []string{h.Name, tier, excerpt(h.Description)})
	}
	f.printTable([]string{"NAME", "TIER", "DESCRIPTION"}, rows)
}

// excerpt is text as it fits into a table: on one line, and cut.
func excerpt(text string) string {
	const most = 80
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
