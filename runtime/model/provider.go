package model

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// The providers. Anything else that speaks OpenAI's protocol is OpenAI with another BaseURL.
const (
	OpenAI     = "openai"
	Anthropic  = "anthropic"
	Ollama     = "ollama"
	Groq       = "groq"
	OpenRouter = "openrouter"
)

// provider is what is known of one.
type provider struct {
	baseURL string
	model   string // when none is named
	keyEnv  string // "" means that it needs no key
	schema  bool   // its models take a schema of the reply
}

var providers = map[string]provider{
	OpenAI:     {"https://api.openai.com/v1", "gpt-4o-mini", "OPENAI_API_KEY", true},
	Anthropic:  {"https://api.anthropic.com", "claude-haiku-4-5-20251001", "ANTHROPIC_API_KEY", true},
	Ollama:     {"http://127.0.0.1:11434/v1", "llama3.2", "", true},
	Groq:       {"https://api.groq.com/openai/v1", "llama-3.3-70b-versatile", "GROQ_API_KEY", false},
	OpenRouter: {"https://openrouter.ai/api/v1", "openai/gpt-4o-mini", "OPENROUTER_API_KEY", true},
}

// Providers are the names of those that there are, sorted.
func Providers() []string { return slices.Sorted(maps.Keys(providers)) }

// Spec names a model. Only Provider has to be there.
type Spec struct {
	Provider string // one of the constants above
	Model    string // "" means a small one of the provider's
	// BaseURL stands in for the provider's own: with /v1 for OpenAI's protocol, without for Anthropic's.
	BaseURL string
	// APIKeyEnv names the environment variable that holds the key; "" is the provider's usual one. A server of one's own
	// (a BaseURL) is asked without a key when that is not set.
	APIKeyEnv string
}

// Options inject what a model takes from its surroundings; the zero value is the real thing.
type Options struct {
	Getenv    func(string) string
	Transport http.RoundTripper                          // nil: connections of our own, without the environment's proxies
	Sleep     func(context.Context, time.Duration) error // between retries; ends with the context
}

// Open makes the model that spec names. It connects to nothing yet. The error is InvalidRequest for a spec that is wrong, and
// Unavailable for a key that is missing.
func Open(spec Spec, opt Options) (Model, error) {
	p, ok := providers[spec.Provider]
	if !ok {
		e := tool.Errorf(tool.InvalidRequest, "there is no provider %q of models", clip(spec.Provider))
		e.Hint = "use one of " + strings.Join(Providers(), ", ") + "; for another server that speaks OpenAI's protocol, openai with its base URL"
		return nil, e
	}
	base, err := p.base(spec)
	if err != nil {
		return nil, err
	}
	who := source{provider: spec.Provider, model: spec.Model, host: base.Host, keyEnv: spec.APIKeyEnv}
	if who.model == "" {
		who.model = p.model
	}
	if who.keyEnv == "" {
		who.keyEnv = p.keyEnv
	}
	if who.key, err = readKey(who, spec.BaseURL != "", opt.Getenv); err != nil {
		return nil, err
	}
	x := newExchange(who, opt.Transport, opt.Sleep)
	if spec.Provider == Anthropic {
		return newAnthropic(x, base), nil
	}
	return newOpenAI(x, base, p), nil
}

// base is where a provider is asked.
func (p provider) base(spec Spec) (*url.URL, error) {
	text := spec.BaseURL
	if text == "" {
		text = p.baseURL
	}
	u, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" {
		return nil, tool.Errorf(tool.InvalidRequest, "the base URL of the provider %s is not an http or https address", spec.Provider)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		e := tool.Errorf(tool.InvalidRequest, "the base URL of the provider %s holds a user, a query or a fragment", spec.Provider)
		e.Hint = "put the key into an environment variable and name that as apiKeyEnv"
		return nil, e
	}
	return u, nil
}

// readKey takes the key from the environment.
func readKey(who source, own bool, getenv func(string) string) (string, error) {
	if who.keyEnv == "" {
		return "", nil
	}
	if getenv == nil {
		getenv = os.Getenv
	}
	key := strings.TrimSpace(getenv(who.keyEnv))
	if key == "" && !own {
		e := tool.Errorf(tool.Unavailable, "the key for the provider %s is missing", who.provider)
		e.Hint = "set the environment variable " + clip(who.keyEnv)
		return "", e
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", tool.Errorf(tool.InvalidRequest, "the environment variable %s does not hold a key: it has characters that no header takes", clip(who.keyEnv))
	}
	return key, nil
}
