package hostapi_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

// TestFetchShape holds what a tool sees to the Fetch standard.
func TestFetchShape(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, c := range map[string]struct{ body, want string }{
		"response": {
			`const r = await fetch(api + '/text?text=hi'); return [r.status, r.statusText, r.ok, r.redirected, r.url === api + '/text?text=hi', r.type, r.bodyUsed, await r.text(), r.bodyUsed]`,
			`[200,"OK",true,false,true,"basic",false,"hi",true]`,
		},
		"json":           {`return (await (await fetch(api + '/echo')).json()).method`, `"GET"`},
		"json, broken":   {`try { await (await fetch(api + '/text?text=x')).json() } catch (e) { return e.name }`, `"SyntaxError"`},
		"bytes":          {`return [...await (await fetch(api + '/bytes')).bytes()]`, `[239,187,191,97,255,0]`},
		"array buffer":   {`const b = await (await fetch(api + '/bytes')).arrayBuffer(); return [b instanceof ArrayBuffer, b.byteLength]`, `[true,6]`},
		"text":           {`return await (await fetch(api + '/bytes')).text()`, `"a�\u0000"`},
		"empty":          {`const r = await fetch(api + '/status?code=204'); return [r.status, await r.text(), r.bodyUsed]`, `[204,"",false]`},
		"empty bytes":    {`return (await (await fetch(api + '/text?text=')).bytes()).length`, `0`},
		"not found":      {`const r = await fetch(api + '/nothing'); return [r.status, r.statusText, r.ok]`, `[404,"Not Found",false]`},
		"head":           {`const r = await fetch(api + '/text?text=hi', { method: 'HEAD' }); return [r.headers.get('content-length'), await r.text()]`, `["2",""]`},
		"read twice":     {`const r = await fetch(api + '/text?text=x'); await r.text(); try { await r.json() } catch (e) { return [e instanceof TypeError, e.message] }`, `[true,"the body was already read"]`},
		"clone":          {`const r = await fetch(api + '/text?text=x'), c = r.clone(); return [await r.text(), await c.text(), c.url === r.url, c.status]`, `["x","x",true,200]`},
		"clone too late": {`const r = await fetch(api + '/text?text=x'); await r.text(); try { r.clone() } catch (e) { return e.name }`, `"TypeError"`},
		"headers": {
			`const h = (await fetch(api + '/headers')).headers; return [h.get('X-TWICE'), h.has('x-twice'), h.has('x-none'), h.get('x-none'), h.get('set-cookie'), h.getSetCookie(), h.get('x-latin')]`,
			`["a, b",true,false,null,"a=1, b=2",["a=1","b=2"],"café"]`,
		},
		"header lists": {
			`const h = (await fetch(api + '/headers')).headers; const names = [...h.keys()]; let n = 0; h.forEach((v, k, all) => { if (all === h && typeof v === 'string') n++ });
			return [names.every(k => k === k.toLowerCase()), names.filter(k => k === 'set-cookie').length, n === names.length, [...h].length === n, [...h.entries()][0].length, [...h.values()].length === n, Object.fromEntries(h)['x-twice']]`,
			`[true,2,true,true,2,true,"a, b"]`,
		},
		"gzip":        {`return await (await fetch(api + '/raw?encoding=gzip&as=gzip&text=squeezed')).text()`, `"squeezed"`},
		"GZIP":        {`return await (await fetch(api + '/raw?encoding=X-GZIP&as=gzip&text=squeezed')).text()`, `"squeezed"`},
		"deflate":     {`return await (await fetch(api + '/raw?encoding=deflate&as=zlib&text=squeezed')).text()`, `"squeezed"`},
		"raw deflate": {`return await (await fetch(api + '/raw?encoding=deflate&as=flate&text=squeezed')).text()`, `"squeezed"`},
		"identity":    {`return await (await fetch(api + '/raw?encoding=identity&text=plain')).text()`, `"plain"`},
		"empty gzip":  {`return await (await fetch(api + '/raw?encoding=gzip&text=')).text()`, `""`},
		"post": {
			`const e = await (await fetch(api + '/echo', { method: 'post', body: 'héllo' })).json(); return [e.method, e.body, e.header['Content-Type']]`,
			`["POST","héllo",["text/plain;charset=UTF-8"]]`,
		},
		"json out": {
			`const e = await (await fetch(api + '/echo', { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ a: 1 }) })).json(); return [e.method, e.body, e.header['Content-Type']]`,
			`["PUT","{\"a\":1}",["application/json"]]`,
		},
		"patch":         {`return (await (await fetch(api + '/echo', { method: 'patch', body: '' })).json()).method`, `"PATCH"`},
		"params":        {`const e = await (await fetch(api + '/echo', { method: 'POST', body: new URLSearchParams({ a: 'b c', d: '&' }) })).json(); return [e.body, e.header['Content-Type'][0]]`, `["a=b+c&d=%26","application/x-www-form-urlencoded;charset=UTF-8"]`},
		"typed array":   {`const e = await (await fetch(api + '/echo', { method: 'POST', body: new Uint8Array([65, 66, 67]).subarray(1) })).json(); return [e.body, e.header['Content-Type'] ?? null]`, `["BC",null]`},
		"buffer":        {`return (await (await fetch(api + '/echo', { method: 'POST', body: new Uint8Array([65]).buffer })).json()).body`, `"A"`},
		"view":          {`return (await (await fetch(api + '/echo', { method: 'POST', body: new DataView(new Uint8Array([65, 66]).buffer, 1) })).json()).body`, `"B"`},
		"number body":   {`return (await (await fetch(api + '/echo', { method: 'POST', body: 7 })).json()).body`, `"7"`},
		"object body":   {`try { await fetch(api + '/echo', { method: 'POST', body: { a: 1 } }) } catch (e) { return [e instanceof TypeError, e.message.includes('JSON.stringify')] }`, `[true,true]`},
		"get with body": {`try { await fetch(api + '/echo', { body: 'x' }) } catch (e) { return [e instanceof TypeError, e.message] }`, `[true,"a request with method GET cannot have a body"]`},
		"headers out": {
			`const h = (await (await fetch(api + '/echo', { headers: { 'X-A': ' 1 ', 'x-b': 'é', Accept: 'text/html' } })).json()).header; return [h['X-A'], h['X-B'], h.Accept, h['User-Agent']]`,
			`[["1"],["�"],["text/html"],["toolsmith"]]`,
		},
		"headers as pairs":      {`const h = (await (await fetch(api + '/echo', { headers: [['X-A', '1'], ['x-a', '2']] })).json()).header; return h['X-A']`, `["1, 2"]`},
		"headers as Headers":    {`const h = new Headers({ 'X-A': '1' }); h.append('x-a', '2'); h.set('X-B', '3'); h.delete('x-c'); return (await (await fetch(api + '/echo', { headers: h })).json()).header['X-A']`, `["1, 2"]`},
		"URL object":            {`return (await (await fetch(new URL('/echo?a=b', api))).json()).query`, `"a=b"`},
		"address, escaped":      {`return (await (await fetch(api + '/echo?q=a b&r=ü#frag')).json()).query`, `"q=a%20b&r=%C3%BC"`},
		"request-like":          {`return (await (await fetch({ url: api + '/echo', method: 'POST', body: 'x', headers: { 'X-A': '1' } })).json()).method`, `"POST"`},
		"request-like, options": {`const e = await (await fetch({ url: api + '/echo', method: 'POST', body: 'x' }, { method: 'PUT', body: 'y' })).json(); return [e.method, e.body]`, `["PUT","y"]`},
		"Request": {
			`const q = new Request(api + '/echo', { method: 'post', body: 'x', headers: { 'X-A': '1' } }); const e = await (await fetch(q)).json();
			return [q.method, q.url === api + '/echo', q.headers.get('x-a'), q.redirect, q.signal, e.method, e.body, e.header['X-A'], await q.clone().text()]`,
			`["POST",true,"1","follow",null,"POST","x",["1"],"x"]`,
		},
		"Response":        {`const r = new Response('{"a":1}', { status: 201, statusText: 'Made', headers: { a: 'b' } }); return [r.status, r.ok, r.statusText, r.headers.get('a'), r.headers.get('content-type'), r.type, r.url, await r.json()]`, `[201,true,"Made","b","text/plain;charset=UTF-8","default","",{"a":1}]`},
		"promise":         {`const p = fetch(api + '/text?text=x'); return [p instanceof Promise, typeof fetch, fetch.name, fetch.length, await p instanceof Response]`, `[true,"function","fetch",1,true]`},
		"globals":         {`return ['fetch', 'Headers', 'Request', 'Response'].map((k) => [typeof globalThis[k], Object.keys(globalThis).includes(k)])`, `[["function",false],["function",false],["function",false],["function",false]]`},
		"tags":            {`return [new Headers(), new Request(api), new Response()].map(String)`, `["[object Headers]","[object Request]","[object Response]"]`},
		"no argument":     {`try { await fetch() } catch (e) { return [e instanceof TypeError, e.message] }`, `[true,"fetch needs an address"]`},
		"bad header":      {`try { await fetch(api, { headers: { 'a b': 'c' } }) } catch (e) { return e instanceof TypeError }`, `true`},
		"bad headers":     {`try { await fetch(api, { headers: 'a: b' }) } catch (e) { return e instanceof TypeError }`, `true`},
		"bad pairs":       {`try { await fetch(api, { headers: [['a']] }) } catch (e) { return e instanceof TypeError }`, `true`},
		"bad value":       {`try { await fetch(api, { headers: { a: 'b\nc' } }) } catch (e) { return e instanceof TypeError }`, `true`},
		"bad redirect":    {`try { await fetch(api, { redirect: 'sometimes' }) } catch (e) { return e instanceof TypeError }`, `true`},
		"bad options":     {`try { await fetch(api, 7) } catch (e) { return e instanceof TypeError }`, `true`},
		"bad signal":      {`try { await fetch(api, { signal: {} }) } catch (e) { return [e instanceof TypeError, e.message] }`, `[true,"signal must be an AbortSignal"]`},
		"unknown options": {`return (await fetch(api + '/text?text=x', { mode: 'cors', credentials: 'include', cache: 'no-store', timeout: 5, keepalive: true })).status`, `200`},
		"over TLS":        {`return (await (await fetch(tls + '/echo')).json()).host`, `"example.com"`},
		"built-ins replaced": {
			`const keep = JSON.stringify; Promise.prototype.then = Array.prototype.push = Array.prototype.sort = String.prototype.concat = RegExp.prototype.exec = JSON.parse = Object.defineProperty = () => { throw 1 };
			Headers.prototype.get = Headers.prototype.has = Response.prototype.text = () => 'mine'; globalThis.Response = globalThis.Headers = globalThis.Uint8Array = globalThis.TypeError = undefined;
			const r = await fetch(api + '/echo', { method: 'POST', body: 'x', headers: { a: 'b' } }); return (await r.json()).body`,
			`"x"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := w.run(t, c.body); err != nil || got != c.want {
				t.Errorf("got %s, %v, want %s", got, err, c.want)
			}
		})
	}
}

// TestFetchHeadersOfTheHost: what is for the host to say is not for the tool to say.
func TestFetchHeadersOfTheHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.run(t, `await fetch(api + '/echo', { method: 'POST', body: 'four', headers: {
		Host: 'internal.test', Connection: 'keep-alive, X-A', 'Keep-Alive': '1', 'Content-Length': '1', 'Transfer-Encoding': 'chunked', TE: 'trailers', Trailer: 'X',
		Upgrade: 'websocket', Expect: '100-continue', 'Proxy-Authorization': 'Basic eA==', 'Proxy-Connection': 'x', 'Sec-Fetch-Mode': 'x', Via: 'x', 'Accept-Encoding': 'br',
		'X-Forwarded-For': '127.0.0.1', 'X-Forwarded-Host': 'x', 'X-Real-IP': '127.0.0.1', Forwarded: 'for=x', 'X-HTTP-Method-Override': 'DELETE', 'X-A': 'stays', Cookie: 'a=b' } })`)
	if err != nil {
		t.Fatal(err)
	}
	r := w.requests()[0]
	if !strings.HasPrefix(r.Host, "api.test:") || r.ContentLength != 4 || len(r.TransferEncoding) != 0 || r.Header.Get("Accept-Encoding") != "gzip, deflate" {
		t.Errorf("host %s, length %d, %v, %v", r.Host, r.ContentLength, r.TransferEncoding, r.Header)
	}
	for name := range r.Header {
		switch name {
		case "User-Agent", "Accept", "Accept-Encoding", "Content-Type", "Content-Length", "X-A", "Cookie", "Connection":
		default:
			t.Errorf("the server got %s: %v", name, r.Header[name])
		}
	}
	if got := r.Header.Get("Connection"); got != "close" {
		t.Errorf("Connection: %s", got)
	}
}

// TestFetchGuard: each rule has a request that passes and one that differs in this rule alone.
func TestFetchGuard(t *testing.T) {
	t.Parallel()
	s := startServer(t, serverSpec{Behaviour: "ok", Body: "x"})
	routes := map[string]*server{}
	for _, address := range []string{
		"5.6.7.8:80", "5.6.7.8:81", "127.0.0.1:80", "127.0.0.1:81", "10.0.0.1:80", "10.1.0.1:80", "169.254.169.254:80", "[::1]:80", "[2606:4700::1]:80", "0.0.0.0:80", "100.64.0.1:80",
	} {
		routes[address] = s
	}
	dns := map[string][]string{
		"public.test": {"5.6.7.8"}, "six.test": {"2606:4700::1"}, "inside.test": {"10.0.0.1"}, "mixed.test": {"5.6.7.8", "10.0.0.1"}, "mapped.test": {"::ffff:10.0.0.1"},
		"mapped-public.test": {"::ffff:5.6.7.8"}, "nat64.test": {"64:ff9b::10.0.0.1"}, "beside.test": {"10.0.0.1", "10.1.0.1"}, "zone.test": {"fe80::1%eth0"}, "none.test": {}, "cgnat.test": {"100.64.0.1"},
		"local.localhost": {"5.6.7.8"},
	}
	any80 := []policy.Network{{Host: "*"}}
	inside := func(host string) []policy.Network {
		return []policy.Network{{Host: host, Private: true, CIDR: netip.MustParsePrefix("10.0.0.0/16")}}
	}
	loop := []policy.Network{{Host: "localhost", Private: true, CIDR: loopback}, {Host: "*"}}
	for name, c := range map[string]struct {
		rules []policy.Network
		call  string
		want  string // a code, or nothing when the request passes
	}{
		"nothing granted":              {nil, `fetch('http://public.test/')`, "denied"},
		"any host":                     {any80, `fetch('http://public.test/')`, ""},
		"any host, IPv6":               {any80, `fetch('http://six.test/')`, ""},
		"this host":                    {[]policy.Network{{Host: "public.test"}}, `fetch('http://PUBLIC.test./')`, ""},
		"another host":                 {[]policy.Network{{Host: "public.test"}}, `fetch('http://six.test/')`, "denied"},
		"sub-domain":                   {[]policy.Network{{Host: "*.test"}}, `fetch('http://public.test/')`, ""},
		"method":                       {any80, `fetch('http://public.test/', { method: 'HEAD' })`, ""},
		"another method":               {any80, `fetch('http://public.test/', { method: 'POST' })`, "denied"},
		"method granted":               {[]policy.Network{{Host: "*", Methods: []string{"POST"}}}, `fetch('http://public.test/', { method: 'POST' })`, ""},
		"a method of no list":          {[]policy.Network{{Host: "*", Methods: policy.Methods()}}, `fetch('http://public.test/', { method: 'TRACE' })`, "denied"},
		"another port":                 {any80, `fetch('http://public.test:81/')`, "denied"},
		"port granted":                 {[]policy.Network{{Host: "*", Ports: []int{81}}}, `fetch('http://public.test:81/')`, ""},
		"port instead of the usual":    {[]policy.Network{{Host: "*", Ports: []int{81}}}, `fetch('http://public.test/')`, "denied"},
		"user name":                    {any80, `fetch('http://user@public.test/')`, "denied"},
		"literal":                      {any80, `fetch('http://5.6.7.8/')`, ""},
		"literal loopback":             {any80, `fetch('http://127.0.0.1/')`, "denied"},
		"literal any":                  {any80, `fetch('http://0.0.0.0/')`, "denied"},
		"literal metadata":             {any80, `fetch('http://169.254.169.254/')`, "denied"},
		"literal IPv6 loopback":        {any80, `fetch('http://[::1]/')`, "denied"},
		"literal mapped":               {any80, `fetch('http://[::ffff:127.0.0.1]/')`, "denied"},
		"literal mapped, public":       {any80, `fetch('http://[::ffff:5.6.7.8]/')`, ""},
		"private name":                 {any80, `fetch('http://inside.test/')`, "denied"},
		"carrier-grade NAT":            {any80, `fetch('http://cgnat.test/')`, "denied"},
		"one address of two private":   {any80, `fetch('http://mixed.test/')`, "denied"},
		"mapped":                       {any80, `fetch('http://mapped.test/')`, "denied"},
		"mapped, public":               {any80, `fetch('http://mapped-public.test/')`, ""},
		"NAT64 of private":             {any80, `fetch('http://nat64.test/')`, "denied"},
		"zone":                         {any80, `fetch('http://zone.test/')`, "denied"},
		"localhost":                    {any80, `fetch('http://localhost/')`, "denied"},
		"a localhost of public DNS":    {any80, `fetch('http://local.localhost/')`, "denied"},
		"localhost opened":             {loop, `fetch('http://localhost/')`, ""},
		"another name of what is open": {loop, `fetch('http://127.0.0.1/')`, "denied"},
		"private opened":               {inside("inside.test"), `fetch('http://inside.test/')`, ""},
		"private opened, mapped":       {inside("mapped.test"), `fetch('http://mapped.test/')`, ""},
		"outside of the range":         {inside("beside.test"), `fetch('http://beside.test/')`, "denied"},
		"public, where private is due": {inside("public.test"), `fetch('http://public.test/')`, "denied"},
		"no address":                   {any80, `fetch('http://none.test/')`, "guest_error"},
		"unknown name":                 {any80, `fetch('http://unknown.test/')`, "guest_error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sets := map[string][][]string{}
			for host, addrs := range dns {
				sets[host] = [][]string{addrs}
			}
			d := &dialled{routes: routes}
			p := &policy.Policy{Network: c.rules}
			h := hostapi.New(hostapi.Options{Resolver: &names{sets: sets}, Dial: d.dial})
			_, err := runTool(t, h, p, `async function execute() { return (await `+c.call+`).status }`, `{}`)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && !errors.Is(err, tool.Code(c.want)):
				t.Errorf("got %v, want %s", err, c.want)
			case (c.want == "") != (len(d.addresses()) == 1):
				t.Errorf("connected to %v", d.addresses())
			}
			if errors.Is(err, tool.Denied) && name == "nothing granted" && !strings.Contains(tool.AsError(err).Hint, "--allow-host public.test") {
				t.Errorf("the error does not say how to get the host: %+v", err)
			}
			if err != nil && containsAny(err.Error(), "10.0.0.1", "10.1.0.1", "10.9.8.7", "100.64.0.1", "fe80::1", "5.6.7.8") {
				t.Errorf("the error tells an address: %v", err)
			}
		})
	}
}

func containsAny(text string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
