package cli

import (
	"context"

	"github.com/spf13/pflag"

	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// dataFlags say where the configuration and the data of a host lie, "" leaves it to the environment; or at which server it is.
type dataFlags struct {
	config, data string
	server       string
	ca           string // file with the authorities of its certificate; "" are those of the system
	insecure     bool
}

func (d *dataFlags) register(set *pflag.FlagSet) {
	set.Var((*filled)(&d.config), "config", "configuration `FILE` of verbs that keep tools (default toolsmith/config.yaml in $XDG_CONFIG_HOME or ~/.config)")
	set.Var((*filled)(&d.data), "data", "`DIR` of their data, or "+config.Memory+" for none that is kept (default toolsmith in $XDG_DATA_HOME or ~/.local/share)")
	set.Var((*filled)(&d.server), "server", "`URL` of a host elsewhere that does what the verb says; its key is taken from "+tokenEnv)
	set.Var((*filled)(&d.ca), "ca", "with --server, PEM `FILE` of the authorities that its certificate may come from (default those of the system)")
	set.BoolVar(&d.insecure, "insecure", false, "with --server, let the key go to another machine without TLS")
}

// flag is a value of a command line for a key of the configuration; "" is none.
func flag(name, key, value string) []config.Flag {
	if value == "" {
		return nil
	}
	return []config.Flag{{Name: name, Key: key, Value: value}}
}

// config loads the configuration that the flags, further ones among them, the environment and the file make together.
func (f *face) config(ctx context.Context, flags dataFlags, further ...config.Flag) (config.Config, error) {
	var file, text string
	opt := config.Options{File: flags.config, Read: func(name string) ([]byte, error) {
		read, err := f.readText(ctx, name, wire.MaxYAMLBytes, tool.InvalidRequest)
		file, text = name, string(read)
		return read, err
	}}
	opt.Flags = append(flag("--data", "data", flags.data), further...)
	c, err := config.Load(opt)
	if e := tool.AsError(err); e != nil && e.Line > 0 {
		return config.Config{}, &fileError{file, text, true, err}
	}
	return c, err
}
