package selfimprove

import (
	"os"
	"os/exec"
	goruntime "runtime"
	"slices"
	"strings"
)

// SkillRequirements are what a skill needs of the machine.
type SkillRequirements struct {
	Always     bool     `json:"always,omitempty"` // needs no more than its operating system, whatever else it names
	OS         []string `json:"os,omitempty"`     // any of them
	Bins       []string `json:"bins,omitempty"`   // programs, all of them
	AnyBins    []string `json:"anyBins,omitempty"`
	Env        []string `json:"env,omitempty"`    // environment variables that are set
	Config     []string `json:"config,omitempty"` // paths of settings that are true
	PrimaryEnv string   `json:"primaryEnv,omitempty"`
}

// SkillLookups answer what a machine has.
type SkillLookups struct {
	OS     string                 // as Go names it; "" is that of this machine
	Bin    func(name string) bool // nil looks along the PATH
	Env    func(name string) bool // nil looks whether the variable is set and not empty
	Config func(path string) bool // nil has no settings
}

func (l SkillLookups) orReal() SkillLookups {
	if l.OS == "" {
		l.OS = goruntime.GOOS
	}
	if l.Bin == nil {
		l.Bin = func(name string) bool { _, err := exec.LookPath(name); return err == nil }
	}
	if l.Env == nil {
		l.Env = func(name string) bool { return os.Getenv(name) != "" }
	}
	if l.Config == nil {
		l.Config = func(string) bool { return false }
	}
	return l
}

// Missing returns what a machine lacks, in words; nothing when the skill can be used there. It asks have and nothing else,
// whose functions are all there.
func (r SkillRequirements) Missing(have SkillLookups) (lacks []string) {
	if len(r.OS) > 0 && !slices.ContainsFunc(r.OS, func(name string) bool { return osName(name) == have.OS }) {
		lacks = append(lacks, "the operating system "+strings.Join(r.OS, " or "))
	}
	if r.Always {
		return lacks
	}
	for _, of := range []struct {
		what  string
		names []string
		has   func(string) bool
	}{{"the program ", r.Bins, have.Bin}, {"the environment variable ", r.Env, have.Env}, {"the setting ", r.Config, have.Config}} {
		for _, name := range of.names {
			if !of.has(name) {
				lacks = append(lacks, of.what+name)
			}
		}
	}
	if len(r.AnyBins) > 0 && !slices.ContainsFunc(r.AnyBins, have.Bin) {
		lacks = append(lacks, "one of the programs "+strings.Join(r.AnyBins, ", "))
	}
	return lacks
}

// osName is an operating system as Go names it.
func osName(name string) string {
	switch name = strings.ToLower(name); name {
	case "win32":
		return "windows"
	case "macos":
		return "darwin"
	}
	return name
}
