package policy

import (
	"path/filepath"

	"example.com/toolsmith/runtime/tool"
)

// Policy is what an operator grants. The zero value grants nothing. Parse, the presets and the methods that add rules keep
// its rules in their normal form; whoever fills in the fields by hand does so too, as the types below say.
type Policy struct {
	Name        string // for messages and records; "" when it has none
	Network     []Network
	Storage     []Storage
	Crypto      []string // names as CryptoNames lists them; "*" is all of them
	Secrets     []Secret
	Limits      tool.Limits // of a call; a zero field says nothing
	FetchLimits FetchLimits
	FSLimits    FSLimits
}

// Names of the presets.
const (
	DefaultName = "default" // grants nothing
	OpenName    = "open"    // reads below the working directory, any public host, all cryptography
)

// Preset returns a new policy by the name of a preset. The folder of "open" is the process's working directory.
func Preset(name string) (*Policy, bool) {
	switch name {
	case DefaultName:
		return &Policy{Name: DefaultName}, true
	case OpenName:
		return Open("."), true
	}
	return nil, false
}

// Open is the preset "open" for a folder: reads below it, any method to any public host on the usual ports, all
// cryptography.
func Open(folder string) *Policy {
	p := &Policy{Name: OpenName, Network: []Network{{Host: anyHost, Methods: Methods()}}, Crypto: []string{allCrypto}}
	if root, err := filepath.Abs(folder); err == nil { // fails only where the process has no working directory
		p.Storage = []Storage{{Root: root}}
	}
	return p
}

// denied is the refusal of what no rule grants. The hint says how to get it: a flag of the command line, where there is
// one, or YAML to add.
func denied(message, flag, yaml string) *tool.Error {
	hint := "add to the policy: " + yaml
	if flag != "" {
		hint = "run with " + flag + ", or " + hint
	}
	return &tool.Error{Code: tool.Denied, Message: message, Hint: hint}
}
