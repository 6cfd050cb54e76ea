// Command bench measures the sandbox engine beside other JavaScript engines, interleaved in one run:
//
//	go run . --quick
//	go run . --measure hermetic_call --peers goja,node --output json
//
// The result goes to standard output, progress and notices to standard error. Exit status: 0 when every measure was
// taken, 1 when one failed, 2 when the flags are wrong.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"example.com/toolsmith/bench/peers"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(start(ctx, os.Args[1:]))
}

// start runs the process in the role that its arguments ask for: the benchmarks, or one of the engines they measure.
func start(ctx context.Context, args []string) int {
	err := serveOrRun(ctx, args)
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "bench:", err)
	if errors.As(err, new(usageError)) {
		return 2
	}
	return 1
}

func serveOrRun(ctx context.Context, args []string) error {
	if len(args) == 3 && args[0] == peers.Command {
		return peers.ServeStandard(ctx, args[1], args[2])
	}
	return command(ctx, args, os.Stdout, os.Stderr)
}
