package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/toolsmith"
	"example.com/toolsmith/hierarchy"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

func (f *face) agencyCommand(place *dataFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agency",
		Short: "Put teams of agents to work, and look at what they did",
		Long: "An agency is a team of agents whose manager reaches a goal by giving tasks to its members, and may spawn specialists for what\n" +
			"none of them covers. A file says who is there and what a run may use up.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(f.agencyRunCommand(place), f.agencyCheckCommand(place), f.agencyListCommand(place), f.agencyShowCommand(place))
	cmd.AddCommand(f.agencySpecialistsCommand(place))
	return cmd
}

// readAgency reads the file of an agency. Errors have their place in it; of several, all but the last are told already where
// results are text.
func (f *face) readAgency(ctx context.Context, file string) (hierarchy.Spec, error) {
	text, err := f.readText(ctx, file, wire.MaxYAMLBytes, tool.InvalidRequest)
	if err != nil {
		return hierarchy.Spec{}, err
	}
	spec, err := hierarchy.Parse(text, model.Providers()...)
	if problems, ok := errors.AsType[hierarchy.Problems](err); ok && f.format == asText {
		last := len(problems) - 1
		for _, p := range problems[:last] {
			f.explain(&fileError{file, string(text), true, p})
		}
		err = problems[last]
	}
	if err != nil {
		return spec, &fileError{file, string(text), true, err}
	}
	return spec, nil
}

func (f *face) agencyCheckCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	cmd := &cobra.Command{
		Use:   "check SPEC",
		Short: "Check the file of an agency",
		Long: "Reads the file of an agency and tells all that is wrong with it, with line and column; when nothing is, says what it is.\n" +
			"Tools that its agents list and would not be offered now are told, too; models are not looked for. SPEC may be - for standard\n" +
			"input.",
		Example: f.examples("host agency check examples/agency.yaml"),
		Args:    exactly("one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			spec, err := f.readAgency(cmd.Context(), args[0])
			if err != nil {
				return f.failed(err)
			}
			f.showAgency(spec.WithDefaults(), f.lacks(cmd.Context(), *place, who, spec))
			return nil
		},
	}
	who.register(cmd.Flags())
	return cmd
}

// lacks finds the tools that are listed and not there. Where the host that would know cannot be opened, none are missed.
func (f *face) lacks(ctx context.Context, place dataFlags, who callerFlags, spec hierarchy.Spec) []hierarchy.Lack {
	listed := len(spec.Tools)
	for _, a := range spec.Agents {
		listed += len(a.Tools)
	}
	if listed == 0 {
		return nil
	}
	h, err := f.openHost(ctx, place, noJudge, keptOnly)
	if err != nil {
		return nil
	}
	defer func() { _ = h.Close() }() //nolint:contextcheck,nolintlint // nothing runs in it
	lacks, err := h.AgencyLacks(ctx, who.caller(), spec)
	if err != nil {
		return nil
	}
	return lacks
}

// agencyReport is the JSON form of an agency that was checked.
type agencyReport struct {
	OK             bool     `json:"ok"`
	Name           string   `json:"name"`
	Strategy       string   `json:"strategy"`
	Agents         []string `json:"agents"`
	Tools          []string `json:"tools"`
	MaxSpecialists int      `json:"maxSpecialists"` // 0: none can be spawned
	Judged         bool     `json:"judged"`
	Asks           bool     `json:"asks,omitempty"` // a person is asked about each specialist

	Lacks []hierarchy.Lack `json:"lacks,omitempty"` // tools that are listed and would not be offered now
}

func (f *face) showAgency(s hierarchy.Spec, lacks []hierarchy.Lack) {
	report := agencyReport{OK: true, Name: s.Name, Strategy: string(s.Strategy), Agents: []string{}, Tools: append([]string{}, s.Tools...), Lacks: lacks}
	for _, a := range s.Agents {
		report.Agents = append(report.Agents, a.Name)
	}
	if s.Emergent.Enabled {
		report.MaxSpecialists, report.Judged = int(s.Emergent.Planner.MaxSpecialists), s.Emergent.Judged()
		report.Asks = s.Emergent.Tier == tool.SharedTier || s.HITL.Approvals.BeforeEmergent
	}
	for _, l := range lacks {
		f.sayf("%s", escape(l.String()))
	}
	if f.format == asJSON {
		f.printJSON(report)
		return
	}
	agents := "1 agent"
	if n := len(s.Agents); n > 1 {
		agents = fmt.Sprintf("%d agents", n)
	}
	f.printf("%s is valid: a manager and %s\n", escape(s.Name), agents)
	for _, a := range s.Agents {
		f.printf("  %s as %s, at most %d turns\n", escape(a.Name), escape(a.Persona), a.MaxSteps)
	}
	switch {
	case report.Judged:
		f.printf("the manager may spawn %d specialists, which a judge reads first\n", report.MaxSpecialists)
	case report.MaxSpecialists > 0:
		f.printf("the manager may spawn %d specialists, which nobody judges\n", report.MaxSpecialists)
	}
	switch {
	case report.Asks && s.Emergent.Tier == tool.SharedTier:
		f.printf("a person is asked about each: specialists of the tier shared are there for good\n")
	case report.Asks:
		f.printf("a person is asked about each\n")
	}
}

func (f *face) agencyListCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the runs of agencies",
		Long:    "Lists the runs whose manager was a persona, the oldest first. The last 200 are kept.",
		Example: f.examples("host agency list", "host agency list --persona desk --output json"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.atOffice(cmd.Context(), *place, who, noJudge, func(d *office) error {
				list, err := d.host.AgencyRuns(cmd.Context(), d.by.Tenant, d.by.Persona)
				if err == nil {
					f.showRuns(d.by.Persona, list)
				}
				return err
			})
		},
	}
	who.register(cmd.Flags())
	return cmd
}

func (f *face) showRuns(manager string, list []toolsmith.AgencyRun) {
	switch {
	case f.format == asJSON:
		f.printJSON(append([]toolsmith.AgencyRun{}, list...))
		return
	case len(list) == 0:
		f.sayf("no runs whose manager was %s: --persona names another", escape(manager))
		return
	}
	rows := make([][]string, 0, len(list))
	for _, run := range list {
		tokens := "-"
		if run.Result != nil {
			tokens = strconv.FormatInt(run.Result.Usage.TotalTokens, 10)
		}
		rows = append(rows, []string{run.ID, run.Agency, moment(&run.BegunAt), outcome(run), tokens, cutLine(run.Prompt, promptWidth)})
	}
	f.printTable([]string{"RUN", "AGENCY", "BEGUN", "ENDED", "TOKENS", "PROMPT"}, rows)
}

const promptWidth = 50 // characters of a prompt in a list

// outcome is how a run ended, as far as one knows: one that has not may run now, or its host was killed.
func outcome(run toolsmith.AgencyRun) string {
	if run.Result == nil {
		return "unfinished"
	}
	return string(run.Result.Reason)
}
