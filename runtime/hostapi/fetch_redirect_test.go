package hostapi_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

// to is the path that redirects to an address.
func to(code int, address string) string {
	return fmt.Sprintf("/redirect?code=%d&to=%s", code, url.QueryEscape(address))
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.policy.Network = append(w.policy.Network, policy.Network{Host: "inside.test"})
	for name, c := range map[string]struct{ body, want string }{
		"followed":          {`const r = await fetch(api + '` + to(302, "/echo?a") + `'); return [r.status, r.redirected, r.url === api + '/echo?a']`, `[200,true,true]`},
		"five":              {`const r = await fetch(api + '/chain?n=5'); return [r.status, r.redirected]`, `[200,true]`},
		"six":               {`try { await fetch(api + '/chain?n=6') } catch (e) { return [e.code, e.message.includes('fetchMaxRedirects')] }`, `["limit",true]`},
		"to elsewhere":      {`return (await (await fetch(api + '` + to(307, w.at("other.test", "/echo")) + `')).json()).host`, `"other.test"`},
		"upgraded":          {`return (await (await fetch(api + '` + to(308, w.at("tls", "/echo")) + `')).json()).host`, `"example.com"`},
		"manual":            {`const r = await fetch(api + '` + to(302, "/echo") + `', { redirect: 'manual' }); return [r.status, r.headers.get('location'), r.redirected]`, `[302,"/echo",false]`},
		"error":             {`try { await fetch(api + '` + to(302, "/echo") + `', { redirect: 'error' }) } catch (e) { return [e instanceof TypeError, e.message] }`, `[true,"fetch failed: the server redirects, and the request says redirect: \"error\""]`},
		"no location":       {`return (await fetch(api + '/status?code=302')).status`, `302`},
		"other status":      {`return (await fetch(api + '` + to(305, "/echo") + `')).status`, `305`},
		"out of the policy": {`try { await fetch(api + '` + to(302, "http://elsewhere.test/") + `') } catch (e) { return e.code }`, `"denied"`},
		"to a scheme":       {`try { await fetch(api + '` + to(302, "file:///etc/passwd") + `') } catch (e) { return e.code }`, `"denied"`},
		"with a user":       {`try { await fetch(api + '` + to(302, "http://a:b@api.test/") + `') } catch (e) { return e.code }`, `"denied"`},
		"too long":          {`try { await fetch(api + '/far?n=20000') } catch (e) { return e.code }`, `"denied"`},
		"no name":           {`try { await fetch(api + '` + to(302, "http://inside.test/") + `') } catch (e) { return e instanceof TypeError }`, `true`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := w.run(t, c.body); err != nil || got != c.want {
				t.Errorf("got %s, %v, want %s", got, err, c.want)
			}
		})
	}
}

// TestRedirectedMethods is the table of the Fetch standard.
func TestRedirectedMethods(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code                 int
		method, want, length string
	}{
		{301, "POST", "GET", ""},
		{302, "POST", "GET", ""},
		{303, "POST", "GET", ""},
		{307, "POST", "POST", "body"},
		{308, "POST", "POST", "body"},
		{301, "PUT", "PUT", "body"},
		{302, "PATCH", "PATCH", "body"},
		{303, "PUT", "GET", ""},
		{303, "DELETE", "GET", ""},
		{307, "DELETE", "DELETE", "body"},
		{301, "HEAD", "HEAD", ""},
		{303, "HEAD", "HEAD", ""},
		{303, "GET", "GET", ""},
	} {
		w := newWorld(t)
		body := `, body: 'body', headers: { 'Content-Type': 'text/x', 'Content-Language': 'en' }`
		if c.method == "GET" || c.method == "HEAD" {
			body = ""
		}
		if _, err := w.run(t, fmt.Sprintf(`await fetch(api + '%s', { method: '%s'%s })`, to(c.code, "/echo"), c.method, body)); err != nil {
			t.Errorf("%d %s: %v", c.code, c.method, err)
			continue
		}
		last := w.requests()[1]
		sent, _ := io.ReadAll(last.Body)
		if last.Method != c.want || string(sent) != c.length || (c.length != "") != (last.Header.Get("Content-Type") == "text/x") {
			t.Errorf("%d %s: got %s %q %v", c.code, c.method, last.Method, sent, last.Header)
		}
	}
}

// TestRedirectsAskThePolicy: the rule of the new host decides about the method.
func TestRedirectsAskThePolicy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.policy.Network[1].Methods = []string{"GET"} // other.test
	for code, want := range map[int]tool.Code{307: tool.Denied, 308: tool.Denied, 302: "", 303: ""} {
		_, err := w.run(t, `await fetch(api + '`+to(code, w.at("other.test", "/echo"))+`', { method: 'POST', body: 'x' })`)
		if want == "" && err != nil || want != "" && !errors.Is(err, want) {
			t.Errorf("%d: %v", code, err)
		}
	}
}

