package hostapi_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

// cryptoTool is a tool with all cryptography.
func cryptoTool() given { return given{apis: []string{"crypto"}, policy: policy.Open(".")} }

// Published answers, computed through the whole way from the tool and back, in every form that a tool can ask in.
func TestCryptoVectors(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "crypto", "vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var vectors []json.RawMessage
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	const code = `
	const bytesOf = hex => Uint8Array.from(hex.match(/../g) ?? [], h => parseInt(h, 16));
	const hexOf = bytes => [...bytes].map(b => b.toString(16).padStart(2, '0')).join('');
	async function execute({ algorithm, key, data, times, want }) {
		const whole = new Uint8Array(data.length / 2 * times);
		const piece = bytesOf(data);
		if (times === 1) whole.set(piece); else whole.fill(piece[0]);
		const make = () => key === undefined ? crypto.createHash(algorithm) : crypto.createHmac(algorithm, bytesOf(key));
		const out = [make().update(whole).digest('hex'), hexOf(make().update(whole.buffer).digest()), hexOf(make().update(new DataView(whole.buffer)).digest('bytes'))];
		if (key === undefined && algorithm !== 'md5') {
			const answer = await crypto.subtle.digest({ name: algorithm.replace('sha', 'sha-') }, whole);
			out.push(answer instanceof ArrayBuffer && hexOf(new Uint8Array(answer)));
		}
		for (const step of [1, 7, 64]) {
			if (whole.length > 1000) break;
			const h = make();
			for (let i = 0; i < whole.length; i += step) h.update(whole.subarray(i, i + step));
			out.push(h.digest('hex'));
		}
		const text = String.fromCharCode(...whole.subarray(0, 1000));
		if (whole.length <= 1000 && whole.every(b => b < 128)) out.push(make().update(text).digest('hex'), make().update(text.slice(0, 3)).update('').update(text.slice(3)).digest('hex'));
		return out.filter(x => x !== want);
	}`
	for _, v := range vectors {
		g := cryptoTool()
		g.input = string(v)
		r, _, err := g.run(t, code)
		if err != nil || string(r.Output) != "[]" {
			t.Errorf("%s: %s, %v", v, r.Output, err)
		}
	}
}

