package cli

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/selfimprove"
)

func (f *face) workflowCommand(place *dataFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "workflow",
		Short: "Make workflows, run them, and forge tools of them",
		Long: "Workflows are chains of tool calls that a persona keeps. Agents make them with the tool create_workflow; these verbs do the same\n" +
			"on behalf of the persona that --persona names.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		f.workflowCreateCommand(place), f.workflowListCommand(place), f.workflowShowCommand(place), f.workflowRunCommand(place),
		f.workflowRemoveCommand(place), f.workflowForgeCommand(place),
	)
	return cmd
}

// oneWorkflow checks that a verb is given one workflow.
var oneWorkflow = exactly("the id of one workflow")

func (f *face) workflowCreateCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	cmd := &cobra.Command{
		Use:   "create FILE",
		Short: "Keep a chain of tool calls as a workflow",
		Long: "Reads {name, description, steps: [{tool, args, condition}]}, in JSON or YAML, checks it and keeps it as a workflow of the persona.\n" +
			"In args and conditions, $input, $prev and $steps[N] stand for values. A step whose condition does not hold is skipped. All that is\n" +
			"wrong is told at once, up to 20 things. FILE may be - for standard input.",
		Example: f.examples("host workflow create examples/workflow.yaml"),
		Args:    exactly("one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.createWorkflow(cmd.Context(), *place, who, args[0])
		},
	}
	who.register(cmd.Flags())
	return cmd
}

func (f *face) createWorkflow(ctx context.Context, place dataFlags, who callerFlags, file string) error {
	if readers(file, place.config) > 1 {
		return errors.New("standard input can be only one of workflow and configuration")
	}
	text, err := f.readForging(ctx, file)
	if err != nil {
		return f.failed(err)
	}
	plan, misread, err := selfimprove.ReadWorkflow(text)
	if err != nil {
		return f.failed(err)
	}
	return f.atNewOffice(ctx, place, who, noJudge, func(d *office) error {
		made, err := d.host.Workflows().Create(ctx, d.by, plan, misread...)
		if err != nil {
			return err
		}
		if f.format == asJSON {
			f.printJSON(made)
			return nil
		}
		f.printf("%s %s is kept\n", made.ID, escape(made.Name))
		return nil
	})
}

func (f *face) workflowListCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the workflows of a persona",
		Long:    "Lists the workflows of a persona, the oldest first.",
		Example: f.examples("host workflow list", "host workflow list --persona ann --output json"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.atOffice(cmd.Context(), *place, who, noJudge, func(d *office) error {
				list, err := d.host.Workflows().List(cmd.Context(), d.by.Caller)
				if err == nil {
					f.showWorkflows(list)
				}
				return err
			})
		},
	}
	who.register(cmd.Flags())
	return cmd
}

func (f *face) showWorkflows(list []selfimprove.Workflow) {
	if f.format == asJSON {
		short := make([]selfimprove.WorkflowSummary, 0, len(list))
		for _, one := range list {
			short = append(short, one.Summary())
		}
		f.printJSON(short)
		return
	}
	if len(list) == 0 {
		f.sayf("no workflows")
		return
	}
	rows := make([][]string, 0, len(list))
	for _, one := range list {
		rows = append(rows, []string{one.ID, one.Name, strconv.Itoa(len(one.Steps)), strconv.Itoa(one.RunCount), moment(&one.CreatedAt), one.Description})
	}
	f.printTable([]string{"ID", "NAME", "STEPS", "RUNS", "CREATED", "DESCRIPTION"}, rows)
}

func (f *face) workflowShowCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Print a workflow with its steps",
		Long:    "Prints a workflow with its steps.",
		Example: f.examples("host workflow show workflow-1"),
		Args:    oneWorkflow,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.atOffice(cmd.Context(), *place, who, noJudge, func(d *office) error {
				one, err := d.host.Workflows().Get(cmd.Context(), d.by.Caller, args[0])
				if err == nil {
					f.showWorkflow(one)
				}
				return err
			})
		},
	}
	who.register(cmd.Flags())
	return cmd
}

func (f *face) showWorkflow(one selfimprove.Workflow) {
	if f.format == asJSON {
		f.printJSON(one)
		return
	}
	f.printf("%s %s, created %s, runs %d\n", one.ID, escape(one.Name), moment(&one.CreatedAt), one.RunCount)
	f.printf("%s\n", escape(one.Description))
	for i, s := range one.Steps {
		when := ""
		if s.Condition != "" {
			when = " if " + s.Condition
		}
		f.printf("%d  %s %s\n", i, escape(s.Tool), escape(compact(s.Args)+when))
	}
}

