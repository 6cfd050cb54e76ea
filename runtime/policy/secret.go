package policy

import (
	"fmt"
	"path/filepath"
	"regexp"
)

// Secret is a value that a tool may send in a request's headers without ever seeing it: the tool writes "secret:NAME".
type Secret struct {
	Name string `json:"name"`
	From Origin `json:"from"`
	// Hosts are those that the secret may go to, in the form of Network.Host; "*" is not among them.
	Hosts []string `json:"hosts"`
}

// Origin is where a secret's value comes from: exactly one of its fields is set.
type Origin struct {
	Env  string `json:"env"`  // name of an environment variable
	File string `json:"file"` // absolute path; line ends around the value do not count
}

var secretName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// Validate brings the secret into its normal form and says what is wrong with it.
func (s *Secret) Validate() error {
	switch {
	case !secretName.MatchString(s.Name):
		return wrong("name", fmt.Sprintf("%.80q is not a name: a letter, then at most 63 letters, digits or underscores", s.Name))
	case (s.From.Env == "") == (s.From.File == ""):
		return wrong("from", "a secret comes from one place: {env: NAME} or {file: PATH}")
	case s.From.File != "" && !filepath.IsAbs(s.From.File):
		return wrong("from/file", "the path of a secret's file is absolute")
	case len(s.Hosts) == 0:
		return missing("hosts", "name the hosts that the secret may go to")
	}
	for i, pattern := range s.Hosts {
		at := fmt.Sprintf("hosts/%d", i)
		if pattern == anyHost {
			return wrong(at, "a secret names its hosts: it must not go everywhere")
		}
		host, err := normalizePattern(pattern)
		if err != nil {
			return wrong(at, err.Error())
		}
		s.Hosts[i] = host
	}
	return nil
}

// GoesTo reports whether the secret may be sent to a host, which is in the form of NormalizeHost.
func (s Secret) GoesTo(host string) bool {
	for _, pattern := range s.Hosts {
		if matches(pattern, host) {
			return true
		}
	}
	return false
}
