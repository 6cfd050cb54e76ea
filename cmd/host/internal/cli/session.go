package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
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
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Print the sessions that there are, and what they hold and have cost",
		Long: "Prints the sessions that have tools or were used lately: how many tools they hold, how often they asked to forge, and how many\n" +
			"tokens of models that has cost.",
		Example: f.examples("host session list", "host session list --output json"),
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.listSessions(cmd.Context(), tenant, *place) },
	}
	registerTenant(cmd.Flags(), &tenant)
	return cmd
}

func (f *face) sessionEndCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	cmd := &cobra.Command{
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
	}
	who.registerOwner(cmd.Flags())
	return cmd
}

// sessionRow is a session with the number of its tools.
type sessionRow struct {
	tiers.Session
	Tools int `json:"tools"`
}

func (f *face) listSessions(ctx context.Context, tenant string, place dataFlags) error {
	return f.atDesk(ctx, place, operatorOf(tenant), noJudge, func(d *desk) error {
		sessions, err := d.shelf.Sessions(ctx, tenant)
		if err != nil {
			return err
		}
		tools, err := d.shelf.List(ctx, tenant, tiers.Filter{Tier: tool.SessionTier})
		if err != nil {
			return err
		}
		count := map[tool.Caller]int{}
		for _, t := range tools {
			count[tool.Caller{Tenant: tenant, Persona: t.PersonaID, Session: t.SessionID}]++
		}
		rows := make([]sessionRow, 0, len(sessions))
		for _, s := range sessions {
			rows = append(rows, sessionRow{s, count[s.Caller]})
		}
		f.showSessions(rows)
		return nil
	})
}

func (f *face) showSessions(sessions []sessionRow) {
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
	return f.atDesk(ctx, place, who, noJudge, func(d *desk) error {
		if err := d.hasSession(ctx); err != nil {
			return err
		}
		deleted, err := d.shelf.EndSession(ctx, d.by, d.by.Caller)
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

// hasSession returns nil when there is the session in whose place the desk acts.
func (d *desk) hasSession(ctx context.Context) error {
	sessions, err := d.shelf.Sessions(ctx, d.by.Tenant)
	if err != nil || slices.ContainsFunc(sessions, func(s tiers.Session) bool { return s.Caller == d.by.Caller }) {
		return err
	}
	return &tool.Error{
		Code: tool.NotFound, Message: fmt.Sprintf("the persona %s has no session %s", tool.Quote(d.by.Persona), tool.Quote(d.by.Session)),
		Hint: "session list names those that there are",
	}
}
