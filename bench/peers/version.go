package peers

import "runtime/debug"

// moduleVersion returns the version of a Go module that this binary was built with, "" when it was not.
func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, module := range info.Deps {
		if module.Path == path {
			return module.Version
		}
	}
	return ""
}
