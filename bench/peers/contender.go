package peers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Contender is one engine in the form in which it is compared, and how to start a process that serves it.
type Contender struct {
	Name         string // in results
	Group        string // by which --peers asks for it
	What         string // what a call with it is
	SingleThread bool   // it cannot make calls from several threads at once
	Unlimited    bool   // it has no means to stop a program
	// command returns what starts the process; its error says why the contender cannot take part here.
	command func(ctx context.Context, cache string) (*exec.Cmd, error)
}

// Ours is the contender that all others are compared with.
var Ours = Contender{
	Name: "ours", Group: "ours", What: "a pristine image per call, all limits armed",
	command: self("ours"),
}

// Unmetered is our engine without fuel checks: the measure of what metering costs.
var Unmetered = Contender{
	Name: "unmetered", Group: "unmetered", What: "our engine without its fuel checks",
	command: self("unmetered"),
}

// all lists the peers in the order in which tables show them.
var all = []Contender{
	{
		Name: "goja", Group: "goja", What: "program compiled once, a new VM per call, interrupt armed by a timer",
		command: self("goja"),
	},
	{
		Name: "modernc", Group: "modernc", What: "modernc.org/quickjs, bytecode compiled once, a new VM per call, timeout set",
		command: self("modernc"),
	},
	{
		Name: "native", Group: "native", What: "QuickJS-ng by gcc -O2, a new runtime and context per call, no limits", SingleThread: true, Unlimited: true,
		command: native,
	},
	{
		Name: "node:vm", Group: "node", What: "script compiled once, a new context per call, timeout set", SingleThread: true,
		command: node("node:vm"),
	},
	{
		Name: "isolated-vm", Group: "node", What: "a new isolate of 128 MiB per call, timeout set", SingleThread: true,
		command: node("isolated-vm", "--no-node-snapshot"),
	},
	{
		Name: "quickjs-emscripten", Group: "node", What: "a new runtime and context per call, interrupt handler and memory limit set", SingleThread: true,
		command: node("quickjs-emscripten"),
	},
}

// Groups are the words that --peers understands.
func Groups() []string {
	var groups []string
	for _, c := range all {
		if !slices.Contains(groups, c.Group) {
			groups = append(groups, c.Group)
		}
	}
	return groups
}

// Select returns the contenders of the groups.
func Select(groups []string) ([]Contender, error) {
	for _, g := range groups {
		if !slices.Contains(Groups(), g) {
			return nil, fmt.Errorf("there is no peer %q; there are %s", g, strings.Join(Groups(), ", "))
		}
	}
	var selected []Contender
	for _, c := range all {
		if slices.Contains(groups, c.Group) {
			selected = append(selected, c)
		}
	}
	return selected, nil
}

// Command is the first argument with which this binary serves the engine that the second names.
const Command = "peer"

// self returns the command that runs this binary again to serve a Go engine.
func self(name string) func(context.Context, string) (*exec.Cmd, error) {
	return func(ctx context.Context, cache string) (*exec.Cmd, error) {
		path, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return exec.CommandContext(ctx, path, Command, name, cache), nil //nolint:gosec // this very program
	}
}

// Open makes the Go engine of that name in this process. The cache is a folder for what it keeps between runs.
func Open(ctx context.Context, name, cache string) (Engine, error) {
	switch name {
	case "ours":
		return openOurs(ctx, cache)
	case "unmetered":
		return openUnmetered(ctx, cache)
	case "goja":
		return gojaEngine{}, nil
	case "modernc":
		return moderncEngine{}, nil
	}
	return nil, fmt.Errorf("no engine in Go is called %q", name)
}
