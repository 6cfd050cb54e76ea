package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/bench/measures"
	"example.com/toolsmith/bench/peers"
	"example.com/toolsmith/bench/report"
)

// options are what the flags say.
type options struct {
	quick    bool
	peers    []string
	measures []string
	output   string
	cache    string
	scale    float64 // of the budgets, for tests
}

// fullScale is by how much a full run samples longer than a quick one.
const fullScale = 6

// usageError is a mistake in the flags.
type usageError struct{ error }

func newCommand(out, notices io.Writer) *cobra.Command {
	opt := options{}
	command := &cobra.Command{
		Use:   "bench",
		Short: "Measure the sandbox engine beside other JavaScript engines",
		Example: `  go run . --quick
  go run . --measure hermetic_call,throughput --peers goja,node --output json`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(command *cobra.Command, _ []string) error {
			return opt.run(command.Context(), out, notices)
		},
	}
	command.SetErr(notices)
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	opt.declare(command)
	return command
}

func (o *options) declare(command *cobra.Command) {
	flags := command.Flags()
	flags.BoolVar(&o.quick, "quick", false, "take a sixth of the samples: within 45 s on two cores, once the peers are built")
	flags.StringSliceVar(&o.peers, "peers", peers.Groups(), "engines to compare with")
	flags.StringSliceVar(&o.measures, "measure", nil, "measures to take, of "+strings.Join(measures.Names(), ", ")+" (default all)")
	flags.StringVar(&o.output, "output", "text", "text or json")
	flags.StringVar(&o.cache, "cache", "", "folder for compiled code and peers (default toolsmith/bench in the user's cache folder)")
	flags.Float64Var(&o.scale, "scale", 0, "multiply the sampling time of a quick run by this instead")
	if err := flags.MarkHidden("scale"); err != nil {
		panic(err) // the flag is declared just above
	}
}

// run takes the measures and writes the report.
func (o *options) run(ctx context.Context, out, notices io.Writer) error {
	list, session, err := o.session(notices)
	if err != nil {
		return usageError{err}
	}
	result := report.Report{Machine: report.ThisMachine()}
	fmt.Fprintln(notices, "starting the engines; what is not there yet is compiled or installed first, which takes minutes once")
	if result.Contenders, err = session.Prepare(ctx); err != nil {
		return err
	}
	if err := session.Take(ctx, list, &result); err != nil {
		return err
	}
	if err := o.write(&result, out); err != nil {
		return err
	}
	if len(result.Failed) > 0 {
		return fmt.Errorf("%d of %d measures failed", len(result.Failed), len(list))
	}
	return nil
}

// session turns the flags into what they ask for. Its errors are mistakes in the flags.
func (o *options) session(notices io.Writer) ([]measures.Measure, *measures.Session, error) {
	if o.output != "text" && o.output != "json" {
		return nil, nil, fmt.Errorf("--output is %q; it can be text or json", o.output)
	}
	list, err := measures.Select(o.measures)
	if err != nil {
		return nil, nil, fmt.Errorf("--measure: %w", err)
	}
	against, err := peers.Select(o.peers)
	if err != nil {
		return nil, nil, fmt.Errorf("--peers: %w", err)
	}
	cache, err := o.cacheFolder()
	if err != nil {
		return nil, nil, err
	}
	return list, &measures.Session{
		Ours: peers.Ours, Peers: against, Cache: cache, Scale: o.sampling(), Progress: newProgress(notices),
	}, nil
}

// sampling is the scale of the budgets.
func (o *options) sampling() float64 {
	switch {
	case o.scale > 0:
		return o.scale
	case o.quick:
		return 1
	}
	return fullScale
}

func (o *options) cacheFolder() (string, error) {
	if o.cache != "" {
		return filepath.Abs(o.cache)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w; name a folder with --cache", err)
	}
	return filepath.Join(cache, "toolsmith", "bench"), nil
}

func (o *options) write(result *report.Report, out io.Writer) error {
	if o.output == "json" {
		return result.WriteJSON(out)
	}
	return result.WriteText(out)
}
