package config

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"example.com/toolsmith/runtime/tool"
)

const prefix = "TOOLSMITH_"

// secrets are the variables that hold no value of a Config.
var secrets = []string{"TOOLSMITH_TOKEN", "TOOLSMITH_SOURCE_KEY", "TOOLSMITH_STORE_KEY"}

// environ holds environment variables by name.
type environ map[string]string

func environment(list []string) environ {
	if list == nil {
		list = os.Environ()
	}
	env := environ{}
	for _, entry := range list {
		if name, value, ok := strings.Cut(entry, "="); ok {
			env[name] = value
		}
	}
	return env
}

// folder is ours below the one that a variable names, else below the user's home; "" when there is neither. A relative path
// does not count, as the XDG specification has it.
func (env environ) folder(variable string, below ...string) string {
	base := env[variable]
	if !filepath.IsAbs(base) {
		home := env["HOME"]
		if home == "" {
			home = env["USERPROFILE"]
		}
		if !filepath.IsAbs(home) {
			return ""
		}
		base = filepath.Join(append([]string{home}, below...)...)
	}
	return filepath.Join(base, "toolsmith")
}

// variables is the layer of the environment. One that is empty was not given.
func (c *Config) variables(env environ) ([]override, error) {
	keys := map[string]string{}
	for _, l := range c.leaves() {
		keys[variableOf(l.path)] = l.key()
	}
	var layer []override
	for _, name := range slices.Sorted(maps.Keys(env)) {
		key, known := keys[name]
		switch {
		case !strings.HasPrefix(name, prefix), slices.Contains(secrets, name):
		case !known:
			return nil, &tool.Error{
				Code: tool.InvalidRequest, Message: "the environment variable " + clip(name) + " names no key of the configuration",
				Hint: "unset it, or write TOOLSMITH_ and the path of a key, as in TOOLSMITH_LIMITS_WALL for limits.wall",
			}
		case env[name] != "":
			layer = append(layer, override{key, env[name], "environment " + name})
		}
	}
	return layer, nil
}

// clip cuts what a message repeats to a readable length.
func clip(text string) string {
	const most = 80
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// variableOf is the variable for a key: TOOLSMITH_EMERGENT_CONFIG_MAX_SESSION_TOOLS.
func variableOf(path []string) string {
	words := make([]string, len(path))
	for i, name := range path {
		words[i] = snake(name)
	}
	return prefix + strings.Join(words, "_")
}

// snake writes a name in camel case in capitals with underscores: sandboxMemoryMB is SANDBOX_MEMORY_MB. The plural of an
// abbreviation stays whole: APIs is APIS.
func snake(name string) string {
	var out strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) {
			begins := i+2 < len(runes) && unicode.IsLower(runes[i+1])
			if unicode.IsLower(runes[i-1]) || begins {
				out.WriteByte('_')
			}
		}
		out.WriteRune(unicode.ToUpper(r))
	}
	return out.String()
}
