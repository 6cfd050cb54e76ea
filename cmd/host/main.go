// Command host runs agent-written JavaScript and TypeScript in toolsmith's sandbox. `host help` lists its verbs.
package main

import (
	"os"

	"example.com/toolsmith/cmd/host/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args, os.Stdin, os.Stdout, os.Stderr)) }
