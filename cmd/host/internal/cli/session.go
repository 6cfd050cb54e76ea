package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/cmd/host/internal/desk"
)

func (f *face) sessionCommand(place *dataFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "session",
		Short: "List sessions, show how their agents adjusted themselves, and end them",
		Long:  "Sessions are what tools are forged in. Tools that were not promoted are deleted when their session ends.",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(f.sessionListCommand(place), f.sessionShowCommand(place), f.sessionEndCommand(place))
	return cmd
}

func (f *face) sessionListCommand(place *dataFlags) *cobra.Command {
	tenant := localTenant
	cmd := canBeElsewhere(&cobra.Command{
		Use:   "list",
		Short: "Print the sessions that there are, and what they hold and have cost",
		Long: "Prints the sessions that have tools or were used lately: how many tools they hold, how often they asked to forge, and how many\n" +
			"tokens of models that has cost.",
		Example: f.examples("host session list", "host session list --output json"),
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.listSessions(cmd.Context(), tenant, *place) },
	})
	registerTenant(cmd.Flags(), &tenant)
	return cmd
}

func (f *face) sessionEndCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	cmd := canBeElsewhere(&cobra.Command{
		Use:   "end NAME",
		Short: "End a session, and delete the tools of its tier",
		Long: "Ends a session: its tools are deleted and its counts begin anew. Tools that were promoted stay. The audit log keeps what\n" +
			"happened.",
		Example: f.examples("host session end cli"),
		Args:    exactly("the name of one session"),
		RunE: func(cmd *cobra.Command, args []string) error {
			who.session = args[0]
			return f.endSession(cmd.Context(), who, *place)
		},
	})
	cmd.Annotations[elsewhere] = "persona" // an administrator ends the sessions of others
	who.registerOwner(cmd.Flags())
	return cmd
}

func (f *face) listSessions(ctx context.Context, tenant string, place dataFlags) error {
	return f.atDesk(ctx, place, operatorOf(tenant), noJudge, func(d desk.Desk) error {
		list, err := d.Sessions(ctx)
		if err == nil {
			f.showSessions(append([]desk.Session{}, list...))
		}
		return err
	})
}

func (f *face) showSessions(sessions []desk.Session) {
	if f.format == asJSON {
		f.printJSON(sessions)
		return
	}
	if len(sessions) == 0 {
		f.sayf("no sessions")
		return
	}
	rows := make([][]string, 0, len(sessions))
	for _, s := range sessions {
		rows = append(rows, []string{
			s.Persona, s.Caller.Session, moment(&s.CreatedAt), moment(&s.LastUsedAt), strconv.Itoa(s.Tools), strconv.Itoa(s.Attempts),
			strconv.FormatInt(s.Spent.InputTokens+s.Spent.OutputTokens, 10),
		})
	}
	f.printTable([]string{"PERSONA", "SESSION", "CREATED", "LAST USED", "TOOLS", "ATTEMPTS", "TOKENS"}, rows)
}

// endReport is the JSON form of a session's end.
type endReport struct {
	OK      bool     `json:"ok"`
	Deleted []string `json:"deleted"` // the names of tools
}

func (f *face) endSession(ctx context.Context, who callerFlags, place dataFlags) error {
	persona := who.persona
	if place.server != "" && persona == localPersona {
		persona = "" // that of the key
	}
	return f.atDesk(ctx, place, who, noJudge, func(d desk.Desk) error {
		deleted, err := d.EndSession(ctx, persona, who.session)
		if err != nil {
			return err
		}
		names := make([]string, 0, len(deleted))
		for _, t := range deleted {
			names = append(names, t.Name)
		}
		switch {
		case f.format == asJSON:
			f.printJSON(endReport{OK: true, Deleted: names})
		case len(names) == 0:
			f.printf("ended the session %s, which had no tools\n", escape(who.session))
		default:
			f.printf("ended the session %s and deleted %s\n", escape(who.session), escape(strings.Join(names, ", ")))
		}
		return nil
	})
}