func (f *face) workflowRunCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	input := ""
	cmd := &cobra.Command{
		Use:   "run ID",
		Short: "Run a workflow and print what its last step returns",
		Long: "Calls the tools of a workflow one after the other, and prints what the last returns as JSON. A condition that cannot be evaluated\n" +
			"skips its step, and is told on standard error. With --output json the result is everything that the steps returned, also when one\n" +
			"of them failed.",
		Example: f.examples(`host workflow run workflow-1 --input '{"order":{"customer":"Ada","items":["tea","ink"]}}'`),
		Args:    oneWorkflow,
		RunE: func(cmd *cobra.Command, args []string) error {
			if readers(strings.TrimPrefix(input, "@"), place.config) > 1 {
				return errors.New("standard input can be only one of configuration and input")
			}
			return f.atOffice(cmd.Context(), *place, who, noJudge, func(d *office) error {
				return f.runWorkflow(cmd.Context(), d, args[0], input)
			})
		},
	}
	who.register(cmd.Flags())
	cmd.Flags().StringVar(&input, "input", "{}", "`JSON` that $input stands for; @FILE reads a file, - standard input")
	return cmd
}

func (f *face) runWorkflow(ctx context.Context, d *office, id, input string) error {
	text, err := f.readInput(ctx, input, tool.MaxLimits.InputBytes)
	if err != nil {
		return err
	}
	run, err := d.host.Workflows().Run(ctx, d.by, id, text)
	switch {
	case err != nil:
		return err
	case f.format == asJSON:
		f.printJSON(run)
	default:
		for _, step := range run.StepResults {
			for _, note := range step.Notes {
				f.sayf("step %d, tool %s: %s", step.Step, escape(step.Tool), escape(note))
			}
		}
		f.printf("%s\n", escapeJSON(run.FinalOutput))
	}
	return nil
}

func (f *face) workflowRemoveCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	cmd := &cobra.Command{
		Use:     "remove ID",
		Short:   "Delete a workflow",
		Long:    "Deletes a workflow. Its id is not used again, and the audit log keeps what happened.",
		Example: f.examples("host workflow remove workflow-1"),
		Args:    oneWorkflow,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.atOffice(cmd.Context(), *place, who, noJudge, func(d *office) error {
				if err := d.host.Workflows().Remove(cmd.Context(), d.by, args[0]); err != nil {
					return err
				}
				if f.format == asJSON {
					f.printJSON(removedWorkflow{OK: true, WorkflowID: args[0]})
					return nil
				}
				f.printf("%s is removed\n", escape(args[0]))
				return nil
			})
		},
	}
	who.register(cmd.Flags())
	return cmd
}

// removedWorkflow is the JSON form of a removal.
type removedWorkflow struct {
	OK         bool   `json:"ok"`
	WorkflowID string `json:"workflowId"`
}

func (f *face) workflowForgeCommand(place *dataFlags) *cobra.Command {
	flags := forgeFlags{stored: true}
	var name, description, cases string
	cmd := &cobra.Command{
		Use:   "forge ID --name NAME --cases FILE",
		Short: "Forge a composed tool of a workflow",
		Long: "Takes a workflow through all gates as a request for a composed tool, as forge does. FILE has the test cases, in JSON or YAML:\n" +
			"a list of {input, expectedOutput}. It may be - for standard input.",
		Example: f.examples(`host workflow forge workflow-1 --name order_text --cases examples/workflow_cases.yaml --approve-as "$USER"`),
		Args:    oneWorkflow,
		RunE: func(cmd *cobra.Command, args []string) error {
			if name == "" || cases == "" {
				return errors.New("give the name of the tool and a file with test cases: --name NAME --cases FILE")
			}
			if err := flags.check(cases, *place); err != nil {
				return err
			}
			ctx := cmd.Context()
			read := func() ([]byte, error) { return f.readForging(ctx, cases) }
			return f.forgeBy(ctx, *place, flags, read, func(h *openedHost, _ desk.Desk, text []byte) (*forge.Result, error) {
				c := flags.caller.caller()
				request, notes, err := h.Workflows().ForgeRequest(ctx, c, args[0], name, description, text)
				if err != nil {
					return &forge.Result{}, err
				}
				result, err := h.Forge(ctx, c, request)
				result.Notes = append(notes, result.Notes...)
				return result, err
			})
		},
	}
	flags.register(cmd.Flags())
	cmd.Flags().StringVar(&name, "name", "", "`NAME` of the tool")
	cmd.Flags().StringVar(&description, "description", "", "`TEXT` that describes the tool (default that of the workflow)")
	cmd.Flags().StringVar(&cases, "cases", "", "`FILE` with test cases")
	return cmd
}
