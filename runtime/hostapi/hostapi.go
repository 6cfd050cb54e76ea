package hostapi

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// capability is one API that a tool can be given.
type capability interface {
	// api is the name that allowlists use, and the glue.
	api() wasmjs.API
	// funcs are the host functions of one call, by operation. What they hold is freed by what they hand to Session.atClose.
	funcs(*Session) map[string]wasmjs.Func
}

// capabilities are all there are, in the order in which they are bound.
var capabilities = []capability{fetchAPI{}, fsAPI{}, cryptoAPI{}}

// Names are the APIs that an allowlist can name, in the order in which they are bound.
func Names() []string {
	names := make([]string, len(capabilities))
	for i, c := range capabilities {
		names[i] = c.api().Name
	}
	return names
}

// APIs returns what to bind for an allowlist, each once and always in the same order, so that equal allowlists share an
// image. An unknown name is a *tool.Error of code InvalidRequest.
func APIs(allow []string) ([]wasmjs.API, error) {
	for _, name := range allow {
		if !slices.Contains(Names(), name) {
			return nil, &tool.Error{
				Code: tool.InvalidRequest, Message: "there is no API called " + quoted(name),
				Hint: "the APIs are " + strings.Join(Names(), ", "),
			}
		}
	}
	var apis []wasmjs.API
	for _, c := range capabilities {
		if api := c.api(); slices.Contains(allow, api.Name) {
			apis = append(apis, api)
		}
	}
	return apis, nil
}

// Resolver looks up the addresses of a host name. *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Options are what a Host reaches the world through. The zero value is the real world.
type Options struct {
	// Resolver is asked for names as they are; nil: the machine's, without its search domains.
	Resolver Resolver
	// Dial connects to an address and port that have been checked; it looks nothing up.
	Dial    func(ctx context.Context, network, address string) (net.Conn, error)
	RootCAs *x509.CertPool           // whose certificates servers may show; nil: the machine's
	Getenv  func(name string) string // of secrets
	Random  io.Reader                // of calls without a seed; never fails; safe for concurrent use
	Now     func() time.Time
}

// Host is the outside of the powers, shared by all calls.
type Host struct {
	options Options
	reading chan struct{} // holds one element for each file that is open
}

// maxReading is how many files all calls together have open at once; further reads wait.
const maxReading = 64

// New makes a Host. It holds nothing that must be closed.
func New(opt Options) *Host {
	if opt.Resolver == nil {
		opt.Resolver = systemResolver{}
	}
	if opt.Dial == nil {
		opt.Dial = (&net.Dialer{}).DialContext
	}
	if opt.Getenv == nil {
		opt.Getenv = os.Getenv
	}
	if opt.Random == nil {
		opt.Random = rand.Reader
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	return &Host{options: opt, reading: make(chan struct{}, maxReading)}
}

// Begin opens the session of one call under a policy, which must not change while the session lasts; nil grants nothing.
// With a seed other than zero the randomness that the call gets is repeatable, and its uses say so. The caller closes the
// session.
func (h *Host) Begin(p *policy.Policy, seed uint64) *Session {
	if p == nil {
		p = &policy.Policy{}
	}
	return &Session{host: h, policy: p, seed: seed}
}

// clip cuts a text that a tool wrote to a readable length.
func clip(text string) string {
	const most = 200
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// quoted is clip in quotes, with escapes for what cannot be shown.
func quoted(text string) string { return strconv.Quote(clip(text)) }
