package cli

import (
	goruntime "runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"example.com/toolsmith/assets"
	"example.com/toolsmith/cmd/host/internal/remote"
)

// version says what this program is made of.
type version struct {
	Version string `json:"version"` // of the module, or (devel)
	Commit  string `json:"commit"`  // "unknown" when the build did not record it
	Go      string `json:"go"`
	Engine  string `json:"engine"`           // SHA-256 of the sandbox engine
	Server  string `json:"server,omitempty"` // the version of the host elsewhere that was asked
}

func readVersion() version {
	v := version{"(devel)", "unknown", goruntime.Version(), assets.QuickJSSHA256(), ""}
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

func (f *face) versionCommand(place *dataFlags) *cobra.Command {
	return canBeElsewhere(&cobra.Command{
		Use:   "version",
		Short: "Say which version this is, and of what",
		Long: "Prints the version, the commit, the Go release it was built with, and the SHA-256 of the sandbox engine inside; with --server also the\n" +
			"version of the host there.",
		Example: f.examples("host version", "host version --output json"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := readVersion()
			if place.server == "" {
				f.printVersion(v)
				return nil
			}
			return f.failed(f.atClient(cmd.Context(), *place, "", func(c *remote.Client) (err error) {
				if v.Server, err = c.Version(cmd.Context()); err == nil {
					f.printVersion(v)
				}
				return err
			}))
		},
	})
}

func (f *face) printVersion(v version) {
	if f.format == asJSON {
		f.printJSON(v)
		return
	}
	f.printf("%s %s\ncommit %s\n%s\nengine sha256 %s\n", f.name, v.Version, v.Commit, v.Go, v.Engine)
	if v.Server != "" {
		f.printf("server %s\n", escape(v.Server))
	}
}
