package hostapi_test

import (
	"errors"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

func TestFetchLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limits     policy.FetchLimits
		body, want string // want is what the error names, or the output
	}{
		"answer of the size":         {policy.FetchLimits{MaxResponseBytes: 1000}, `return (await (await fetch(api + '/big?n=1000')).text()).length`, "1000"},
		"answer larger":              {policy.FetchLimits{MaxResponseBytes: 1000}, `await fetch(api + '/big?n=1001')`, "fetchMaxResponseBytes"},
		"answer larger, unread":      {policy.FetchLimits{MaxResponseBytes: 1000}, `return (await fetch(api + '/big?n=100000')).status`, "fetchMaxResponseBytes"},
		"answer larger, zipped":      {policy.FetchLimits{MaxResponseBytes: 1000}, `await fetch(api + '/raw?encoding=gzip&as=gzip&text=' + 'a'.repeat(1001))`, "fetchMaxResponseBytes"},
		"answer larger, head":        {policy.FetchLimits{MaxResponseBytes: 1000}, `return (await fetch(api + '/big?n=1001', { method: 'HEAD' })).status`, "200"},
		"answers in all":             {policy.FetchLimits{MaxTotalResponseBytes: 2000}, `for (let i = 0; i < 2; i++) await fetch(api + '/big?n=1000'); return 1`, "1"},
		"answers in all, larger":     {policy.FetchLimits{MaxTotalResponseBytes: 2000}, `for (let i = 0; i < 3; i++) await fetch(api + '/big?n=1000')`, "fetchMaxTotalResponseBytes"},
		"answers in all, at once":    {policy.FetchLimits{MaxTotalResponseBytes: 2000}, `await Promise.all([1, 2, 3].map(() => fetch(api + '/big?n=1000')))`, "fetchMaxTotalResponseBytes"},
		"body of the size":           {policy.FetchLimits{MaxRequestBytes: 1000}, `return (await (await fetch(api + '/echo', { method: 'POST', body: 'a'.repeat(1000) })).json()).body.length`, "1000"},
		"body larger":                {policy.FetchLimits{MaxRequestBytes: 1000}, `await fetch(api + '/echo', { method: 'POST', body: 'a'.repeat(1001) })`, "fetchMaxRequestBytes"},
		"bodies in all":              {policy.FetchLimits{MaxTotalRequestBytes: 2000}, `for (let i = 0; i < 3; i++) await fetch(api + '/status?code=200', { method: 'POST', body: 'a'.repeat(1000) })`, "fetchMaxTotalRequestBytes"},
		"requests":                   {policy.FetchLimits{MaxRequests: 3}, `for (let i = 0; i < 3; i++) await fetch(api + '/text'); return 3`, "3"},
		"more requests":              {policy.FetchLimits{MaxRequests: 3}, `for (let i = 0; i < 4; i++) await fetch(api + '/text')`, "fetchMaxRequests"},
		"more requests, by redirect": {policy.FetchLimits{MaxRequests: 3}, `await fetch(api + '/chain?n=3')`, "fetchMaxRequests"},
		"no redirects but one":       {policy.FetchLimits{MaxRedirects: 1}, `await fetch(api + '/chain?n=2')`, "fetchMaxRedirects"},
		"no redirects":               {policy.FetchLimits{MaxRedirects: policy.NoRedirects}, `await fetch(api + '/chain?n=1')`, "more than 0 times (fetchMaxRedirects)"},
		"nothing to redirect":        {policy.FetchLimits{MaxRedirects: policy.NoRedirects}, `return (await fetch(api + '/chain?n=0')).status`, "200"},
		"long headers":               {policy.FetchLimits{}, `return (await fetch(api + '/fat?n=60000')).status`, "200"},
		"longer headers":             {policy.FetchLimits{}, `await fetch(api + '/fat?n=70000')`, "65536 bytes"},
		"headers":                    {policy.FetchLimits{}, `return [...(await fetch(api + '/many?n=200')).headers].length > 200`, "true"},
		"more headers":               {policy.FetchLimits{}, `await fetch(api + '/many?n=300')`, "256 headers"},
		"headers out":                {policy.FetchLimits{}, `const headers = {}; for (let i = 0; i < 65; i++) headers['x-' + i] = 'a'; await fetch(api + '/echo', { headers })`, "64 headers"},
		"long headers out":           {policy.FetchLimits{}, `await fetch(api + '/echo', { headers: { a: 'a'.repeat(33000) } })`, "32768 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.policy.FetchLimits = c.limits
			got, err := w.run(t, c.body)
			if err != nil {
				if got = err.Error(); !errors.Is(err, tool.Limit) {
					t.Errorf("got %v", err)
				}
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestNothingForEver: a compressed body that never becomes anything is bounded too.
func TestNothingForEver(t *testing.T) {
	t.Parallel()
	s := startServer(t, serverSpec{Behaviour: "gzip-nothing"})
	h := hostapi.New(hostapi.Options{Dial: (&dialled{routes: map[string]*server{"5.6.7.8:80": s}}).dial})
	_, err := runTool(t, h, &policy.Policy{Network: []policy.Network{{Host: "*"}}}, `async function execute() { await fetch('http://5.6.7.8/') }`, `{}`)
	if !errors.Is(err, tool.Limit) {
		t.Errorf("got %v", err)
	}
}

// TestFetchErrorsAreShort: what a tool writes is repeated in part only.
func TestFetchErrorsAreShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, body := range []string{
		`fetch(api, { method: 'X'.repeat(5000) })`, `fetch('x'.repeat(5000))`, `fetch('http://' + 'x'.repeat(5000))`, `fetch('http://' + 'x.'.repeat(500))`,
		`fetch(api + '/raw?text=xx&encoding=' + 'x'.repeat(5000))`, `fetch(api, { headers: { ['x y'.repeat(5000)]: '' } })`, `fetch(api, { redirect: 'x'.repeat(5000) })`,
	} {
		if _, err := w.run(t, "await "+body); err == nil || len(err.Error()) > 600 {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestFetchesTogether: no more than the limit are under way at once, and the others wait for their turn.
func TestFetchesTogether(t *testing.T) {
	t.Parallel()
	s := startServer(t, serverSpec{Behaviour: "slow-ok", DelayMs: 10})
	d := &dialled{routes: map[string]*server{"5.6.7.8:80": s}}
	p := &policy.Policy{Network: []policy.Network{{Host: "5.6.7.8"}}, FetchLimits: policy.FetchLimits{MaxConcurrent: 3}}
	h := hostapi.New(hostapi.Options{Dial: d.dial})
	r, err := runTool(t, h, p, `async function execute() {
		return (await Promise.all(Array.from({ length: 20 }, () => fetch('http://5.6.7.8/')))).filter((r) => r.ok).length }`, `{}`)
	if err != nil || string(r.Output) != "20" || d.most != 3 {
		t.Errorf("%s, %v, %d at once", r.Output, err, d.most)
	}
}

// TestFetchMemory: an answer larger than the tool's memory is the tool's failure.
func TestFetchMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.policy.FetchLimits = policy.FetchLimits{MaxResponseBytes: 64 << 20, MaxTotalResponseBytes: 256 << 20}
	_, _, err := w.call(t, `return (await (await fetch(api + '/big?n=40000000')).text()).length`, wasmjs.CallOptions{Limits: tool.Limits{MemoryBytes: 32 << 20}})
	if !errors.Is(err, tool.OutOfMemory) {
		t.Errorf("got %v", err)
	}
	w.policy.FetchLimits = policy.FetchLimits{}
	_, _, err = w.call(t, `return (await (await fetch(api + '/big?n=100000000')).text()).length`, wasmjs.CallOptions{Limits: tool.Limits{MemoryBytes: 32 << 20}})
	if !errors.Is(err, tool.Limit) {
		t.Errorf("got %v", err)
	}
}

func TestAbort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, c := range map[string]struct{ body, want string }{
		"before":        {`const c = new AbortController(); c.abort(); try { await fetch(api + '/text', { signal: c.signal }) } catch (e) { return [e instanceof DOMException, e.name] }`, `[true,"AbortError"]`},
		"during":        {`const c = new AbortController(), p = fetch(api + '/slow?ms=60000', { signal: c.signal }); setTimeout(() => c.abort(), 30); try { await p } catch (e) { return e.name }`, `"AbortError"`},
		"at once":       {`const c = new AbortController(), p = fetch(api + '/slow?ms=60000', { signal: c.signal }); c.abort(); try { await p } catch (e) { return e.name }`, `"AbortError"`},
		"with a reason": {`const c = new AbortController(), p = fetch(api + '/slow?ms=60000', { signal: c.signal }); c.abort('enough'); try { await p } catch (e) { return e }`, `"enough"`},
		"timeout":       {`try { await fetch(api + '/slow?ms=60000', { signal: AbortSignal.timeout(20) }) } catch (e) { return [e instanceof DOMException, e.name] }`, `[true,"TimeoutError"]`},
		"any":           {`try { await fetch(api + '/slow?ms=60000', { signal: AbortSignal.any([AbortSignal.timeout(20), new AbortController().signal]) }) } catch (e) { return e.name }`, `"TimeoutError"`},
		"afterwards":    {`const c = new AbortController(), r = await fetch(api + '/text?text=x', { signal: c.signal }); c.abort(); return await r.text()`, `"x"`},
		"one of two":    {`const c = new AbortController(), p = fetch(api + '/slow?ms=60000', { signal: c.signal }).catch((e) => e.name), q = fetch(api + '/slow?ms=50'); c.abort(); return [await p, await (await q).text()]`, `["AbortError","slow"]`},
		"of a Request":  {`const c = new AbortController(), q = new Request(api + '/slow?ms=60000', { signal: c.signal }); setTimeout(() => c.abort(), 10); try { await fetch(q) } catch (e) { return e.name }`, `"AbortError"`},
		"the next":      {`for (let i = 0; i < 20; i++) { const c = new AbortController(), p = fetch(api + '/slow?ms=60000', { signal: c.signal }); c.abort(); await p.catch(() => 0) } return (await fetch(api + '/text')).status`, `200`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := w.run(t, c.body); err != nil || got != c.want {
				t.Errorf("got %s, %v, want %s", got, err, c.want)
			}
		})
	}
}

// TestFetchEnds: whatever ends a call or a request ends what it has under way on the network.
func TestFetchEnds(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want tool.Code
	}{
		"aborted":       {`const c = new AbortController(), p = fetch('http://5.6.7.8/', { signal: c.signal }); setTimeout(() => c.abort(), 20); await p.catch(() => 0)`, ""},
		"never awaited": {`fetch('http://5.6.7.8/'); await new Promise((r) => setTimeout(r, 20))`, ""},
		"lost a race":   {`await Promise.race([fetch('http://5.6.7.8/'), new Promise((r) => setTimeout(r, 20))])`, ""},
		"timed out":     {`await fetch('http://5.6.7.8/')`, tool.Timeout},
		"busy":          {`fetch('http://5.6.7.8/'); await 0; for (;;);`, tool.Timeout},
		"threw":         {`fetch('http://5.6.7.8/'); await new Promise((r) => setTimeout(r, 20)); throw new Error('x')`, tool.GuestError},
	} {
		for _, behaviour := range []string{"never", "blackhole", "dribble-headers", "dribble-body", "infinite-chunks"} {
			t.Run(name+", "+behaviour, func(t *testing.T) {
				engine(t)
				s := startServer(t, serverSpec{Behaviour: behaviour, EveryMs: 5})
				before := goruntime.NumGoroutine()
				d := &dialled{routes: map[string]*server{"5.6.7.8:80": s}}
				session := hostapi.New(hostapi.Options{Dial: d.dial}).Begin(&policy.Policy{
					Network: []policy.Network{{Host: "*"}}, FetchLimits: policy.FetchLimits{MaxResponseBytes: 64 << 20, MaxTotalResponseBytes: 256 << 20},
				}, 0)
				apis, _ := hostapi.APIs([]string{"fetch"})
				p, err := engine(t).Load(t.Context(), wasmjs.Source{Code: `async function execute() { ` + c.body + ` }`, APIs: apis}, tool.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				limits := tool.Limits{Timeout: 2 * patience}
				if c.want == tool.Timeout {
					limits.Timeout = 100 * time.Millisecond
				}
				start := time.Now()
				_, err = p.Call(t.Context(), []byte(`{}`), wasmjs.CallOptions{Limits: limits, Funcs: session.Funcs()})
				session.Close()
				flood := behaviour == "infinite-chunks" && errors.Is(err, tool.Limit) // it may be quicker than the clock
				if c.want == "" && err != nil || c.want != "" && !errors.Is(err, c.want) && !flood {
					t.Errorf("got %v, want %v", err, c.want)
				}
				if took := time.Since(start); took > patience {
					t.Errorf("took %v", took)
				}
				settled(t, before)
			})
		}
	}
}

// TestFetchFailures: what goes wrong on the way is a TypeError that tells no address and nothing of the system.
func TestFetchFailures(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, c := range map[string]struct {
		spec       *serverSpec // answers as bad.test
		body, want string
	}{
		"refused":        {&serverSpec{Behaviour: "refuse"}, `await fetch('http://bad.test/')`, "bad.test cannot be connected to"},
		"unknown":        {nil, `await fetch('http://unknown.test/')`, "unknown.test has no address"},
		"cut short":      {&serverSpec{Behaviour: "length-long"}, `await fetch('http://bad.test/')`, "the connection ended before the answer was complete"},
		"not HTTP":       {&serverSpec{Behaviour: "raw", Body: "SSH-2.0-OpenSSH 10.9.8.7\r\n"}, `await fetch('http://bad.test/')`, "not HTTP"},
		"silence":        {&serverSpec{Behaviour: "raw"}, `await fetch('http://bad.test/')`, "the connection ended"},
		"no status":      {&serverSpec{Behaviour: "raw", Body: "HTTP/1.1 099 Odd\r\n\r\n"}, `await fetch('http://bad.test/')`, "another protocol"},
		"switches":       {&serverSpec{Behaviour: "status-101"}, `await fetch('http://bad.test/')`, "another protocol"},
		"broken gzip":    {nil, `await fetch(api + '/raw?encoding=gzip&text=this is not gzip at all')`, "not compressed as it says"},
		"broken deflate": {nil, `await fetch(api + '/raw?encoding=deflate&text=x%9c')`, "fetch failed"},
		"brotli":         {nil, `await fetch(api + '/raw?encoding=br&text=xx')`, `encoded as \"br\"`},
		"twice encoded":  {nil, `await fetch(api + '/raw?encoding=gzip,gzip&as=gzip,gzip&text=xx')`, `encoded as \"gzip,gzip\"`},
		"no TLS":         {&serverSpec{Behaviour: "ok"}, `await fetch('https://bad.test/')`, "bad.test does not set up an encrypted connection"},
		"wrong host":     {nil, `await fetch(tls.replace('example.com', 'other.test'))`, "the certificate of other.test is for other hosts"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &world{plain: w.plain, secure: w.secure, options: w.options, policy: &policy.Policy{Network: slices.Clone(w.policy.Network)}}
			for _, host := range []string{"bad.test", "unknown.test"} {
				w.policy.Network = append(w.policy.Network, policy.Network{Host: host, Private: true, CIDR: loopback})
			}
			if c.spec != nil {
				s := startServer(t, *c.spec)
				w.options.Resolver = &names{sets: map[string][][]string{"bad.test": {{"127.0.0.1"}}}}
				w.options.Dial = (&dialled{routes: map[string]*server{"127.0.0.1:80": s, "127.0.0.1:443": s}}).dial
			}
			got, err := w.run(t, `try { `+c.body+`; return 'no error' } catch (e) { return [e instanceof TypeError, e.code, e.message] }`)
			if err != nil || !strings.HasPrefix(got, `[true,"unavailable","fetch failed: `) || !strings.Contains(got, c.want) {
				t.Errorf("got %s, %v, want %s", got, err, c.want)
			}
			if containsAny(got, "127.0.0.1", "10.9.8.7", "dial", "tcp", "lookup", "x509", "http:") {
				t.Errorf("the error tells too much: %s", got)
			}
		})
	}
	w.options.RootCAs = nil
	if _, err := w.run(t, `await fetch(tls)`); err == nil || !strings.Contains(err.Error(), "signed by nobody") {
		t.Errorf("a certificate of an unknown signer: %v", err)
	}
}

func TestFetchUses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, uses, err := w.call(t, `await fetch(api + '/echo?key=k', { method: 'POST', body: 'four' }); await fetch(api + '`+to(302, "/text?text=123")+`');
		await fetch('http://elsewhere.test/').catch(() => 0); await fetch('http://a\nb/', { method: 'X' }).catch(() => 0); await fetch('http://a\nb/').catch(() => 0)`, wasmjs.CallOptions{})
	if err != nil || len(uses) != 5 {
		t.Fatalf("%+v, %v", uses, err)
	}
	for i, want := range []struct {
		outcome, detail string
		out, in         int64
	}{{"ok", "POST " + w.at("api.test", "/echo") + "; by the rule for host \"api.test\"", 4, -1}, {"ok", "; redirected to " + w.at("api.test", "/text") + "; by the rule", 0, 3}, {"denied", "GET http://elsewhere.test/; denied: ", 0, 0}, {"denied", "none of the methods", 0, 0}, {"denied", "a line break", 0, 0}} {
		u := uses[i]
		if u.API != "fetch" || u.Outcome != want.outcome || !strings.Contains(u.Detail, want.detail) || u.BytesOut != want.out || want.in >= 0 && u.BytesIn != want.in || u.Duration <= 0 {
			t.Errorf("got %+v, want %+v", u, want)
		}
		if strings.Contains(u.Detail, "key") || strings.ContainsAny(u.Detail, "\r\n") {
			t.Errorf("the use tells a query: %s", u.Detail)
		}
	}
}

// BenchmarkFetch shows that ten fetches of 200 ms each take the time of one, and leave nothing behind.
func BenchmarkFetch(b *testing.B) {
	w := newWorld(b)
	const body = `return (await Promise.all(Array.from({ length: 10 }, () => fetch(api + '/slow?ms=200')))).filter((r) => r.ok).length`
	if got, err := w.run(b, body); err != nil || got != "10" {
		b.Fatalf("%s, %v", got, err)
	}
	before := goruntime.NumGoroutine()
	for b.Loop() {
		if got, err := w.run(b, body); err != nil || got != "10" {
			b.Fatalf("%s, %v", got, err)
		}
	}
	time.Sleep(50 * time.Millisecond)
	b.ReportMetric(float64(max(0, goruntime.NumGoroutine()-before)), "goroutines-left")
}
