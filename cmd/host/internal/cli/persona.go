package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/selfimprove"
)

func (f *face) personaCommand(place *dataFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "persona",
		Short: "Look at the traits of personas, and take back what they changed",
		Long: "Personas may move their traits a little in each session. These changes, their mutations, fade day by day, and can be looked at\n" +
			"and taken back.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	tenant := localTenant
	registerTenant(cmd.PersistentFlags(), &tenant)
	cmd.AddCommand(
		f.personaListCommand(place, &tenant), f.personaShowCommand(place, &tenant), f.personaHistoryCommand(place, &tenant),
		f.personaResetCommand(place, &tenant), f.personaDecayCommand(place, &tenant),
	)
	return cmd
}

// natureAtDesk opens the host that the flags name, and does something with the traits of its personas.
func (f *face) natureAtDesk(ctx context.Context, place dataFlags, who callerFlags, do func(*office, *selfimprove.Personality) error) error {
	return f.atOffice(ctx, place, who, noJudge, func(d *office) error { return do(d, d.host.Personality()) })
}

func (f *face) personaListCommand(place *dataFlags, tenant *string) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the personas that have changed their traits",
		Long:    "Lists the personas that have mutations: how many, and when the last one was made.",
		Example: f.examples("host persona list", "host persona list --output json"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.natureAtDesk(cmd.Context(), *place, operatorOf(*tenant), func(d *office, p *selfimprove.Personality) error {
				list, err := changedPersonas(cmd.Context(), d, p)
				if err == nil {
					f.showPersonas(list)
				}
				return err
			})
		},
	}
}

// changedPersona is a persona that has mutations.
type changedPersona struct {
	Persona       string    `json:"persona"`
	Mutations     int       `json:"mutations"`
	LastChangedAt tool.Time `json:"lastChangedAt"`
}

func changedPersonas(ctx context.Context, d *office, p *selfimprove.Personality) ([]changedPersona, error) {
	list := []changedPersona{}
	personas, err := p.Changed(ctx, d.by.Tenant)
	if err != nil {
		return nil, err
	}
	for _, persona := range personas {
		made, err := p.History(ctx, d.by.Tenant, persona)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", persona, err)
		}
		if len(made) > 0 {
			list = append(list, changedPersona{persona, len(made), madeAt(made[0])})
		}
	}
	return list, nil
}

func madeAt(m selfimprove.Mutation) tool.Time { return tool.At(time.UnixMilli(m.CreatedAt)) }

func (f *face) showPersonas(list []changedPersona) {
	if f.format == asJSON {
		f.printJSON(list)
		return
	}
	if len(list) == 0 {
		f.sayf("no persona has changed its traits")
		return
	}
	rows := make([][]string, 0, len(list))
	for _, p := range list {
		rows = append(rows, []string{p.Persona, strconv.Itoa(p.Mutations), moment(&p.LastChangedAt)})
	}
	f.printTable([]string{"PERSONA", "MUTATIONS", "LAST CHANGED"}, rows)
}

