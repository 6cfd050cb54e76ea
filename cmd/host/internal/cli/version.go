package cli

import (
	goruntime "runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"example.com/toolsmith/assets"
)

// version says what this program is made of.
type version struct {
	Version string `json:"version"` // of the module, or (devel)
	Commit  string `json:"commit"`  // "unknown" when the build did not record it
	Go      string `json:"go"`
	Engine  string `json:"engine"` // SHA-256 of the sandbox engine
}

func readVersion() version {
	v := version{"(devel)", "unknown", goruntime.Version(), assets.QuickJSSHA256()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	changed := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			v.Commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " (changed since)"
		}
	}
	v.Commit += changed
	return v
}

func (f *face) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Say which version this is, and of what",
		Long:    "Prints the version, the commit, the Go release it was built with, and the SHA-256 of the sandbox engine inside.",
		Example: f.examples("host version", "host version --output json"),
		Args:    noArguments,
		Run:     func(*cobra.Command, []string) { f.printVersion() },
	}
}

func (f *face) printVersion() {
	v := readVersion()
	if f.format == asJSON {
		f.printJSON(v)
		return
	}
	f.printf("%s %s\ncommit %s\n%s\nengine sha256 %s\n", f.name, v.Version, v.Commit, v.Go, v.Engine)
}
