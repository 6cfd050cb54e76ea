package model_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

func TestFromEnv(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  map[string]string
		want model.Spec
		code tool.Code
	}{
		"nothing":           {nil, model.Spec{}, tool.Unavailable},
		"openai":            {map[string]string{"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}, model.Spec{Provider: model.OpenAI}, ""},
		"another server":    {map[string]string{"OPENAI_BASE_URL": "http://a/v1"}, model.Spec{Provider: model.OpenAI, BaseURL: "http://a/v1"}, ""},
		"anthropic":         {map[string]string{"ANTHROPIC_API_KEY": "k", "OLLAMA_HOST": "a"}, model.Spec{Provider: model.Anthropic}, ""},
		"anthropic's proxy": {map[string]string{"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "https://a"}, model.Spec{Provider: model.Anthropic, BaseURL: "https://a"}, ""},
		"ollama":            {map[string]string{"OLLAMA_HOST": "a"}, model.Spec{Provider: model.Ollama, BaseURL: "http://a:11434/v1"}, ""},
		"ollama, port":      {map[string]string{"OLLAMA_HOST": "a:80"}, model.Spec{Provider: model.Ollama, BaseURL: "http://a:80/v1"}, ""},
		"ollama, only port": {map[string]string{"OLLAMA_HOST": ":80"}, model.Spec{Provider: model.Ollama, BaseURL: "http://127.0.0.1:80/v1"}, ""},
		"ollama, anywhere":  {map[string]string{"OLLAMA_HOST": "0.0.0.0"}, model.Spec{Provider: model.Ollama, BaseURL: "http://127.0.0.1:11434/v1"}, ""},
		"ollama, IPv6":      {map[string]string{"OLLAMA_HOST": "[::1]:5"}, model.Spec{Provider: model.Ollama, BaseURL: "http://[::1]:5/v1"}, ""},
		"ollama, https":     {map[string]string{"OLLAMA_HOST": "https://a/x/"}, model.Spec{Provider: model.Ollama, BaseURL: "https://a:443/x/v1"}, ""},
		"ollama, http":      {map[string]string{"OLLAMA_HOST": "http://a"}, model.Spec{Provider: model.Ollama, BaseURL: "http://a:80/v1"}, ""},
		"ollama, nonsense":  {map[string]string{"OLLAMA_HOST": "http://%"}, model.Spec{Provider: model.Ollama}, tool.InvalidRequest},
	} {
		got, err := model.FromEnv(func(name string) string { return c.env[name] })
		if diff := cmp.Diff(c.want, got); diff != "" || code(err) != c.code {
			t.Errorf("%s: error %v, want %q (-want +got):\n%s", name, err, c.code, diff)
		}
	}
}

func TestNotConfiguredSaysHow(t *testing.T) {
	t.Parallel()
	_, err := model.FromEnv(func(string) string { return "" })
	for _, word := range []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OLLAMA_HOST", "models", "--approve-as"} {
		if hint := tool.AsError(err).Hint; !strings.Contains(hint, word) {
			t.Errorf("hint %q does not name %s", hint, word)
		}
	}
}

// code is that of an error, "" for none.
func code(err error) tool.Code {
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e.Code
	}
	if err != nil {
		return "untyped"
	}
	return ""
}

func TestOpen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec model.Spec
		key  string
		want tool.Code
	}{
		"openai":            {model.Spec{Provider: model.OpenAI}, "k", ""},
		"groq":              {model.Spec{Provider: model.Groq}, "k", ""},
		"openrouter":        {model.Spec{Provider: model.OpenRouter}, "k", ""},
		"ollama":            {model.Spec{Provider: model.Ollama}, "", ""},
		"own server":        {model.Spec{Provider: model.OpenAI, BaseURL: "http://127.0.0.1:1/v1"}, "", ""},
		"no provider":       {model.Spec{}, "k", tool.InvalidRequest},
		"another provider":  {model.Spec{Provider: "skynet"}, "k", tool.InvalidRequest},
		"no key":            {model.Spec{Provider: model.Anthropic}, " ", tool.Unavailable},
		"key of two lines":  {model.Spec{Provider: model.Anthropic}, "a\nb", tool.InvalidRequest},
		"file":              {model.Spec{Provider: model.OpenAI, BaseURL: "file:///etc/passwd"}, "k", tool.InvalidRequest},
		"no host":           {model.Spec{Provider: model.OpenAI, BaseURL: "https:///v1"}, "k", tool.InvalidRequest},
		"no URL":            {model.Spec{Provider: model.OpenAI, BaseURL: "https://%"}, "k", tool.InvalidRequest},
		"password in URL":   {model.Spec{Provider: model.OpenAI, BaseURL: "https://me:secret@a/v1"}, "k", tool.InvalidRequest},
		"key in the query":  {model.Spec{Provider: model.OpenAI, BaseURL: "https://a/v1?key=secret"}, "k", tool.InvalidRequest},
		"fragment":          {model.Spec{Provider: model.OpenAI, BaseURL: "https://a/v1#secret"}, "k", tool.InvalidRequest},
		"key by other name": {model.Spec{Provider: model.OpenAI, APIKeyEnv: "NONE"}, "", tool.Unavailable},
	} {
		_, err := model.Open(c.spec, model.Options{Getenv: func(string) string { return c.key }})
		if code(err) != c.want || err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
