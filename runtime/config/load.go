package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// Options say where Load looks.
type Options struct {
	File    string                            // "" is the usual place, where there need not be one
	Read    func(name string) ([]byte, error) // of a file; what is not there is tool.NotFound. nil: os.Open, up to wire.MaxYAMLBytes
	Environ []string                          // as os.Environ, which nil stands for
	Flags   []Flag
}

// Flag is a value from a command line.
type Flag struct {
	Name  string // as it is written: --data
	Key   string // of the configuration: data
	Value string
}

// Parse reads the text of a file over Default. Reading is strict: the error is a *tool.Error of code InvalidRequest with the
// line and column of the first mistake.
func Parse(text []byte) (Config, error) {
	c := Default()
	if err := c.read(text, "line "); err != nil {
		return Config{}, err
	}
	c.derive()
	return c, nil
}

// Load returns the configuration, of which every value comes from the first of flag, environment, file and default that has
// one. A file that is named and not there is NotFound; what is wrong in a layer is InvalidRequest, with its line and column
// in the file or under the name of the variable.
func Load(opt Options) (Config, error) {
	env, c := environment(opt.Environ), Default()
	if err := c.readFile(opt, env); err != nil {
		return Config{}, err
	}
	variables, err := c.variables(env)
	if err != nil {
		return Config{}, err
	}
	var flags []override
	for _, f := range opt.Flags {
		flags = append(flags, override{f.Key, f.Value, "flag " + f.Name})
	}
	for _, layer := range [][]override{variables, flags} {
		if err := c.override(layer); err != nil {
			return Config{}, err
		}
	}
	if c.Data == "" {
		if c.Data = env.folder("XDG_DATA_HOME", ".local", "share"); c.Data == "" {
			return Config{}, &tool.Error{Code: tool.Unavailable, Message: "there is no folder for data", Hint: "name one with --data DIR or TOOLSMITH_DATA, or set HOME"}
		}
	}
	c.derive()
	return c, nil
}

// derive ends the layers: it sets what follows from other keys.
func (c *Config) derive() {
	const enabled, skills = "emergentConfig.enabled", "emergentConfig.selfImprovement.skills.allowlist"
	e := &c.EmergentConfig
	if c.Emergent && !e.Enabled {
		e.Enabled, c.from[enabled] = true, c.from["emergent"]
	}
	if c.from[skills] == "" && !e.SelfImprovement.Skills.RequireApprovalForNewCategories { // then nobody is asked
		e.SelfImprovement.Skills.Allowlist = []string{"*"}
	}
}

// readFile applies the file that the options name, else the one in the usual place if it is there.
func (c *Config) readFile(opt Options, env environ) error {
	name := opt.File
	if name == "" {
		folder := env.folder("XDG_CONFIG_HOME", ".config")
		if folder == "" {
			return nil
		}
		name = filepath.Join(folder, "config.yaml")
	}
	read := opt.Read
	if read == nil {
		read = readFile
	}
	text, err := read(name)
	switch {
	case opt.File == "" && errors.Is(err, tool.NotFound):
		return nil
	case err != nil:
		return err
	}
	if err := c.read(text, "file "+name+":"); err != nil {
		e := *tool.AsError(err)
		e.Message = "the configuration is not valid: " + e.Message
		return &e
	}
	return nil
}

// readFile is the default of Options.Read.
func readFile(name string) ([]byte, error) {
	file, err := os.Open(name) //nolint:gosec // the operator's own
	if err == nil {
		defer file.Close()
		var text []byte
		if text, err = io.ReadAll(io.LimitReader(file, wire.MaxYAMLBytes+1)); err == nil {
			return text, nil
		}
	}
	code := tool.Unavailable
	if errors.Is(err, fs.ErrNotExist) {
		code = tool.NotFound
	}
	return nil, tool.Errorf(code, "cannot read the configuration: %w", err)
}

// document is a Config whose Validate is called when it is read: one that knows of one layer.
type document Config

// Validate is Config.check.
func (d *document) Validate() error { return (*Config)(d).check() }

// read applies the text of a file, which is called origin.
func (c *Config) read(text []byte, origin string) error {
	if blank(text) {
		return nil
	}
	if err := wire.YAML(text, (*document)(c)); err != nil {
		return err
	}
	places, err := wire.FindPlaces(text)
	if err != nil {
		return err
	}
	given := map[string]string{}
	for _, l := range c.leaves() {
		if line, _ := places.Of(l.path...); line > 0 {
			given[l.key()] = fmt.Sprint(origin, line)
		}
	}
	if err := c.settle(given); err != nil {
		e := *tool.AsError(err)
		e.Line, e.Column = places.Of(strings.Split(strings.TrimPrefix(e.Path, "/"), "/")...)
		return &e
	}
	return nil
}

// blank reports whether a file holds comments alone.
func blank(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

// override is a value that a layer above the file gives.
type override struct{ key, text, from string }

// override applies a layer.
func (c *Config) override(layer []override) error {
	given := map[string]string{}
	leaves := c.leaves()
	for _, o := range layer {
		i := slices.IndexFunc(leaves, func(l leaf) bool { return l.key() == o.key })
		if i < 0 {
			return tool.Errorf(tool.InvalidRequest, "%s: there is no key %.80q", o.from, o.key)
		}
		if err := leaves[i].set(o.text); err != nil {
			return wrong(o.from+": "+err.Error(), "", leaves[i].path...)
		}
		given[o.key] = o.from
	}
	err := c.check()
	if err == nil {
		err = c.settle(given)
	}
	if err == nil {
		return nil
	}
	e := *tool.AsError(err)
	for key, from := range given {
		if strings.HasPrefix(e.Path+"/", "/"+strings.ReplaceAll(key, ".", "/")+"/") {
			e.Message = from + ": " + e.Message
		}
	}
	return &e
}
