package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"example.com/toolsmith/runtime/tool"
)

// Main runs the command line args, of which the first is the name it was called by, and returns the exit status: 0, 1 for a
// failure, 2 for a misused command line, or that of an error's code. The first interrupt cancels what runs; the second ends
// the process.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	signal.Ignore(syscall.SIGPIPE) // a closed pipe is a write error like any other
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	f := newFace(args[0], stdin, stdout, stderr)
	root := f.rootCommand()
	root.SetArgs(args[1:])
	cmd, err := root.ExecuteContextC(ctx)
	status := f.report(cmd, args[1:], err)
	if f.out.err != nil {
		f.sayf("cannot write the result: %v", f.out.err)
		status = max(status, 1)
	}
	return status
}

// face is one run of the command line: what it is called, and its streams.
type face struct {
	name   string
	in     io.Reader
	out    *checkedWriter
	err    io.Writer
	asking sync.Mutex // held while a person at the terminal is asked
	format format
}

func newFace(program string, stdin io.Reader, stdout, stderr io.Writer) *face {
	name := strings.TrimSuffix(filepath.Base(program), ".exe")
	return &face{name: name, in: stdin, out: &checkedWriter{w: stdout}, err: stderr, format: asText}
}

func (f *face) rootCommand() *cobra.Command {
	var version bool
	var place dataFlags
	root := &cobra.Command{
		Use:   f.name,
		Short: "Run agent-written JavaScript and TypeScript in a sandbox with limits that bind",
		Long: "Runs agent-written JavaScript and TypeScript, each call in a fresh sandbox under limits of time, work and memory.\n" +
			"Results go to standard output, everything else to standard error.",
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return place.checkServer(cmd) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				f.printVersion(readVersion())
				return nil
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVar(&version, "version", false, "say which version this is, as the verb does")
	root.SetIn(f.in)
	root.SetOut(f.out)
	root.SetErr(f.err)
	root.PersistentFlags().Var(&f.format, "output", "form of the result, text or json")
	_ = root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	place.register(root.PersistentFlags())
	root.AddCommand(f.runCommand(), f.casesCommand(), f.policyCommand(), f.configCommand(&place), f.doctorCommand(&place), f.versionCommand(&place))
	root.AddCommand(f.forgeCommand(&place), f.callCommand(&place), f.sessionCommand(&place), f.usageCommand(&place))
	root.AddCommand(f.personaCommand(&place))
	root.AddCommand(f.toolCommand(&place), f.auditCommand(&place), f.backupCommand(&place), f.restoreCommand(&place))
	root.AddCommand(f.tenantCommand(&place), f.workflowCommand(&place), f.skillCommand(&place), f.agencyCommand(&place), f.mcpCommand(&place), f.serveCommand(&place))
	return root
}

// noArguments refuses arguments of a verb that takes none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unknown argument %q for %q", args[0], cmd.CommandPath())
	}
	return nil
}

// examples puts the name the program was called by into the examples of a verb.
func (f *face) examples(lines ...string) string {
	return "  " + strings.ReplaceAll(strings.Join(lines, "\n  "), "host ", f.name+" ")
}

// done is the error of a verb that has said all there is to say; it is the exit status.
type done int

func (d done) Error() string { return fmt.Sprintf("exit status %d", int(d)) }

// report says what went wrong with a command line and returns the exit status. An error that has no code is a misuse of the command
// line: verbs return no others, and cobra makes its own.
func (f *face) report(cmd *cobra.Command, args []string, err error) int {
	if err == nil {
		return 0
	}
	if status, ok := errors.AsType[done](err); ok {
		return int(status)
	}
	if failed, ok := errors.AsType[*tool.Error](err); ok {
		f.explain(err)
		return failed.Code.ExitStatus()
	}
	hint := fmt.Sprintf("Run '%s --help' for usage.", cmd.CommandPath())
	if asksForJSON(args) && cmd.Name() != "mcp" { // its standard output is for the protocol alone
		f.printJSON(failureReport{Error: &tool.Error{Code: tool.InvalidRequest, Message: err.Error(), Hint: hint}})
	} else {
		f.sayf("%s\n%s", escapeLines(err.Error()), hint)
	}
	return 2
}

// asksForJSON reports whether a command line wants results as JSON, also one that could not be read as far as that.
func asksForJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	for i, arg := range args {
		if arg == "--output="+string(asJSON) || arg == string(asJSON) && i > 0 && args[i-1] == "--output" {
			return true
		}
	}
	return false
}

// sayf writes one message to standard error under the program's name.
func (f *face) sayf(format string, args ...any) {
	f.asidef("%s: %s\n", f.name, fmt.Sprintf(format, args...))
}

// asidef writes to standard error. Where that fails there is nobody left to tell.
func (f *face) asidef(format string, args ...any) { _, _ = fmt.Fprintf(f.err, format, args...) }

// printf writes to standard output, which remembers its errors.
func (f *face) printf(format string, args ...any) { _, _ = fmt.Fprintf(f.out, format, args...) }
