package cli

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/selfimprove"
	"example.com/toolsmith/wasmjs"
)

// callFlags are the flags of `host call`.
type callFlags struct {
	caller callerFlags
	input  string
	stats  bool
}

func (f *face) callCommand(place *dataFlags) *cobra.Command {
	var flags callFlags
	cmd := canBeElsewhere(&cobra.Command{
		Use:   "call NAME",
		Short: "Call a tool: one that was forged, or one of the host",
		Long: "Calls a tool by its name and prints what it returns as JSON. The session, its persona and everybody see tools of their own\n" +
			"tiers; name another session with --session. What the policy of the persona grants, the tool can reach. An output that is not\n" +
			"what the tool's earlier calls led to expect is told on standard error.",
		Example: f.examples(
			`host call json_query --input '{"data":{"cities":["Oslo","Rome"]},"query":"$.cities[-1]"}'`,
			`host call text_template --input @examples/greeting.json --output json`,
		),
		Args: exactly("the name of one tool"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.call(cmd.Context(), args[0], *place, flags) },
	})
	set := cmd.Flags()
	set.StringVar(&flags.input, "input", "{}", "`JSON` that the tool gets; @FILE reads a file, - standard input")
	set.BoolVar(&flags.stats, "stats", false, "say how much fuel, time and memory it took, and what it did with its powers")
	flags.caller.register(set)
	return cmd
}

// call calls a tool, and prints how that ended.
func (f *face) call(ctx context.Context, name string, place dataFlags, flags callFlags) error {
	if readers(strings.TrimPrefix(flags.input, "@"), place.config) > 1 {
		return errors.New("standard input can be only one of configuration and input")
	}
	report, err := f.openAndCall(ctx, name, place, flags)
	if err != nil {
		return f.failed(err)
	}
	if f.format == asJSON {
		f.printJSON(report)
		return report.status()
	}
	if flags.stats {
		f.sayStats(report.Stats)
	}
	return f.showCall(report)
}

// status is the exit status of a call whose report was printed.
func (r *callReport) status() error {
	if r.Error != nil {
		return done(r.Error.Code.ExitStatus())
	}
	return nil
}

// openAndCall opens the host and calls one tool of it. The error is of what comes before and after the call.
func (f *face) openAndCall(ctx context.Context, name string, place dataFlags, flags callFlags) (report *callReport, err error) {
	input, err := f.readInput(ctx, flags.input, tool.MaxLimits.InputBytes)
	if err != nil {
		return nil, err
	}
	call := func(d desk.Desk) error { report = callOnce(ctx, d, name, input); return nil }
	if place.server != "" {
		return report, f.atServer(ctx, place, flags.caller.session, call)
	}
	h, err := f.openHost(ctx, place, noJudge, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.Close()) }() //nolint:contextcheck,nolintlint // what was done is written, whatever becomes of the context
	return report, call(desk.NewLocal(h.Host, tool.Actor{Caller: flags.caller.caller()}))
}

// callReport is the JSON form of a call.
type callReport struct {
	OK      bool            `json:"ok"`
	Output  json.RawMessage `json:"output,omitempty"`
	Error   *tool.Error     `json:"error,omitempty"`
	Tool    runtime.Face    `json:"tool,omitzero"`
	Logs    []wasmjs.Log    `json:"logs,omitempty"` // only when the tool is the caller's own
	Stats   stats           `json:"stats"`
	Anomaly string          `json:"anomaly,omitempty"`
}

// callOnce calls a tool, whatever comes of it.
func callOnce(ctx context.Context, d desk.Desk, name string, input json.RawMessage) *callReport {
	result, err := d.Call(ctx, name, input)
	if result.Tool.Name == "" {
		err = switchable(name, findable(err))
	}
	err = asConfigured(err)
	r := &callReport{
		OK: err == nil, Output: result.Output, Error: tool.AsError(err), Tool: result.Tool, Logs: result.Logs, Stats: newStats(result.Stats, result.Uses),
	}
	if r.Stats.WallMs == 0 { // nothing of it ran in the sandbox
		r.Stats.WallMs = milliseconds(result.Duration)
	}
	if result.Reuse.Anomaly {
		r.Anomaly = result.Reuse.AnomalyReason
	}
	return r
}

// selfTools are those by which agents adjust themselves, which are there only where that is switched on.
var selfTools = []string{"adapt_personality", selfimprove.SkillTool, selfimprove.WorkflowTool, "self_evaluate"}

// switchable adds to an error that a tool is not there how it is switched on.
func switchable(name string, err error) error {
	if e := tool.AsError(err); e != nil && e.Code == tool.NotFound && slices.Contains(selfTools, name) {
		e.Hint = "switch it on in the configuration: emergentConfig.selfImprovement.enabled: true"
	}
	return err
}

// showCall prints what a call came to; its error is that of the call.
func (f *face) showCall(r *callReport) error {
	f.sayAside(&wasmjs.Result{Logs: r.Logs})
	if r.Anomaly != "" {
		f.sayf("this is not like the calls before: %s", escape(r.Anomaly))
	}
	if r.Error != nil {
		return r.Error
	}
	f.printf("%s\n", escapeJSON(r.Output))
	return nil
}
