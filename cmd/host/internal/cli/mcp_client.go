package cli

import (
	"os"
	"path/filepath"
	"strings"

	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/tool"
)

// client is the value of --print-config.
type client string

// String, Set and Type make client a flag.
func (c *client) String() string { return string(*c) }

// Set takes claude, cursor or vscode.
func (c *client) Set(text string) error { return choose(c, text, "claude", "cursor", "vscode") }

// Type is what help calls the value.
func (c *client) Type() string { return "CLIENT" }

// clientEntry is how a client starts a server.
type clientEntry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// printClient prints the configuration of a client that starts this program with these flags.
func (f *face) printClient(place dataFlags, flags mcpFlags) error {
	program, err := os.Executable()
	if err != nil {
		return &tool.Error{Code: tool.Internal, Message: "where this program lies cannot be told", Cause: err}
	}
	entry := clientEntry{Command: program, Args: flags.arguments(place)}
	key := "mcpServers"
	if flags.client == "vscode" {
		key, entry.Type = "servers", "stdio"
	}
	f.printJSON(map[string]map[string]clientEntry{key: {"toolsmith": entry}})
	return nil
}

// arguments are those that a client gives: the flags that are not as they are by default, and files by their whole paths.
func (flags mcpFlags) arguments(place dataFlags) []string {
	args := []string{"mcp"}
	add := func(name, value, usual string) {
		if value != usual {
			args = append(args, name, value)
		}
	}
	add("--config", whole(place.config), "")
	if place.data == config.Memory {
		args = append(args, "--data", place.data)
	} else {
		add("--data", whole(place.data), "")
	}
	add("--persona", flags.persona, localPersona)
	add("--session", flags.session, "")
	if script, ok := strings.CutPrefix(flags.judge, "script:"); ok {
		add("--judge", "script:"+whole(script), "")
	} else {
		add("--judge", flags.judge, "auto")
	}
	add("--publish", string(flags.publish), "none")
	if flags.allowSandbox {
		args = append(args, "--allow-sandbox")
	}
	return args
}

// whole is the whole path of a file that was named; "" stays.
func whole(path string) string {
	if absolute, err := filepath.Abs(path); err == nil && path != "" {
		return absolute
	}
	return path
}
