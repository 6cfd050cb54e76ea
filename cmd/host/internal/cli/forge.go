package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// forgeFlags are the flags of `host forge`.
type forgeFlags struct {
	caller       callerFlags
	judges       judgeFlags
	allowSandbox bool
	call         string
	stored       bool // the verb forges of what a store has
}

func (f *face) forgeCommand(place *dataFlags) *cobra.Command {
	var flags forgeFlags
	cmd := canBeElsewhere(&cobra.Command{
		Use:   "forge REQUEST",
		Short: "Forge a tool: check, try and judge what a request asks for, and keep it when it passes",
		Long: "Takes a request for a tool, in JSON or YAML, through all gates: shape, static check, its own test cases in the sandbox, and\n" +
			"the judge. Prints what each stage found. A tool that passes all of them can be called from then on by the session that\n" +
			"asked for it. A refusal is told with all that was wrong and how to mend it; the exit status is 4 when tests or judge\n" +
			"refused it, and else that of the error's code. REQUEST may be - for standard input.",
		Example: f.examples(
			`host forge examples/slugify.yaml --allow-sandbox --approve-as "$USER" --call '{"text":"Hello World & Friends"}'`,
			`host forge examples/requests/invoice_text.json --judge script:examples/verdicts.json`,
			`host forge - --approve-as "$USER" --output json < examples/requests/invoice_text.json`,
		),
		Args: exactly("one request"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.forge(cmd.Context(), args[0], *place, flags) },
	})
	flags.register(cmd.Flags())
	return cmd
}

func (flags *forgeFlags) register(set *pflag.FlagSet) {
	flags.caller.register(set)
	flags.judges.register(set)
	set.BoolVar(&flags.allowSandbox, "allow-sandbox", false, "let the tool be code that runs in the sandbox, not a composition of tools alone")
	set.StringVar(&flags.call, "call", "", "`JSON` that the new tool is called with at once; @FILE reads a file")
}

// exactly refuses any other number of arguments than one.
func exactly(one string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("give %s, not %d", one, len(args))
		}
		return nil
	}
}

// check refuses flags that cannot be followed together.
func (flags forgeFlags) check(file string, place dataFlags) error {
	used := readers(file, strings.TrimPrefix(flags.call, "@"), place.config, strings.TrimPrefix(flags.judges.judge, "script:"))
	asks := flags.judges.judge == "human" && flags.judges.approveAs == ""
	switch {
	case used > 1:
		return errors.New("standard input can be only one of request, configuration, script and --call")
	case used > 0 && asks:
		return errors.New("a person answers on standard input, so nothing else can be read from it: give files")
	}
	return nil
}

// forgeReport is the JSON form of what became of a request.
type forgeReport struct {
	OK     bool          `json:"ok"`
	Result *forge.Result `json:"result"`
	Error  *tool.Error   `json:"error,omitempty"`
	Call   *callReport   `json:"call,omitempty"`
}

// forge takes a request through the gates, and prints what became of it.
func (f *face) forge(ctx context.Context, file string, place dataFlags, flags forgeFlags) error {
	if err := flags.check(file, place); err != nil {
		return err
	}
	read := func() ([]byte, error) { return f.readForging(ctx, file) }
	return f.forgeBy(ctx, place, flags, read, func(_ *openedHost, d desk.Desk, request []byte) (*forge.Result, error) {
		return d.Forge(ctx, request)
	})
}

// forger takes what was read through the gates at a desk, which is that of a host of this process unless that is nil.
type forger func(h *openedHost, d desk.Desk, text []byte) (*forge.Result, error)

// forgeBy reads what a tool is made of, has it forged, and prints what became of it.
func (f *face) forgeBy(ctx context.Context, place dataFlags, flags forgeFlags, read func() ([]byte, error), by forger) error {
	report, err := f.forgeOnce(ctx, place, flags, read, by)
	if _, failed := errors.AsType[*tool.Error](err); err != nil && !failed {
		return err // a misuse of the command line
	}
	if f.format == asJSON {
		report.Error = tool.AsError(err)
		report.OK = err == nil && (report.Call == nil || report.Call.OK)
		f.printJSON(report)
		return report.status()
	}
	f.showStages(report.Result)
	_, placed := errors.AsType[*fileError](err)
	switch {
	case err != nil && report.Result.Stage != "" && !placed:
		f.explainRefusal(report.Result, tool.AsError(err))
		return done(tool.AsError(err).Code.ExitStatus())
	case err == nil && report.Call != nil:
		return f.showCall(report.Call)
	}
	return err
}