// TestRedirectsDropCredentials: to another origin go only headers that carry none; what was dropped stays dropped.
func TestRedirectsDropCredentials(t *testing.T) {
	t.Parallel()
	const headers = `{ headers: { Authorization: 'Bearer CANARY', Cookie: 'a=CANARY', 'X-Api-Key': 'CANARY', Referer: 'CANARY', Accept: 'text/x', 'User-Agent': 'me' } }`
	for name, c := range map[string]struct {
		path func(w *world) string
		keep bool
	}{
		"same origin":  {func(*world) string { return to(302, "/echo") }, true},
		"another host": {func(w *world) string { return to(302, w.at("other.test", "/echo")) }, false},
		"another port": {func(w *world) string { return to(302, "http://api.test:"+fmt.Sprint(portOf(w.secure))+"/echo") }, false},
		"there and back": {func(w *world) string {
			return to(302, w.at("other.test", to(302, w.at("api.test", "/echo"))))
		}, false},
		"back by another way": {func(w *world) string {
			return to(302, w.at("other.test", to(302, w.at("api.test", to(302, "/echo")))))
		}, false},
	} {
		w := newWorld(t)
		if name == "another port" { // a second server for plain HTTP
			second := httptest.NewServer(w)
			t.Cleanup(second.Close)
			w.secure, w.policy.Network[0].Ports = second, append(w.policy.Network[0].Ports, portOf(second))
		}
		if _, err := w.run(t, `await fetch(api + '`+c.path(w)+`', `+headers+`)`); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all := w.requests()
		last := all[len(all)-1]
		if last.URL.Path != "/echo" || strings.Contains(fmt.Sprint(last.Header), "CANARY") != c.keep {
			t.Errorf("%s: the server got %s %v", name, last.URL, last.Header)
		}
		if last.Header.Get("Accept") != "text/x" || last.Header.Get("User-Agent") != "me" {
			t.Errorf("%s: the server got no %v", name, last.Header)
		}
	}
}

// TestDowngrade: from https to http only where the rule names the port.
func TestDowngrade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plain := startServer(t, serverSpec{Behaviour: "ok", Body: "x"})
	d := &dialled{routes: map[string]*server{"127.0.0.1:80": plain}}
	w.options.Dial = d.dial
	d.routes[strings.TrimPrefix(w.secure.URL, "https://")] = &server{listener: w.secure.Listener}
	w.policy.Network = []policy.Network{
		{Host: "example.com", Private: true, CIDR: loopback, Ports: []int{portOf(w.secure)}},
		{Host: "plain.test", Private: true, CIDR: loopback},
	}
	w.options.Resolver = &names{sets: map[string][][]string{"example.com": {{"127.0.0.1"}}, "plain.test": {{"127.0.0.1"}}}}
	body := `return (await fetch(tls + '` + to(302, "http://plain.test/") + `')).status`
	if _, err := w.run(t, body); !errors.Is(err, tool.Denied) || !strings.Contains(err.Error(), "https to http") {
		t.Errorf("got %v", err)
	}
	if len(plain.requests()) > 0 {
		t.Error("the plain server was asked")
	}
	w.policy.Network[1].Ports = []int{80}
	if got, err := w.run(t, body); err != nil || got != "200" {
		t.Errorf("with the port named: %s, %v", got, err)
	}
}

// TestEachHopIsResolved: a name that was public for the first hop is judged anew for the next.
func TestEachHopIsResolved(t *testing.T) {
	t.Parallel()
	s := startServer(t, serverSpec{Behaviour: "redirect", Status: http.StatusFound, To: "/again"})
	d := &dialled{routes: map[string]*server{"5.6.7.8:80": s, "127.0.0.1:80": s}}
	h := hostapi.New(hostapi.Options{Dial: d.dial, Resolver: &names{sets: map[string][][]string{"a.test": {{"5.6.7.8"}, {"127.0.0.1"}}}}})
	_, err := runTool(t, h, &policy.Policy{Network: []policy.Network{{Host: "a.test"}}}, `async function execute() { await fetch('http://a.test/') }`, `{}`)
	if !errors.Is(err, tool.Denied) || !slices.Equal(d.addresses(), []string{"5.6.7.8:80"}) {
		t.Errorf("connected to %v, %v", d.addresses(), err)
	}
}

// TestAddressesInTurn: an address that refuses is followed by the next; all of them were judged before.
func TestAddressesInTurn(t *testing.T) {
	t.Parallel()
	s := startServer(t, serverSpec{Behaviour: "ok", Body: "x"})
	gone, hole := startServer(t, serverSpec{Behaviour: "refuse"}), startServer(t, serverSpec{Behaviour: "blackhole"})
	d := &dialled{routes: map[string]*server{"5.6.7.1:80": gone, "5.6.7.2:80": hole, "5.6.7.3:80": s}}
	h := hostapi.New(hostapi.Options{Dial: d.dial, Resolver: &names{sets: map[string][][]string{"a.test": {{"5.6.7.1", "5.6.7.2", "5.6.7.3"}}}}})
	p := &policy.Policy{Network: []policy.Network{{Host: "a.test"}}}
	r, err := runTool(t, h, p, `async function execute() { return (await fetch('http://a.test/')).status }`, `{}`)
	if err != nil || string(r.Output) != "200" || len(d.addresses()) != 3 {
		t.Errorf("%s, %v, connected to %v", r.Output, err, d.addresses())
	}
	for _, address := range d.addresses() {
		if netip.MustParseAddrPort(address).Port() != 80 {
			t.Errorf("connected to %s", address)
		}
	}
}
