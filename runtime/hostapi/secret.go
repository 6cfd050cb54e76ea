package hostapi

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

// placeholder is how a tool writes a secret in the value of a header.
var placeholder = regexp.MustCompile(`secret:([A-Za-z_][A-Za-z0-9_]{0,63})`)

// Bounds of a secret's value. A shorter one could not be told from other text in an answer.
const (
	minSecret = 8
	maxSecret = 8 << 10
)

// vault holds the secrets of a call. It fills them into what goes out, and takes them out of what comes back. It is safe
// for concurrent use.
//
// Taken out is the value as it is. A server that was sent a secret and means to tell it can do so in another form,
// such as base64; that a secret goes to hosts that its policy names alone is what protects it.
type vault struct {
	secrets []policy.Secret
	getenv  func(string) string
	load    func() map[string]string // the values of the secrets that have one, by name; read once
}

func newVault(secrets []policy.Secret, getenv func(string) string) *vault {
	v := &vault{secrets: secrets, getenv: getenv}
	v.load = sync.OnceValue(v.read)
	return v
}

func (v *vault) read() map[string]string {
	values := map[string]string{}
	for _, s := range v.secrets {
		value := v.value(s.From)
		if len(value) >= minSecret && len(value) <= maxSecret && !strings.ContainsFunc(value, isControl) {
			values[s.Name] = value
		}
	}
	return values
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// value reads a secret, or returns "" when that is not possible.
func (v *vault) value(from policy.Origin) string {
	if from.File == "" {
		return v.getenv(from.Env)
	}
	if info, err := os.Stat(from.File); err != nil || !info.Mode().IsRegular() {
		return "" // a pipe would not let go
	}
	file, err := os.Open(from.File)
	if err != nil {
		return ""
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSecret+2))
	if err != nil {
		return ""
	}
	return strings.Trim(string(text), "\r\n")
}

// fill returns the header with secrets in place of their placeholders, for a request to host. Private says that nobody
// outside can read it on its way: it is encrypted, or stays in the operator's network.
func (v *vault) fill(header http.Header, host string, private bool) (http.Header, error) {
	filled := header.Clone()
	for _, values := range filled {
		for i, value := range values {
			for _, name := range placeholder.FindAllStringSubmatch(value, -1) {
				if err := v.mayGo(name[1], host, private); err != nil {
					return nil, err
				}
			}
			values[i] = placeholder.ReplaceAllStringFunc(value, func(p string) string {
				return v.load()[strings.TrimPrefix(p, "secret:")]
			})
		}
	}
	return filled, nil
}

func (v *vault) mayGo(name, host string, private bool) error {
	at := slices.IndexFunc(v.secrets, func(s policy.Secret) bool { return s.Name == name })
	switch {
	case at < 0:
		return tool.Errorf(tool.Denied, "the policy names no secret %s", name)
	case !v.secrets[at].GoesTo(host):
		return tool.Errorf(tool.Denied, "the secret %s may not go to %s: the policy's rule for it does not name that host", name, host)
	case !private:
		return tool.Errorf(tool.Denied, "the secret %s is sent over https only", name)
	case v.load()[name] == "":
		return tool.Errorf(tool.Unavailable, "the secret %s has no value that can be sent: it needs %d to %d bytes on one line", name, minSecret, maxSecret)
	}
	return nil
}

// blank returns text with the placeholders in place of the secrets.
func (v *vault) blank(text []byte) []byte {
	if len(v.secrets) == 0 {
		return text
	}
	values := v.load()
	longestFirst := slices.SortedFunc(slices.Values(v.secrets), func(a, b policy.Secret) int {
		return cmp.Compare(len(values[b.Name]), len(values[a.Name]))
	})
	for _, s := range longestFirst {
		if value := []byte(values[s.Name]); len(value) > 0 && bytes.Contains(text, value) {
			text = bytes.ReplaceAll(text, value, []byte("secret:"+s.Name))
		}
	}
	return text
}

func (v *vault) blankText(text string) string { return string(v.blank([]byte(text))) }
