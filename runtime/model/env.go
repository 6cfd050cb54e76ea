package model

import (
	"net"
	"net/url"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// FromEnv returns the model that the environment names: OPENAI_API_KEY or OPENAI_BASE_URL, else ANTHROPIC_API_KEY (with
// ANTHROPIC_BASE_URL), else OLLAMA_HOST. It names no Model: that is the caller's choice, or Open's. With none of them the
// error is Unavailable and says what to do.
func FromEnv(getenv func(string) string) (Spec, error) {
	provider := ""
	switch {
	case getenv("OPENAI_API_KEY") != "", getenv("OPENAI_BASE_URL") != "":
		provider = OpenAI
	case getenv("ANTHROPIC_API_KEY") != "":
		provider = Anthropic
	case getenv("OLLAMA_HOST") != "":
		provider = Ollama
	default:
		return Spec{}, notConfigured()
	}
	base, err := BaseURLFromEnv(provider, getenv)
	return Spec{Provider: provider, BaseURL: base}, err
}

// BaseURLFromEnv is where the environment says that a provider is asked; "" is the provider's own address. The error is
// InvalidRequest.
func BaseURLFromEnv(provider string, getenv func(string) string) (string, error) {
	switch provider {
	case OpenAI:
		return getenv("OPENAI_BASE_URL"), nil
	case Anthropic:
		return getenv("ANTHROPIC_BASE_URL"), nil
	case Ollama:
		if host := getenv("OLLAMA_HOST"); host != "" {
			return ollamaURL(host)
		}
	}
	return "", nil
}

func notConfigured() error {
	e := tool.Errorf(tool.Unavailable, "no model is configured")
	e.Hint = "set OPENAI_API_KEY (and OPENAI_BASE_URL for another server that speaks its protocol), ANTHROPIC_API_KEY or OLLAMA_HOST, " +
		"or name a provider under models in the configuration file; or let a human decide: --approve-as NAME"
	return e
}

// ollamaURL reads OLLAMA_HOST as Ollama does: scheme, host and port may each be left out. An address to listen on at all
// interfaces is asked on this machine.
func ollamaURL(text string) (string, error) {
	port := "11434"
	scheme, rest, given := strings.Cut(strings.TrimSpace(text), "://")
	switch {
	case !given:
		scheme, rest = "http", scheme
	case scheme == "http":
		port = "80"
	case scheme == "https":
		port = "443"
	}
	u, err := url.Parse(scheme + "://" + strings.TrimRight(rest, "/"))
	if err != nil {
		return "", tool.Errorf(tool.InvalidRequest, "OLLAMA_HOST is not an address; write it as in 127.0.0.1:11434")
	}
	host := u.Hostname()
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	if u.Port() != "" {
		port = u.Port()
	}
	u.Host = net.JoinHostPort(host, port)
	return u.JoinPath("v1").String(), nil
}