func (f *face) personaShowCommand(place *dataFlags, tenant *string) *cobra.Command {
	session := cliSession
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Show the traits of a persona, and what they add to its prompt",
		Long: "Shows what the traits of a persona are worth now, beside what the configuration says, and what they add to its prompt. Like\n" +
			"everybody who asks for traits, it lets the mutations fade by a day if nobody has on this day. Where mutations count only in\n" +
			"their sessions, it names the others that have some.",
		Example: f.examples("host persona show local", "host persona show local --output json"),
		Args:    exactly("the name of one persona"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.natureAtDesk(cmd.Context(), *place, callerFlags{*tenant, args[0], session}, func(d *office, p *selfimprove.Personality) error {
				report, err := shownPersona(cmd.Context(), d, p)
				if err == nil {
					f.showPersona(report)
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&session, "session", cliSession, "`NAME` of the session whose traits they are, where mutations do not outlive sessions")
	return cmd
}

// personaReport is what a persona is like.
type personaReport struct {
	Persona    string      `json:"persona"`
	Traits     []traitLine `json:"traits"`
	Directives []string    `json:"directives"`
	// Sessions are others with moves of their own, which count only there.
	Sessions []string `json:"sessions,omitempty"`
}

type traitLine struct {
	Trait    string  `json:"trait"`
	Baseline float64 `json:"baseline"`
	Value    float64 `json:"value"`
}

func shownPersona(ctx context.Context, d *office, p *selfimprove.Personality) (report personaReport, err error) {
	c := d.by.Caller
	values, err := p.Traits(ctx, c)
	if err != nil {
		return report, err
	}
	report.Persona = c.Persona
	baseline := p.Baseline(c)
	for _, trait := range config.Traits() {
		report.Traits = append(report.Traits, traitLine{trait, baseline[trait], values[trait]})
	}
	if report.Directives, err = p.Directives(ctx, c); err != nil {
		return report, err
	}
	if rules := d.host.config.EmergentConfig.SelfImprovement.Personality; rules.PersistWithDecay && rules.Reload {
		return report, nil
	}
	made, err := p.History(ctx, c.Tenant, c.Persona)
	for _, m := range made {
		if m.Session != c.Session && !slices.Contains(report.Sessions, m.Session) {
			report.Sessions = append(report.Sessions, m.Session)
		}
	}
	slices.Sort(report.Sessions)
	return report, err
}

func (f *face) showPersona(report personaReport) {
	if f.format == asJSON {
		f.printJSON(report)
		return
	}
	rows := make([][]string, 0, len(report.Traits))
	for _, t := range report.Traits {
		rows = append(rows, []string{t.Trait, decimals(t.Baseline), decimals(t.Value)})
	}
	f.printTable([]string{"TRAIT", "BASELINE", "NOW"}, rows)
	for _, line := range report.Directives {
		f.printf("%s\n", escape(line))
	}
	if n := len(report.Sessions); n > 0 {
		const most = 10
		names := strings.Join(report.Sessions[:min(n, most)], ", ")
		if n > most {
			names += fmt.Sprintf(" and %d more", n-most)
		}
		f.sayf("sessions with moves of their own, which --session shows: %s", escape(names))
	}
}

// decimals is a value of a trait, or the strength of a mutation.
func decimals(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }

func (f *face) personaHistoryCommand(place *dataFlags, tenant *string) *cobra.Command {
	return &cobra.Command{
		Use:   "history NAME",
		Short: "List the mutations of a persona that still count",
		Long: "Lists the mutations of a persona that have not faded, newest first: what was changed, how much of it is left, and why. Those that\n" +
			"are kept with a session are among them. The audit log tells of all that there ever were.",
		Example: f.examples("host persona history local", "host persona history local --output json"),
		Args:    exactly("the name of one persona"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.natureAtDesk(cmd.Context(), *place, operatorOf(*tenant), func(d *office, p *selfimprove.Personality) error {
				list, err := p.History(cmd.Context(), d.by.Tenant, args[0])
				if err == nil {
					f.showMutations(list)
				}
				return err
			})
		},
	}
}

func (f *face) showMutations(list []selfimprove.Mutation) {
	if f.format == asJSON {
		f.printJSON(list)
		return
	}
	if len(list) == 0 {
		f.sayf("no mutations")
		return
	}
	rows := make([][]string, 0, len(list))
	for _, m := range list {
		at := madeAt(m)
		rows = append(rows, []string{moment(&at), m.Session, m.Trait, fmt.Sprintf("%+.3f", m.Delta), decimals(m.Strength), m.Reasoning})
	}
	f.printTable([]string{"MADE", "SESSION", "TRAIT", "DELTA", "STRENGTH", "WHY"}, rows)
}

func (f *face) personaResetCommand(place *dataFlags, tenant *string) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:   "reset NAME --yes",
		Short: "Take back all that a persona has changed of its traits",
		Long: "Removes the mutations of a persona and of its sessions: its traits are what the configuration says. What its sessions have used of\n" +
			"their budgets stays used, and the audit log keeps what was changed. On a terminal it asks first; elsewhere it needs --yes.",
		Example: f.examples("host persona reset local --yes"),
		Args:    exactly("the name of one persona"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !yes && !f.askable() {
				return errUnasked
			}
			return f.natureAtDesk(cmd.Context(), *place, operatorOf(*tenant), func(d *office, p *selfimprove.Personality) error {
				if !yes {
					if err := f.confirm(cmd.Context(), "Take back all changes of "+args[0]+"?"); err != nil {
						return err
					}
				}
				removed, err := p.Reset(cmd.Context(), d.by, d.by.Tenant, args[0])
				if err == nil {
					f.showReset(args[0], removed)
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// resetReport is the JSON form of what was taken back.
type resetReport struct {
	OK      bool `json:"ok"`
	Removed int  `json:"removed"` // mutations
}

func (f *face) showReset(persona string, removed int) {
	if f.format == asJSON {
		f.printJSON(resetReport{true, removed})
		return
	}
	f.printf("%s is as configured: %s\n", escape(persona), mutationsThat(removed, "removed"))
}

func (f *face) personaDecayCommand(place *dataFlags, tenant *string) *cobra.Command {
	return &cobra.Command{
		Use:   "decay [NAME]",
		Short: "Let the mutations of a persona, or of all, fade by a day",
		Long: "Takes from all mutations what a day takes, and removes those that have no strength left. A day (UTC) takes its part once, however\n" +
			"often this is run; it is also taken when a persona is first asked for on that day.",
		Example: f.examples("host persona decay", "host persona decay local --output json"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return errors.New("give at most one persona")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.natureAtDesk(cmd.Context(), *place, operatorOf(*tenant), func(d *office, p *selfimprove.Personality) (err error) {
				var done selfimprove.Decayed
				if len(args) == 1 {
					done, err = p.Decay(cmd.Context(), d.by, d.by.Tenant, args[0])
				} else {
					done, err = p.DecayAll(cmd.Context(), d.by, d.by.Tenant)
				}
				if err == nil {
					f.showDecayed(done)
				}
				return err
			})
		},
	}
}

func (f *face) showDecayed(done selfimprove.Decayed) {
	switch {
	case f.format == asJSON:
		f.printJSON(done)
	case done.Skipped:
		f.sayf("nothing was due")
	default:
		f.printf("%s, %s\n", mutationsThat(done.Decayed, "weaker"), mutationsThat(done.Pruned, "gone"))
	}
}

func mutationsThat(n int, what string) string {
	if n == 1 {
		return "1 mutation is " + what
	}
	return fmt.Sprintf("%d mutations are %s", n, what)
}
