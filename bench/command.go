package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

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
	scale    float64 // of the sampling time of a quick run
}

// fullScale is by how much a full run samples longer than a quick one.
const fullScale = 6

// usageError is a mistake in the flags.
type usageError struct{ error }

// command reads the flags, takes the measures and writes the report to out; progress and notices go to notices.
func command(ctx context.Context, args []string, out, notices io.Writer) error {
	opt, err := parse(args, notices)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return usageError{err}
	}
	return opt.run(ctx, out, notices)
}

const usage = `Measures the sandbox engine beside other JavaScript engines, interleaved in one run.

  go run . --quick
  go run . --measure hermetic_call,throughput --peers goja,node --output json

The peer "native" needs gcc and the source of QuickJS-ng, which the build of the engine's WebAssembly leaves in the
user's cache, or which the environment variable ` + peers.SourceVariable + ` names; "node" needs node and npm.

`

// parse reads the flags. Help goes to notices.
func parse(args []string, notices io.Writer) (*options, error) {
	opt := &options{}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // a mistake is told once, by main
	flags.BoolVar(&opt.quick, "quick", false, "take a sixth of the samples: within 45 s on two cores, once the peers are built")
	flags.Func("peers", "`engines` to compare with, of "+strings.Join(peers.Groups(), ",")+" (default all)", list(&opt.peers))
	flags.Func("measure", "`measures` to take, of "+strings.Join(measures.Names(), ",")+" (default all but judge)", list(&opt.measures))
	flags.StringVar(&opt.output, "output", "text", "`form` of the report: text or json")
	flags.StringVar(&opt.cache, "cache", "", "`folder` of compiled code and peers (default toolsmith/bench in the user's cache folder)")
	flags.Float64Var(&opt.scale, "scale", fullScale, "sampling time as a `multiple` of that of a quick run")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, _ = io.WriteString(notices, usage)
		flags.SetOutput(notices)
		flags.PrintDefaults()
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("%q is not a flag; there are no arguments", flags.Arg(0))
	case opt.quick:
		opt.scale = 1
	}
	return opt, err
}

// list adds names separated by commas.
func list(to *[]string) func(string) error {
	return func(text string) error {
		*to = append(*to, strings.Split(text, ",")...)
		return nil
	}
}

// run takes the measures and writes the report.
func (o *options) run(ctx context.Context, out, notices io.Writer) error {
	list, session, err := o.session(notices)
	if err != nil {
		return usageError{err}
	}
	result := report.Report{Machine: report.ThisMachine(ctx)}
	_, _ = io.WriteString(notices, "starting the engines; what is not there yet is compiled or installed first, which takes minutes once\n")
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
	if o.peers == nil {
		o.peers = peers.Groups()
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
		Ours: peers.Ours, Peers: against, Cache: cache, Scale: o.scale, Progress: newProgress(notices),
	}, nil
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
