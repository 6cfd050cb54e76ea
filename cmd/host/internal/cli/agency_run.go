package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith"
	"example.com/toolsmith/hierarchy"
	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime/tool"
)

// approval is the value of --approve.
type approval string

const (
	askPerson     approval = "ask"
	alwaysApprove approval = "always"
	neverApprove  approval = "never"
)

// String, Set and Type make approval a flag.
func (a *approval) String() string { return string(*a) }

// Set takes ask, always or never.
func (a *approval) Set(text string) error {
	return choose(a, text, askPerson, alwaysApprove, neverApprove)
}

// Type is what help calls the value.
func (a *approval) Type() string { return "WHO" }

// eventForm is the value of --events.
type eventForm string

const ndjson eventForm = "ndjson"

// String is empty while the flag is not given.
func (e *eventForm) String() string { return string(*e) }

// Set takes ndjson.
func (e *eventForm) Set(text string) error {
	if text != string(ndjson) {
		return errors.New("it is ndjson")
	}
	*e = ndjson
	return nil
}

// Type is what help calls the value.
func (e *eventForm) Type() string { return "FORM" }

// agencyFlags are the flags of `host agency run`.
type agencyFlags struct {
	caller  callerFlags
	judges  judgeFlags
	approve approval
	events  eventForm
	prompt  string
}

func (f *face) agencyRunCommand(place *dataFlags) *cobra.Command {
	flags := agencyFlags{approve: askPerson}
	cmd := &cobra.Command{
		Use:   "run SPEC --prompt TEXT",
		Short: "Put an agency to work on a prompt, and print its answer",
		Long: "Runs the agency of a file on a prompt and prints what its manager answers; what happens meanwhile goes to standard error. Agents\n" +
			"act as personas of their own, in a session that ends with the run unless --session names one. What the file wants approved\n" +
			"is asked on the terminal; no answer is a no. With --output json it is the whole result, also when the run failed. SPEC and\n" +
			"the prompt may be - for standard input.",
		Example: f.examples(
			`host agency run examples/agency.yaml --prompt 'Compare our two offers in a table.'`,
			`host agency run examples/agency.yaml --prompt @question.txt --approve never --events ndjson`,
		),
		Args: exactly("one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.prompt == "" {
				return errors.New("say what the agency is to do: --prompt TEXT")
			}
			if err := flags.check(args[0], *place); err != nil {
				return err
			}
			return f.runAgency(cmd.Context(), args[0], *place, flags)
		},
	}
	set := cmd.Flags()
	set.StringVar(&flags.prompt, "prompt", "", "`TEXT` that says what the agency is to do; @FILE reads a file, - standard input")
	set.Var(&flags.approve, "approve", "who answers what the file wants approved: ask (on the terminal), always or never")
	set.Var(&flags.events, "events", "print what happens in the place of the answer: ndjson, one event a line")
	flags.caller.register(set)
	set.Lookup("session").DefValue = ""
	flags.caller.session = ""
	flags.judges.register(set)
	return cmd
}

// check refuses flags that cannot be followed together.
func (flags agencyFlags) check(file string, place dataFlags) error {
	used := readers(file, strings.TrimPrefix(flags.prompt, "@"), place.config, strings.TrimPrefix(flags.judges.judge, "script:"))
	asks := flags.judges.judge == "human" && flags.judges.approveAs == ""
	switch {
	case used > 1:
		return errors.New("standard input can be only one of agency, prompt, configuration and script")
	case used > 0 && asks:
		return errors.New("a person answers on standard input, so nothing else can be read from it: give files")
	}
	return nil
}

// agencyRunReport is the JSON form of a run.
type agencyRunReport struct {
	OK     bool              `json:"ok"`
	Result *hierarchy.Result `json:"result"`
	Error  *tool.Error       `json:"error,omitempty"`
}

// runAgency runs an agency, and prints what came of it.
func (f *face) runAgency(ctx context.Context, file string, place dataFlags, flags agencyFlags) error {
	spec, err := f.readAgency(ctx, file)
	if err != nil {
		return f.failed(err)
	}
	prompt, err := f.readInput(ctx, flags.prompt, hierarchy.MaxPromptBytes)
	if err != nil {
		return f.failed(err)
	}
	result, err := f.runOnHost(ctx, place, flags, spec, string(prompt))
	if _, failed := errors.AsType[*tool.Error](err); err != nil && !failed {
		return err // a misuse of the command line
	}
	if result.ID == "" && err != nil {
		return f.failed(err) // it did not begin
	}
	if f.format == asJSON {
		f.printJSON(agencyRunReport{err == nil, result, tool.AsError(err)})
		if err != nil {
			return done(tool.AsError(err).Code.ExitStatus())
		}
		return nil
	}
	return f.showAnswer(flags, result, err)
}

// runOnHost opens a host and runs an agency in it. The result is never nil.
func (f *face) runOnHost(
	ctx context.Context, place dataFlags, flags agencyFlags, spec hierarchy.Spec, prompt string,
) (result *hierarchy.Result, err error) {
	result = &hierarchy.Result{}
	h, err := f.openHost(ctx, place, flags.judges, nil)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, h.Close()) }() //nolint:contextcheck,nolintlint // what was done is written, whatever becomes of the context
	approve, err := f.approver(h, flags)
	if err != nil {
		return result, err
	}
	team, err := h.Agency(spec, toolsmith.AgencyOptions{Approve: approve})
	if err != nil {
		return result, err
	}
	c := flags.caller.caller()
	result, err = team.Run(ctx, c, prompt, f.watcher(flags.events))
	if err == nil && result.Reason == hierarchy.Steps {
		err = outOfTurns(team.Spec().Limits.MaxSteps)
	}
	return result, asConfigured(err)
}

