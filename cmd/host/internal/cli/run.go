package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/source"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// runFlags are the flags of `host run`.
type runFlags struct {
	input        string
	language     language
	zone         zone
	timeout      period
	memory, fuel quantity
	seed         seed
	now          instant
	powers       powerFlags
	stats        bool
}

func (f *face) runCommand() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a JavaScript or TypeScript file once, in a fresh sandbox",
		Long: "Runs a .js or .ts file that defines execute(input), or run(input), once in a fresh sandbox, and prints what it returns\n" +
			"as JSON. FILE may be - for standard input. What the file writes to console goes to standard error. It reaches nothing unless\n" +
			"it is given powers: --allow names APIs, --allow-host, --read-root and --policy what they may reach.",
		Example: f.examples(
			`host run examples/slugify.js --input '{"text":"Hello World & Friends"}'`,
			`host run examples/csv.js --input @examples/cities.json --output json`,
			`host run examples/checksums.js --allow fs.readFile,crypto --read-root examples --input '{"files":["cities.json"]}'`,
			`echo 'function execute(input) { return input.n * 2 }' | host run - --input '{"n":21}' --stats`,
		),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("give one file to run, not %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), args[0], flags) },
	}
	set := cmd.Flags()
	set.StringVar(&flags.input, "input", "{}", "`JSON` that the tool gets; @FILE reads a file, - standard input")
	set.Var(&flags.language, "language", "js or ts; otherwise the file's ending tells")
	set.Var(&flags.timeout, "timeout", limitUsage("wall-clock time", tool.DefaultLimits.Timeout, tool.MaxLimits.Timeout))
	set.Var(&flags.memory, "memory", limitUsage("memory", "128Mi", "1Gi"))
	set.Var(&flags.fuel, "fuel", limitUsage("work in units of about 10 ns", "1G", "10G"))
	set.Var(&flags.seed, "seed", "seed of Math.random; fresh otherwise")
	set.Var(&flags.now, "now", "time that the tool sees at its start, as in 2026-01-31T12:00:00Z; the real one otherwise")
	set.Var(&flags.zone, "timezone", "time zone that the tool sees, as in Europe/Berlin (default UTC)")
	flags.powers.register(set)
	set.BoolVar(&flags.stats, "stats", false, "say how much fuel, time and memory it took, and what it did with its powers")
	return cmd
}

func limitUsage(what string, usual, most any) string {
	return fmt.Sprintf("most %s; at most %v (default %v)", what, most, usual)
}

func (flags runFlags) limits() tool.Limits {
	return tool.Limits{
		Timeout: time.Duration(flags.timeout), MemoryBytes: uint64(flags.memory), Fuel: uint64(flags.fuel),
	}
}

// run runs a file once and prints how that ended.
func (f *face) run(ctx context.Context, file string, flags runFlags) error {
	if err := flags.limits().Validate(); err != nil {
		return misuse(err)
	}
	if readers(file, strings.TrimPrefix(flags.input, "@"), flags.powers.policy) > 1 {
		return errors.New("standard input can be only one of file, input and policy")
	}
	for _, flag := range flags.powers.idle() {
		f.sayf("%s has no effect", flag)
	}
	result, err := f.runOnce(ctx, file, flags)
	if f.format == asJSON {
		f.printJSON(newRunReport(result, err))
		if err != nil {
			return done(tool.AsError(err).Code.ExitStatus())
		}
		return nil
	}
	f.sayAside(&result.Result)
	if flags.stats {
		f.sayStats(newStats(result.Stats, result.Uses))
	}
	if err == nil {
		f.printf("%s\n", escapeJSON(result.Output))
	}
	return err
}

// readers counts the names that stand for standard input.
func readers(names ...string) int {
	n := 0
	for _, name := range names {
		if name == stdin {
			n++
		}
	}
	return n
}

// runOnce reads what is to be run, and runs it. Its errors have a code; the result is never nil.
func (f *face) runOnce(ctx context.Context, file string, flags runFlags) (*runtime.Result, error) {
	request, err := f.request(ctx, file, flags)
	if err != nil {
		return &runtime.Result{}, err
	}
	box, err := f.openSandbox(ctx, wasmjs.Options{Instances: 1})
	if err != nil {
		return &runtime.Result{}, err
	}
	defer box.Close() //nolint:contextcheck,nolintlint // it ends with the runs, not the context; seen only when wasmjs is looked at too
	result, err := box.Run(ctx, request)
	if err != nil {
		spoken, _ := source.LanguageOf(request.File, request.Language)
		e := tool.AsError(err)
		if strings.Contains(e.Hint, "allowlist") {
			e.Hint += "; the allowlist of a run is --allow"
		}
		err = &fileError{file, request.Code, spoken == source.JavaScript, e}
	}
	return result, err
}

// request reads what the flags name.
func (f *face) request(ctx context.Context, file string, flags runFlags) (runtime.Request, error) {
	r := runtime.Request{
		File: called(file), Language: string(flags.language), Limits: flags.limits(),
		TimeZone: string(flags.zone), Now: time.Time(flags.now), Seed: uint64(flags.seed), Allow: flags.powers.allow,
	}
	var err error
	if r.Policy, err = f.grants(ctx, flags.powers); err != nil {
		return r, err
	}
	most := r.Policy.Limits.WithDefaults()
	code, err := f.read(ctx, file, most.SourceBytes, tool.InvalidSource)
	if err != nil {
		return r, err
	}
	r.Code = string(code)
	r.Input, err = f.readInput(ctx, flags.input, most.InputBytes)
	return r, err
}

// readInput returns the JSON that --input names.
func (f *face) readInput(ctx context.Context, input string, most int) ([]byte, error) {
	name, isFile := strings.CutPrefix(input, "@")
	if !isFile && input != stdin {
		return []byte(input), nil
	}
	return f.readText(ctx, name, most, tool.InvalidInput)
}

// sayAside writes what the tool said beside its result to standard error: one line for each call of console.
func (f *face) sayAside(r *wasmjs.Result) {
	for _, l := range r.Logs {
		f.asidef("console.%s: %s\n", escape(l.Level), escape(l.Text))
	}
	if r.LogsCut {
		f.sayf("the console said more, which is not kept")
	}
	for _, reason := range r.Unhandled {
		f.sayf("nobody handled an error: %s", escape(reason))
	}
}

// runReport is the JSON form of a run.
type runReport struct {
	OK            bool            `json:"ok"`
	Output        json.RawMessage `json:"output,omitempty"`
	Error         *tool.Error     `json:"error,omitempty"`
	Logs          []wasmjs.Log    `json:"logs"`
	LogsTruncated bool            `json:"logsTruncated,omitempty"`
	Unhandled     []string        `json:"unhandledRejections,omitempty"`
	Stats         stats           `json:"stats"`
}

func newRunReport(r *runtime.Result, err error) runReport {
	return runReport{
		OK: err == nil, Output: r.Output, Error: tool.AsError(err),
		Logs: append([]wasmjs.Log{}, r.Logs...), LogsTruncated: r.LogsCut, Unhandled: r.Unhandled, Stats: newStats(r.Stats, r.Uses),
	}
}
