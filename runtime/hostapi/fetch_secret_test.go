package hostapi_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

const secretValue = "s3cr3t/V4lu3+"

// withSecrets is a world whose policy names secrets: RATES_KEY may go to api.test and example.com, and the others tell by
// their names what is wrong with them.
func withSecrets(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("from-a-file-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hosts := []string{"api.test", "example.com"}
	w.policy.Secrets = []policy.Secret{
		{Name: "RATES_KEY", From: policy.Origin{Env: "HOST_RATES_KEY"}, Hosts: hosts},
		{Name: "LONGER", From: policy.Origin{Env: "LONGER"}, Hosts: hosts},
		{Name: "FILE_KEY", From: policy.Origin{File: file}, Hosts: hosts},
		{Name: "ELSEWHERE", From: policy.Origin{Env: "ELSEWHERE"}, Hosts: []string{"*.elsewhere.test"}},
		{Name: "UNSET", From: policy.Origin{Env: "UNSET"}, Hosts: hosts},
		{Name: "SHORT", From: policy.Origin{Env: "SHORT"}, Hosts: hosts},
		{Name: "LINES", From: policy.Origin{Env: "LINES"}, Hosts: hosts},
		{Name: "NO_FILE", From: policy.Origin{File: file + "-none"}, Hosts: hosts},
		{Name: "FOLDER", From: policy.Origin{File: filepath.Dir(file)}, Hosts: hosts},
	}
	w.options.Getenv = func(name string) string {
		return map[string]string{
			"HOST_RATES_KEY": secretValue, "LONGER": secretValue + "-longer", "ELSEWHERE": "value-for-elsewhere", "SHORT": "short", "LINES": "line one\nline two",
			"RATES_KEY": "the wrong variable",
		}[name]
	}
	return w
}

func TestSecretsGoOut(t *testing.T) {
	t.Parallel()
	w := withSecrets(t)
	for value, want := range map[string]string{
		"secret:RATES_KEY":                      secretValue,
		"Bearer secret:RATES_KEY":               "Bearer " + secretValue,
		"a=secret:RATES_KEY; b=secret:FILE_KEY": "a=" + secretValue + "; b=from-a-file-1",
		"secret:LONGER":                         secretValue + "-longer",
		"SECRET:RATES_KEY":                      "SECRET:RATES_KEY",
	} {
		if _, err := w.run(t, `await fetch(api + '/text', { headers: { 'X-Key': '`+value+`' } })`); err != nil {
			t.Errorf("%s: %v", value, err)
			continue
		}
		all := w.requests()
		if got := all[len(all)-1].Header.Get("X-Key"); got != want {
			t.Errorf("%s: sent %s, want %s", value, got, want)
		}
	}
	if _, err := w.run(t, `await fetch(tls + '/text', { headers: { 'X-Key': 'secret:RATES_KEY' } })`); err != nil {
		t.Errorf("over https: %v", err)
	}
}

// TestSecretsInHeadersOnly: nowhere else is a placeholder anything but text.
func TestSecretsInHeadersOnly(t *testing.T) {
	t.Parallel()
	w := withSecrets(t)
	got, err := w.run(t, `return await (await fetch(api + '/echo?key=secret:RATES_KEY', { method: 'POST', body: 'secret:RATES_KEY', headers: { 'X-Other': 'x' } })).json()`)
	if err != nil || !strings.Contains(got, `"body":"secret:RATES_KEY"`) || !strings.Contains(got, `key=secret:RATES_KEY`) {
		t.Errorf("%s, %v", got, err)
	}
	for _, r := range w.requests() {
		if strings.Contains(r.URL.String(), secretValue) {
			t.Errorf("sent in the address: %s", r.URL)
		}
	}
}

func TestSecretsRefused(t *testing.T) {
	t.Parallel()
	w := withSecrets(t)
	w.policy.Network = append(w.policy.Network, policy.Network{Host: "public.test"})
	for name, c := range map[string]struct {
		body string
		code tool.Code
		want string
	}{
		"another host": {`fetch(other, { headers: { a: 'secret:RATES_KEY' } })`, tool.Denied, "may not go to other.test"},
		"its hosts":    {`fetch(api, { headers: { a: 'secret:ELSEWHERE' } })`, tool.Denied, "may not go to api.test"},
		"unknown":      {`fetch(api, { headers: { a: 'secret:NOTHING' } })`, tool.Denied, "names no secret NOTHING"},
		"unset":        {`fetch(api, { headers: { a: 'secret:UNSET' } })`, tool.GuestError, "UNSET has no value"},
		"short":        {`fetch(api, { headers: { a: 'secret:SHORT' } })`, tool.GuestError, "SHORT has no value"},
		"lines":        {`fetch(api, { headers: { a: 'secret:LINES' } })`, tool.GuestError, "LINES has no value"},
		"no file":      {`fetch(api, { headers: { a: 'secret:NO_FILE' } })`, tool.GuestError, "NO_FILE has no value"},
		"a folder":     {`fetch(api, { headers: { a: 'secret:FOLDER' } })`, tool.GuestError, "FOLDER has no value"},
		"one of two":   {`fetch(api, { headers: { a: 'secret:RATES_KEY secret:ELSEWHERE' } })`, tool.Denied, "may not go to api.test"},
	} {
		_, err := w.run(t, `await `+c.body)
		if !errors.Is(err, c.code) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), secretValue) {
			t.Errorf("%s: the error tells the secret: %v", name, err)
		}
	}
	w.policy.Secrets[0].Hosts = append(w.policy.Secrets[0].Hosts, "public.test")
	if _, err := w.run(t, `await fetch('http://public.test/', { headers: { a: 'secret:RATES_KEY' } })`); !errors.Is(err, tool.Denied) || !strings.Contains(err.Error(), "https only") {
		t.Errorf("in the clear: %v", err)
	}
	if n := len(w.requests()); n != 0 {
		t.Errorf("%d requests went out", n)
	}
}

