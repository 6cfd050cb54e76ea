package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"

	"github.com/spf13/cobra"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/cases"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// maxCaseFile is the size up to which a case file is read, maxJobs how many cases may run at once.
const maxCaseFile, maxJobs = 64 << 20, 256

func (f *face) casesCommand() *cobra.Command {
	var jobs quantity
	var noGate bool
	var powers powerFlags
	cmd := &cobra.Command{
		Use:   "cases FILE...",
		Short: "Run case files and compare how each case ends with what is right",
		Long: "Runs case files: JSON lists of {\"id\", \"source\", \"input\", \"expect\", \"output\", ...}. Prints one line per failure and a\n" +
			"last line with the counts. What a case names in its allowlist and policy it is given, besides what --allow, --allow-host,\n" +
			"--read-root and --policy give to all; its folders are relative to its file. The exit status is 0 when cases passed and none\n" +
			"failed. FILE may be - for standard input.",
		Example: f.examples(
			"host cases examples/cases.json",
			"host cases examples/cases.json --no-static-gate --jobs 2 --output json",
		),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("give at least one case file")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if jobs > maxJobs {
				return fmt.Errorf("--jobs is at most %d", maxJobs)
			}
			return f.cases(cmd.Context(), args, powers, cases.Options{Jobs: int(jobs), NoGate: noGate})
		},
	}
	jobs = quantity(goruntime.GOMAXPROCS(0)) //nolint:gosec // a few
	cmd.Flags().Var(&jobs, "jobs", "cases at once")
	powers.register(cmd.Flags())
	cmd.Flags().BoolVar(&noGate, "no-static-gate", false, "leave the static gate out, to show that the sandbox alone holds")
	return cmd
}

// cases runs the case files and prints what became of each case.
func (f *face) cases(ctx context.Context, files []string, powers powerFlags, opt cases.Options) error {
	if readers(append(files, powers.policy)...) > 1 {
		return errors.New("standard input can be only one of the case files and the policy")
	}
	all, err := f.readCases(ctx, files)
	if err != nil {
		return f.failed(err)
	}
	base, err := f.grants(ctx, powers)
	if err != nil {
		return f.failed(err)
	}
	box, err := f.openSandbox(ctx, wasmjs.Options{Instances: opt.Jobs})
	if err != nil {
		return err
	}
	defer box.Close() //nolint:contextcheck,nolintlint // it ends with the runs, not the context; seen only when wasmjs is looked at too
	t := tally{}
	for i := range all {
		t.total += len(all[i])
	}
	bar := newProgress(f.err)
	for i, file := range files {
		for r := range cases.Run(ctx, caseRunner(box, file, powers.allow, base, opt.NoGate), all[i], opt) {
			t.add(r)
			bar.clear()
			f.showCase(file, r)
			if f.out.err != nil {
				return nil // nobody reads on, which Main tells
			}
			bar.show(t)
		}
	}
	bar.clear()
	return f.sum(ctx, t)
}

// caseRunner runs the cases of a file with the powers that each names, and those that all have.
func caseRunner(box *runtime.Sandbox, file string, apis []string, base *policy.Policy, noGate bool) cases.Runner {
	return func(ctx context.Context, c cases.Case) (*wasmjs.Result, error) {
		allow := slices.Concat(apis, c.Allow)
		p, err := granted(base, allow, c.Policy.AllowHosts, beside(file, c.Policy.ReadRoots))
		if err != nil {
			return nil, err
		}
		result, err := box.Run(ctx, runtime.Request{
			Code: c.Source, Input: c.Input, Limits: c.Limits, SkipGate: noGate, Allow: allow, Policy: p,
		})
		return &result.Result, err
	}
}

// readCases reads all the files before anything runs.
func (f *face) readCases(ctx context.Context, files []string) ([][]cases.Case, error) {
	var all [][]cases.Case
	for _, file := range files {
		text, err := f.read(ctx, file, maxCaseFile, tool.InvalidRequest)
		if err != nil {
			return nil, err
		}
		list, err := cases.Parse(text)
		if err != nil {
			return nil, &fileError{file, string(text), true, err}
		}
		all = append(all, list)
	}
	return all, nil
}

// caseReport is the JSON form of a case that was run.
type caseReport struct {
	ID      string          `json:"id"`
	File    string          `json:"file"`
	Line    int             `json:"line"`
	OK      bool            `json:"ok"`
	Reason  string          `json:"reason,omitempty"`
	Outcome cases.Outcome   `json:"outcome,omitempty"`
	Output  json.RawMessage `json:"output,omitempty"`
	Error   *tool.Error     `json:"error,omitempty"`
	Stats   stats           `json:"stats"`
}

// showCase prints a case: every one as JSON, those that failed as text.
func (f *face) showCase(file string, r cases.Report) {
	switch {
	case f.format == asJSON:
		f.printJSON(caseReport{
			r.Case.ID, file, r.Case.Line, r.OK, r.Reason, r.Outcome, r.Output, r.Err, newStats(r.Stats, nil),
		})
	case !r.OK:
		f.printf("FAIL %s (%s:%d): %s\n", escape(r.Case.ID), escape(file), r.Case.Line, escape(r.Reason))
	}
}

// sum prints the last line and makes the exit status.
func (f *face) sum(ctx context.Context, t tally) error {
	if f.format == asJSON {
		f.asidef("%s\n", t) // standard output holds nothing but cases
	} else {
		f.printf("%s\n", t)
	}
	switch {
	case ctx.Err() != nil:
		return tool.Errorf(tool.Canceled, "stopped after %d of %d cases", t.done(), t.total)
	case t.failed > 0:
		return done(1)
	case t.passed == 0:
		return tool.Errorf(tool.Unavailable, "no case was run, so nothing was shown to be right")
	}
	return nil
}
