package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	goruntime "runtime"

	"github.com/spf13/cobra"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/cases"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// maxCaseFile is the size up to which a case file is read, maxJobs how many cases may run at once.
const maxCaseFile, maxJobs = 64 << 20, 256

func (f *face) casesCommand() *cobra.Command {
	var jobs quantity
	var noGate bool
	cmd := &cobra.Command{
		Use:   "cases FILE...",
		Short: "Run case files and compare how each case ends with what is right",
		Long: "Runs case files: JSON lists of {\"id\", \"source\", \"input\", \"expect\", \"output\", ...}. Prints one line per failure and a\n" +
			"last line with the counts. Cases that ask for powers are skipped, which the last line says. The exit status is 0 when\n" +
			"cases passed and none failed. FILE may be - for standard input.",
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
			return f.cases(cmd.Context(), args, cases.Options{Jobs: int(jobs), NoGate: noGate})
		},
	}
	jobs = quantity(goruntime.GOMAXPROCS(0)) //nolint:gosec // a few
	cmd.Flags().Var(&jobs, "jobs", "cases at once")
	cmd.Flags().BoolVar(&noGate, "no-static-gate", false, "leave the static gate out, to show that the sandbox alone holds")
	return cmd
}

// cases runs the case files and prints what became of each case.
func (f *face) cases(ctx context.Context, files []string, opt cases.Options) error {
	all, err := f.readCases(ctx, files)
	if err != nil {
		return err
	}
	box, err := f.openSandbox(ctx, opt.Jobs)
	if err != nil {
		return err
	}
	defer box.Close() //nolint:contextcheck // it ends when the runs have ended, not with the context
	run := func(ctx context.Context, c cases.Case) (*wasmjs.Result, error) {
		return box.Run(ctx, runtime.Request{Code: c.Source, Input: c.Input, Limits: c.Limits, SkipGate: opt.NoGate})
	}
	t := tally{}
	for i := range all {
		t.total += len(all[i])
	}
	bar := newProgress(f.err)
	for i, file := range files {
		for r := range cases.Run(ctx, run, all[i], opt) {
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
	Status  cases.Status    `json:"status"`
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
			r.Case.ID, file, r.Case.Line, r.Status == cases.Passed, r.Status, r.Reason, r.Outcome, r.Output, r.Err, newStats(r.Stats),
		})
	case r.Status == cases.Failed:
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