// TestSecretsAndRedirects: a secret does not follow to another origin, even one that it may go to; within one it does.
func TestSecretsAndRedirects(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path func(w *world) string
		want string
	}{
		"same origin":          {func(*world) string { return to(302, "/echo") }, secretValue},
		"another host":         {func(w *world) string { return to(307, w.at("other.test", "/echo")) }, ""},
		"another of its hosts": {func(w *world) string { return to(302, w.at("tls", "/echo")) }, ""},
		"there and back":       {func(w *world) string { return to(302, w.at("other.test", to(302, w.at("api.test", "/echo")))) }, ""},
	} {
		w := withSecrets(t)
		if _, err := w.run(t, `await fetch(api + '`+c.path(w)+`', { headers: { 'X-Key': 'secret:RATES_KEY', Accept: 'secret:RATES_KEY' } })`); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all := w.requests()
		last := all[len(all)-1]
		if last.Header.Get("X-Key") != c.want || last.Header.Get("Accept") != c.want {
			t.Errorf("%s: the server got %v", name, last.Header)
		}
	}
}

// TestSecretsDoNotComeBack: a server that repeats a secret in an answer tells the tool no more than it knew.
func TestSecretsDoNotComeBack(t *testing.T) {
	t.Parallel()
	w := withSecrets(t)
	escaped := url.QueryEscape(secretValue)
	for name, c := range map[string]struct{ body, want string }{
		"body":             {`return (await (await fetch(api + '/echo', { headers: { 'X-Key': 'Bearer secret:RATES_KEY' } })).json()).header['X-Key'][0]`, `"Bearer secret:RATES_KEY"`},
		"body, zipped":     {`return await (await fetch(api + '/raw?encoding=gzip&as=gzip&text=` + escaped + `')).text()`, `"secret:RATES_KEY"`},
		"the longer first": {`return await (await fetch(api + '/text?text=` + escaped + `-longer')).text()`, `"secret:LONGER"`},
		"header":           {`return (await fetch(api + '/redirect?code=200&to=/` + escaped + `')).headers.get('location')`, `"/secret:RATES_KEY"`},
		"manual redirect":  {`return (await fetch(api + '/redirect?code=302&to=/` + escaped + `', { redirect: 'manual' })).headers.get('location')`, `"/secret:RATES_KEY"`},
		"address":          {`return (await fetch(api + '/redirect?code=302&to=/text/` + escaped + `')).url.split('/').pop()`, `"secret:RATES_KEY"`},
		"error":            {`try { await fetch(api + '/redirect?code=302&to=ftp://` + escaped + `/') } catch (e) { return e.message.includes('secret:RATES_KEY') }`, `true`},
		"hint":             {`try { await fetch(api + '/redirect?code=302&to=http://value-for-elsewhere.test/') } catch (e) { return [e.message, e.hint].map((s) => s.includes('secret:ELSEWHERE.test')) }`, `[true,true]`},
		"of another call":  {`return await (await fetch(other + '/text?text=` + escaped + `')).text()`, `"secret:RATES_KEY"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, uses, err := w.call(t, c.body, wasmjs.CallOptions{})
			if err != nil || string(result.Output) != c.want {
				t.Errorf("got %s, %v, want %s", result.Output, err, c.want)
			}
			all, _ := json.Marshal(struct{ Result, Uses any }{result, uses})
			if strings.Contains(string(all), secretValue) {
				t.Errorf("the secret shows in %s", all)
			}
		})
	}
}