// outOfTurns is the error of a run whose manager has not come to an answer.
func outOfTurns(most hierarchy.Count) error {
	e := tool.Errorf(tool.OverQuota, "the manager has used all of its %d turns without an answer: limits.maxSteps", most)
	e.Hint = "raise limits.maxSteps (at most 100), or ask for less at once; host agency show has what it said last"
	return e
}

// showAnswer prints the answer of an agency for people.
func (f *face) showAnswer(flags agencyFlags, r *hierarchy.Result, err error) error {
	if flags.events == "" && err == nil {
		f.printAnswer(r.Output)
	}
	switch r.Reason { //nolint:exhaustive // the others have an error, or nothing to be told
	case hierarchy.Cut:
		f.sayf("the answer was cut at the limit of the model")
	case hierarchy.Refused:
		f.sayf("the model would not answer")
	}
	if r.ID != "" {
		f.sayf("run %s: %d tasks, %d tokens", r.ID, len(r.AgentCalls), r.Usage.TotalTokens)
	}
	return err
}

// approver answers what an agency wants approved.
func (f *face) approver(h *openedHost, flags agencyFlags) (func(context.Context, hierarchy.ApprovalRequest) (hierarchy.Decision, error), error) {
	switch flags.approve {
	case alwaysApprove:
		return hierarchy.AlwaysApprove(fmt.Sprintf("--approve always (%s)", osUser())), nil // no answer of a person's
	case neverApprove:
		return hierarchy.AlwaysReject("--approve never"), nil
	case askPerson:
	}
	person, ok := h.judge.(*judge.Human) // one reader of standard input alone
	if !ok || flags.judges.approveAs != "" {
		var err error
		if person, err = f.person(""); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, r hierarchy.ApprovalRequest) (hierarchy.Decision, error) {
		if !f.askable() {
			return hierarchy.Decision{Reason: "nobody can be asked: standard input is no terminal, and --approve is ask"}, nil
		}
		by := tool.Actor{Caller: r.Caller, Name: r.Agent}
		var v judge.AgentVerdict
		if r.Type == hierarchy.ApproveEmergent {
			v = person.ReviewAgent(ctx, by, judge.Agent{
				Role: r.Details["role"], Instructions: r.Details["instructions"], Justification: r.Details["justification"],
				Tools: r.Tools, Members: r.Members,
			})
		} else {
			v = person.ReviewTask(ctx, by, r.Details["agent"], r.Details["task"])
		}
		if v.Unheard {
			return hierarchy.Decision{Reason: v.Reason}, nil
		}
		return hierarchy.Decision{Approved: v.Approved, By: osUser(), Reason: v.Reason}, nil
	}, nil
}

// watcher tells what happens in a run: one event a line on standard output, or what people want to know on standard error, where it
// waits as long as a question is open.
func (f *face) watcher(form eventForm) func(hierarchy.Event) {
	if form == ndjson {
		return func(e hierarchy.Event) { f.printJSON(e) }
	}
	return func(e hierarchy.Event) {
		f.asking.Lock()
		defer f.asking.Unlock()
		indent := strings.Repeat("  ", e.Depth)
		switch e.Kind { //nolint:exhaustive // the others are told with the result, or by host agency show
		case hierarchy.Begun:
			f.sayf("run %s begins", e.Run)
		case hierarchy.Noted:
			f.sayf("%s", escape(e.Text))
		case hierarchy.Delegated:
			f.asidef("%s%s works on: %s\n", indent, escape(e.Agent), escape(cutLine(e.Text, lineWidth)))
		case hierarchy.DelegateEnded:
			f.asidef("%s%s %s\n", indent, escape(e.Agent), ended(e))
		case hierarchy.SpawnDecided:
			f.asidef("%s%s\n", indent, escape(spawned(*e.Spawn)))
		case hierarchy.ToolReturned:
			if e.Error != nil && e.Tool != hierarchy.SpawnTool { // that is told already
				f.asidef("%s%s: %s: %s\n", indent, escape(e.Agent), escape(e.Tool), escape(cutLine(e.Error.Message, lineWidth)))
			}
		}
	}
}

// ended tells how a task ended.
func ended(e hierarchy.Event) string {
	text := "has answered"
	if e.Error != nil {
		text = "has failed: " + escape(cutLine(strings.TrimPrefix(e.Error.Message, e.Agent+" has failed: "), lineWidth))
	}
	if e.Usage != nil {
		text += fmt.Sprintf(" (%d tokens)", e.Usage.TotalTokens)
	}
	return text
}

// spawned tells what became of the wish for a specialist.
func spawned(s hierarchy.Spawn) string {
	if s.Approved {
		return fmt.Sprintf("%s has joined the team: %s", s.AgentName, cutLine(s.Instructions, lineWidth))
	}
	return fmt.Sprintf("%s was refused: %s", s.AgentName, cutLine(s.Reason, lineWidth))
}

// cutLine is a text on one line, cut to so many characters.
func cutLine(text string, most int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(runes)
}