// status is the exit status of a request whose report was printed.
func (r *forgeReport) status() error {
	switch {
	case r.Error != nil:
		return done(r.Error.Code.ExitStatus())
	case r.Call != nil:
		return r.Call.status()
	}
	return nil
}

// forgeOnce reads what a tool is made of, forges it and calls it. The report is never nil, and has a result.
func (f *face) forgeOnce(
	ctx context.Context, place dataFlags, flags forgeFlags, read func() ([]byte, error), by forger,
) (report *forgeReport, err error) {
	report = &forgeReport{Result: &forge.Result{}}
	text, err := read()
	if err != nil {
		return report, err
	}
	var input json.RawMessage
	if flags.call != "" {
		if input, err = f.readInput(ctx, flags.call, tool.MaxLimits.InputBytes); err != nil {
			return report, err
		}
		if _, err = schema.Decode(input); err != nil {
			e := tool.AsError(err)
			e.Message = "the JSON of --call: " + e.Message
			return report, e
		}
	}
	return report, f.atForge(ctx, place, flags, func(h *openedHost, d desk.Desk) (made *tool.Record, err error) {
		if report.Result, err = by(h, d, text); err != nil {
			configureHints(report.Result)
			return nil, asConfigured(err)
		}
		if flags.call != "" {
			report.Call = callOnce(ctx, d, report.Result.Tool.Name, input)
		}
		return report.Result.Tool, nil
	})
}

// atForge makes a tool at the desk that the flags name.
func (f *face) atForge(ctx context.Context, place dataFlags, flags forgeFlags, do func(*openedHost, desk.Desk) (*tool.Record, error)) (err error) {
	if place.server != "" {
		return f.atServer(ctx, place, flags.caller.session, func(d desk.Desk) error { _, err := do(nil, d); return err })
	}
	var missing error
	h, err := f.openHost(ctx, place, flags.judges, func(c *config.Config) {
		mayForge(c, flags.allowSandbox)
		if flags.stored {
			missing = storedOnly(c)
		}
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }() //nolint:contextcheck,nolintlint // what was done is written, whatever becomes of the context
	if missing != nil {
		return missing
	}
	made, err := do(h, desk.NewLocal(h.Host, tool.Actor{Caller: flags.caller.caller()}))
	if err == nil {
		f.warnOfLoss(h, made)
	}
	return err
}

// configureHints words all hints of a refusal for the verbs that forge.
func configureHints(r *forge.Result) {
	_ = asConfigured(r.Error)
	for _, p := range r.Problems {
		_ = asConfigured(p)
	}
	for _, t := range r.TestResults {
		_ = asConfigured(t.Error)
	}
}

// readForging returns the JSON of a request in a file, which is YAML unless it begins with a bracket.
func (f *face) readForging(ctx context.Context, file string) ([]byte, error) {
	text, err := f.readText(ctx, file, wire.MaxJSONBytes, tool.InvalidRequest)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if start := bytes.TrimSpace(text); len(start) > 0 && (start[0] == '{' || start[0] == '[' || start[0] == '"') {
		return start, nil
	}
	converted, err := wire.YAMLToJSON(text)
	if err != nil {
		return nil, &fileError{file, string(text), true, err}
	}
	return converted, nil
}

// mayForge lets a configuration forge, since that is what the verb was asked for, unless somebody said that it may not.
func mayForge(c *config.Config, sandbox bool) {
	for _, v := range c.Values() {
		if (v.Key == "emergent" || v.Key == "emergentConfig.enabled") && v.Value == false && v.From != "default" {
			return
		}
	}
	c.Emergent, c.EmergentConfig.Enabled = true, true
	c.EmergentConfig.AllowSandboxTools = c.EmergentConfig.AllowSandboxTools || sandbox
}

// warnOfLoss says when a tool will not outlive this process, because its code is not kept.
func (f *face) warnOfLoss(h *openedHost, t *tool.Record) {
	if h.config.SourceAtRest == config.None && t.Implementation.Mode == tool.SandboxMode {
		f.sayf("sourceAtRest is none, so the code of %s is not kept: the tool is suspended once this process has ended", escape(t.Name))
	}
}