func TestCrypto(t *testing.T) {
	t.Parallel()
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	for name, c := range map[string]struct{ body, want string }{
		"members": {
			`return [Object.getOwnPropertyNames(crypto).sort(), Object.getOwnPropertyNames(crypto.subtle), Object.getOwnPropertySymbols(crypto).length, Object.keys(globalThis).includes('crypto')]`,
			`[["createHash","createHmac","getRandomValues","randomUUID","subtle","timingSafeEqual"],["digest"],0,false]`,
		},
		"hash members":  {`const h = crypto.createHash('md5'); return [Object.getOwnPropertyNames(h), Object.getOwnPropertyNames(Object.getPrototypeOf(h)).sort()]`, `[[],["constructor","digest","update"]]`},
		"hex":           {`return crypto.createHash('sha256').update('abc').digest('hex')`, `"` + abc + `"`},
		"base64":        {`return crypto.createHash('sha1').update('abc').digest('base64')`, `"qZk+NkcGgWq6PiVxeFDCbJzQ2J0="`},
		"base64url":     {`return crypto.createHash('sha1').update('abc').digest('base64url')`, `"qZk-NkcGgWq6PiVxeFDCbJzQ2J0"`},
		"bytes":         {`const d = crypto.createHash('md5').update('abc').digest(); return [d.constructor === Uint8Array, d.length, d[0], d.buffer.byteLength]`, `[true,16,144,16]`},
		"chain":         {`const h = crypto.createHash('sha256'); return [h.update('a') === h, h.update('b').update('c').digest('hex')]`, `[true,"` + abc + `"]`},
		"names":         {`return ['SHA256', 'sha-256', 'Sha-256'].map(a => crypto.createHash(a).update('abc').digest('hex').slice(0, 4))`, `["ba78","ba78","ba78"]`},
		"utf8":          {`return crypto.createHash('md5').update('é', 'utf8').digest('hex') === crypto.createHash('md5').update(new Uint8Array([0xc3, 0xa9])).digest('hex')`, `true`},
		"lone halves":   {`return crypto.createHash('md5').update('\ud83d').update('\ude00').digest('hex') === crypto.createHash('md5').update('\ufffd\ufffd').digest('hex')`, `true`},
		"taken at once": {`const b = new Uint8Array([97, 98, 99]), h = crypto.createHash('sha256').update(b); b.fill(0); return h.digest('hex') === '` + abc + `'`, `true`},
		"part of a view": {
			`const b = new Uint8Array([0, 97, 98, 99, 0]); return [new Uint8Array(b.buffer, 1, 3), new DataView(b.buffer, 1, 3), b.subarray(1, 4)].every(v => crypto.createHash('sha256').update(v).digest('hex') === '` + abc + `')`, `true`,
		},
		"wide view":         {`return crypto.createHash('md5').update(new Uint16Array([0x6261])).digest('hex') === crypto.createHash('md5').update('ab').digest('hex')`, `true`},
		"growing":           {`const h = crypto.createHash('sha256'); let all = ''; for (let i = 0; i < 3000; i++) { h.update(String(i)); all += i } return h.digest('hex') === crypto.createHash('sha256').update(all).digest('hex')`, `true`},
		"hmac, text key":    {`return crypto.createHmac('sha256', 'key').update('The quick brown fox jumps over the lazy dog').digest('hex').slice(0, 8)`, `"f7bc83f4"`},
		"hmac, empty":       {`return crypto.createHmac('sha256', '').update('').digest('hex').slice(0, 8)`, `"b613679a"`},
		"digested twice":    {`const h = crypto.createHash('md5').update('a'); h.digest(); const out = []; for (const f of [() => h.digest(), () => h.update('b')]) try { f() } catch (e) { out.push(e.message) } return out`, `["this hash was digested: make a new one","this hash was digested: make a new one"]`},
		"unknown algorithm": {`const out = []; for (const a of ['sha3', '', '__proto__', 'constructor', 'toString', 'sha-', 'hmac-sha256', null, undefined, {}, 7]) for (const f of ['createHash', 'createHmac']) try { crypto[f](a, 'k'); out.push(a) } catch {} return out`, `[]`},
		"bad encoding":      {`const out = []; for (const e of ['latin1', 'HEX', '__proto__', null, 7, {}]) try { crypto.createHash('md5').digest(e); out.push(e) } catch (x) { out.push(x instanceof TypeError) } return out`, `[true,true,true,true,true,true]`},
		"bad data":          {`const out = []; for (const d of [undefined, null, 7, {}, [1], true]) try { crypto.createHash('md5').update(d); out.push(d) } catch (x) { out.push(x instanceof TypeError) } return out`, `[true,true,true,true,true,true]`},
		"input encoding":    {`try { crypto.createHash('md5').update('ff', 'hex') } catch (e) { return e instanceof TypeError }`, `true`},
		"no key":            {`const out = []; for (const k of [undefined, null, 7, {}]) try { crypto.createHmac('md5', k); out.push(k) } catch (e) { out.push(e instanceof TypeError) } return out`, `[true,true,true,true]`},
		"detached":          {`const b = new Uint8Array(4); b.buffer.transfer(); try { return crypto.createHash('md5').update(b).digest('hex').length } catch (e) { return e instanceof TypeError }`, `true`},
		"wrong receiver":    {`const h = crypto.createHash('md5'); const out = []; for (const r of [{}, null, undefined, 7, Object.create(h)]) for (const m of ['update', 'digest']) try { h[m].call(r, 'a'); out.push(r) } catch (e) { out.push(e instanceof TypeError) } return out.every(x => x === true)`, `true`},
		"uuid":              {`const s = new Set(); for (let i = 0; i < 100; i++) s.add(crypto.randomUUID()); return [s.size, [...s].every(u => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(u))]`, `[100,true]`},
		"random values":     {`const a = new Uint32Array(8); return [crypto.getRandomValues(a) === a, new Set(a).size > 6]`, `[true,true]`},
		"random part":       {`const b = new Uint8Array(300), v = b.subarray(100, 200); crypto.getRandomValues(v); return [b.subarray(0, 100).every(x => x === 0), v.some(x => x !== 0), b.subarray(200).every(x => x === 0)]`, `[true,true,true]`},
		"random kinds":      {`return [Int8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, BigInt64Array, BigUint64Array].every(C => crypto.getRandomValues(new C(16)).some(x => x))`, `true`},
		"random nothing":    {`return crypto.getRandomValues(new Uint8Array(0)).length`, `0`},
		"random most":       {`return crypto.getRandomValues(new Uint8Array(65536)).length`, `65536`},
		"random too much":   {`try { crypto.getRandomValues(new Uint8Array(65537)) } catch (e) { return [e instanceof RangeError, e.message.includes('65536')] }`, `[true,true]`},
		"random wrong":      {`const out = []; for (const a of [new Float64Array(1), new DataView(new ArrayBuffer(8)), new ArrayBuffer(8), [], {}, null, undefined, 8]) try { crypto.getRandomValues(a); out.push(0) } catch (e) { out.push(e instanceof TypeError) } return out.every(x => x === true)`, `true`},
		"equal":             {`const b = (...x) => new Uint8Array(x); return [crypto.timingSafeEqual(b(1, 2), b(1, 2)), crypto.timingSafeEqual(b(1, 2), b(1, 3)), crypto.timingSafeEqual(b(), b()), crypto.timingSafeEqual(new Uint16Array([513]), b(1, 2).buffer)]`, `[true,false,true,true]`},
		"unequal lengths":   {`try { crypto.timingSafeEqual(new Uint8Array(1), new Uint8Array(2)) } catch (e) { return e instanceof RangeError }`, `true`},
		"equal texts":       {`try { crypto.timingSafeEqual('a', 'a') } catch (e) { return e instanceof TypeError }`, `true`},
		"subtle":            {`const d = await crypto.subtle.digest('SHA-256', new Uint8Array([97, 98, 99])); return [d instanceof ArrayBuffer, new Uint8Array(d)[0]]`, `[true,186]`},
		"subtle refuses":    {`const out = []; for (const [a, d] of [['MD5', new Uint8Array(1)], ['SHA-256', 'text'], [null, new Uint8Array(1)], ['sha256', new Uint8Array(1)]]) out.push(await crypto.subtle.digest(a, d).then(() => 0, e => e instanceof Error)); return out`, `[true,true,true,true]`},
		"tampered with": {
			`Object.prototype.toJSON = Array.prototype.push = Uint8Array.prototype.set = String.prototype.toLowerCase = null;
			Object.defineProperty(Object.getPrototypeOf(Uint8Array.prototype), 'buffer', { get() { return null } }); globalThis.Uint8Array = globalThis.DataView = null;
			return [crypto.createHash('SHA256').update('a').update('bc').digest('hex') === '` + abc + `', crypto.createHmac('md5', 'k').update('x').digest('hex').length]`, `[true,32]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cryptoTool().answers(t, `async function execute() { `+c.body+` }`, c.want)
		})
	}
}

// Each thing that cryptography does needs a grant of its own; comparing needs none.
func TestCryptoGrants(t *testing.T) {
	t.Parallel()
	uses := map[string]string{"random-uuid": `crypto.randomUUID()`, "random-values": `crypto.getRandomValues(new Uint8Array(4)).length`}
	for _, a := range []string{"sha256", "sha384", "sha512", "sha1", "md5"} {
		uses[a] = `crypto.createHash('` + a + `').update('x').digest('hex')`
		uses["hmac-"+a] = `crypto.createHmac('` + a + `', 'k').update('x').digest('hex')`
	}
	if len(uses) != len(policy.CryptoNames()) {
		t.Fatalf("%d of %d names are tested", len(uses), len(policy.CryptoNames()))
	}
	for name, use := range uses {
		code := `function execute() { return ` + use + ` }`
		g := given{apis: []string{"crypto"}, policy: &policy.Policy{Crypto: []string{name}}}
		if _, _, err := g.run(t, code); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for other := range uses {
			if other != name {
				g.policy.Crypto = append(g.policy.Crypto[:0:0], other)
				g.fails(t, code, tool.Denied, name+" is not granted")
				break
			}
		}
	}
	nothing := given{apis: []string{"crypto"}}
	nothing.answers(t, `function execute() { return crypto.timingSafeEqual(new Uint8Array(2), new Uint8Array(2)) }`, `true`)
	nothing.fails(t, `async function execute() { return await crypto.subtle.digest('SHA-1', new Uint8Array(2)) }`, tool.Denied, "sha1 is not granted")
}

// With a seed a call gets the same randomness again, and says so; without one it never does.
func TestSeededRandomness(t *testing.T) {
	t.Parallel()
	const code = `function execute() { return [crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(40))], crypto.randomUUID()] }`
	outputs := map[uint64]string{}
	for _, seed := range []uint64{1, 2, 1, 2} {
		g := cryptoTool()
		g.seed = seed
		r, uses, err := g.run(t, code)
		if err != nil || len(uses) != 3 {
			t.Fatal(uses, err)
		}
		for _, u := range uses {
			if !u.Seeded {
				t.Errorf("not marked: %+v", u)
			}
		}
		if before, ok := outputs[seed]; ok && before != string(r.Output) {
			t.Errorf("seed %d: %s, then %s", seed, before, r.Output)
		}
		outputs[seed] = string(r.Output)
	}
	if outputs[1] == outputs[2] {
		t.Error("two seeds, one randomness")
	}
	first, uses, _ := cryptoTool().run(t, code)
	second, _, _ := cryptoTool().run(t, code)
	if string(first.Output) == string(second.Output) || uses[0].Seeded {
		t.Errorf("%s twice, or marked: %+v", first.Output, uses[0])
	}
}

// Randomness comes from the host's source.
func TestInjectedRandomness(t *testing.T) {
	t.Parallel()
	g := cryptoTool()
	g.host = hostapi.New(hostapi.Options{Random: strings.NewReader(strings.Repeat("\xff", 20))})
	g.answers(t, `function execute() { return [crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(4))]] }`,
		`["ffffffff-ffff-4fff-bfff-ffffffffffff",[255,255,255,255]]`)
}

func TestCryptoIsBounded(t *testing.T) {
	t.Parallel()
	g := cryptoTool()
	g.fails(t, `function execute() { return crypto.createHash('sha256').update(new Uint8Array(16 * 1048576 + 1)).digest('hex') }`, tool.Limit, "the limit is 16777216")
	g.fails(t, `async function execute() { return await crypto.subtle.digest('SHA-1', new Uint8Array(16 * 1048576 + 1)) }`, tool.Limit, "the limit is 16777216")
	g.answers(t, `function execute() { return crypto.createHash('md5').update(new Uint8Array(16 * 1048576)).digest('hex').length }`, `32`)
	g.limits = tool.Limits{MemoryBytes: 32 << 20}
	g.fails(t, `function execute() { return crypto.createHash('sha256').update('x'.repeat(60000000)).digest('hex') }`, tool.OutOfMemory, "")
}

// Host work is paid for by the byte, so that no loop of it outruns the fuel.
func TestCryptoCostsFuel(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"digest": `const s = new Uint8Array(1000000); for (;;) crypto.createHash('sha256').update(s).digest('hex')`,
		"random": `const s = new Uint8Array(65536); for (;;) crypto.getRandomValues(s)`,
		"equal":  `const s = new Uint8Array(1000000); for (;;) crypto.timingSafeEqual(s, s)`,
		"uuid":   `for (;;) crypto.randomUUID()`,
	} {
		g := cryptoTool()
		g.limits.Fuel = 2_000_000
		_, uses, err := g.run(t, `function execute() { `+body+` }`)
		bytes := int64(0)
		for _, u := range uses {
			bytes += u.BytesIn + u.BytesOut
		}
		if !errors.Is(err, tool.OutOfFuel) || bytes > 16*2_000_000+4_000_000 {
			t.Errorf("%s: %v after %d bytes", name, err, bytes)
		}
	}
}

// cryptoAttack is a case of testdata/crypto: cryptography and logs.
type cryptoAttack struct {
	attack
	LogMustMatch, LogMustNotMatch []string
	Follow                        *cryptoAttack
	OutputMustDiffer              bool
}

// TestCryptoAttacks runs them, one after the other so that leaks can be told.
func TestCryptoAttacks(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "crypto", "attacks.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []cryptoAttack
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	engine(t)
	for _, a := range all {
		t.Run(a.ID, func(t *testing.T) {
			first := a.play(t)
			if a.Follow != nil {
				second := a.Follow.play(t)
				if a.Follow.OutputMustDiffer && first == second {
					t.Errorf("two runs gave %s", first)
				}
			}
		})
	}
}

// play runs the tool, checks its outcome and invariants, and returns its output.
func (a *cryptoAttack) play(t *testing.T) string {
	t.Helper()
	g := cryptoTool()
	g.apis, g.input = a.Allowlist, string(a.Input)
	g.limits.Timeout = a.limit(a.Config.SandboxTimeoutMs)
	limits := g.limits.WithDefaults()
	memory, start := resident(), time.Now()
	result, _, err := g.run(t, a.Source)
	took := time.Since(start)
	a.judge(t, result, err)
	var lines []string
	for _, line := range result.Logs {
		lines = append(lines, line.Text)
	}
	log := strings.Join(lines, "\n")
	a.matchLog(t, log)
	for _, invariant := range a.Invariants {
		switch invariant {
		case "deadline":
			if took > limits.Timeout+patience {
				t.Errorf("took %v of %v", took, limits.Timeout)
			}
		case "host-alive":
			alive(t)
		case "bounded-log":
			if len(log) > limits.LogBytes+len(lines) {
				t.Errorf("%d bytes of logs", len(log))
			}
		case "one-line-log":
			if len(result.Logs) != 1 {
				t.Errorf("one line was logged as %d: %q", len(result.Logs), result.Logs)
			}
		case "rss":
			if grown := resident() - memory; grown > (128+64)<<20 {
				t.Errorf("the process has grown by %d bytes", grown)
			}
		}
	}
	return string(result.Output)
}

func (a *cryptoAttack) matchLog(t *testing.T, log string) {
	t.Helper()
	for _, text := range a.LogMustMatch {
		if !strings.Contains(log, text) {
			t.Errorf("the log %q lacks %q", log, text)
		}
	}
	for _, pattern := range a.LogMustNotMatch {
		if regexp.MustCompile(pattern).MatchString(log) {
			t.Errorf("the log %q matches %q", log, pattern)
		}
	}
}
