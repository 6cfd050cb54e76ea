package hostapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// files makes a folder with files, and gives it to tools.
func files(t testing.TB, content map[string]string) (given, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return given{apis: []string{"fs.readFile"}, policy: &policy.Policy{Storage: []policy.Storage{{Root: dir}}}}, dir
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	g, dir := files(t, map[string]string{
		"a.txt": "hello", "sub/ü.txt": "grüße 😀\u0000\r\n<&\u2028", "bom.txt": "\uFEFFx", "empty": "", "latin1": "caf\xe9", "half": "\xe2\x82",
	})
	absolute, _ := json.Marshal(filepath.Join(dir, "a.txt"))
	for name, c := range map[string]struct{ body, want string }{
		"relative":      {`return await fs.readFile('a.txt')`, `"hello"`},
		"absolute":      {`return await fs.readFile(` + string(absolute) + `)`, `"hello"`},
		"unicode":       {`return await fs.readFile('sub/ü.txt')`, `"grüße 😀\u0000\r\n<&` + "\u2028" + `"`},
		"dots":          {`return await fs.readFile('./sub/../a.txt')`, `"hello"`},
		"order mark":    {`return (await fs.readFile('bom.txt')).length`, `2`},
		"empty":         {`return [await fs.readFile('empty'), (await fs.readFile('empty', null)).length]`, `["",0]`},
		"bytes":         {`const b = await fs.readFile('latin1', { encoding: null }); return [b.constructor === Uint8Array, ...b]`, `[true,99,97,102,233]`},
		"null":          {`return (await fs.readFile('a.txt', null)).length`, `5`},
		"utf8":          {`return [await fs.readFile('a.txt', 'utf8'), await fs.readFile('a.txt', 'UTF-8'), await fs.readFile('a.txt', { encoding: 'utf-8', flag: 'w' })]`, `["hello","hello","hello"]`},
		"undefined":     {`return [await fs.readFile('a.txt', undefined), await fs.readFile('a.txt', {}), await fs.readFile('a.txt', { encoding: undefined })]`, `["hello","hello","hello"]`},
		"concurrently":  {`return (await Promise.all(Array.from({ length: 200 }, () => fs.readFile('a.txt')))).join('').length`, `1000`},
		"members":       {`return [Object.getOwnPropertyNames(fs), Object.getOwnPropertySymbols(fs).length, Object.keys(globalThis).includes('fs')]`, `[["readFile"],0,false]`},
		"promise":       {`const p = fs.readFile('nothing'); p.catch(() => 0); return p instanceof Promise`, `true`},
		"not found":     {`try { await fs.readFile('nothing') } catch (e) { return [e.name, e.code, e.message] }`, `["Error","not_found","fs.readFile(\"nothing\"): there is no such file"]`},
		"not text":      {`try { await fs.readFile('latin1') } catch (e) { return [e.code, e.message.includes('{encoding: null}')] }`, `["invalid_input",true]`},
		"half a rune":   {`try { await fs.readFile('half') } catch (e) { return e.code }`, `"invalid_input"`},
		"folder":        {`try { await fs.readFile('sub') } catch (e) { return [e.code, e.message] }`, `["denied","fs.readFile(\"sub\"): it does not lead to a regular file below a granted folder"]`},
		"the root":      {`try { await fs.readFile('.') } catch (e) { return e.code }`, `"denied"`},
		"through file":  {`try { await fs.readFile('a.txt/b') } catch (e) { return e.code === 'denied' || e.code === 'not_found' }`, `true`},
		"above":         {`try { await fs.readFile('../x') } catch (e) { return e.code }`, `"denied"`},
		"callback":      {`try { await fs.readFile('a.txt', () => 0) } catch (e) { return [e instanceof TypeError, e.message.includes('await')] }`, `[true,true]`},
		"encoding":      {`const out = []; for (const o of ['latin1', 'hex', 7, true, { encoding: 'base64' }, { encoding: 1 }]) try { await fs.readFile('a.txt', o) } catch (e) { out.push(e instanceof TypeError) } return out`, `[true,true,true,true,true,true]`},
		"no path":       {`const out = []; for (const p of [undefined, null, 1, {}, ['a.txt'], new Uint8Array(1), new String('a.txt')]) try { await fs.readFile(p) } catch (e) { out.push(e instanceof TypeError) } return out.length`, `7`},
		"lone half":     {`try { await fs.readFile('\ud800') } catch (e) { return e.code }`, `"not_found"`},
		"tampered with": {`Promise.prototype.then = Uint8Array.prototype.slice = String.prototype.toLowerCase = Object.prototype.toJSON = null; globalThis.Uint8Array = null; return await fs.readFile('a.txt', 'utf8')`, `"hello"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g.answers(t, `async function execute() { `+c.body+` }`, c.want)
		})
	}
}

// Uncaught, a refusal ends the call with its own code.
func TestReadFileRefusals(t *testing.T) {
	t.Parallel()
	g, dir := files(t, map[string]string{"a.txt": "hello"})
	outside, _ := json.Marshal(filepath.Dir(dir))
	g.fails(t, `async function execute() { return await fs.readFile(`+string(outside)+`) }`, tool.Denied, "no rule of permissions.storage.allow covers it")
	g.fails(t, `async function execute() { return await fs.readFile('nothing') }`, tool.GuestError, "there is no such file")
	g.policy = &policy.Policy{Storage: []policy.Storage{{Root: filepath.Join(dir, "missing")}}}
	g.fails(t, `async function execute() { return await fs.readFile('a.txt') }`, tool.GuestError, "the folder that the policy grants cannot be opened")
	_, _, err := g.run(t, `async function execute() { return await fs.readFile('a.txt') }`)
	if strings.Contains(err.Error(), dir) {
		t.Errorf("the error shows the host's folder: %v", err)
	}
}

func TestReadFileIsBounded(t *testing.T) {
	t.Parallel()
	const most = 1 << 20
	g, dir := files(t, map[string]string{
		"full": strings.Repeat("x", most), "over": strings.Repeat("x", most+1), "ten": "0123456789", "half": strings.Repeat("x", most/2),
	})
	size := func(name string) string {
		return `async function execute() { return (await fs.readFile('` + name + `')).length }`
	}
	g.answers(t, size("full"), strconv.Itoa(most))
	g.fails(t, size("over"), tool.Limit, "fsMaxFileBytes")

	g.policy = &policy.Policy{Storage: []policy.Storage{{Root: dir, MaxBytes: 10}}}
	g.answers(t, size("ten"), "10")
	g.fails(t, size("half"), tool.Limit, "more than 10 bytes")
	g.policy = &policy.Policy{Storage: []policy.Storage{{Root: dir, MaxBytes: most + 1}}}
	g.answers(t, size("over"), strconv.Itoa(most+1))

	g.policy = &policy.Policy{Storage: []policy.Storage{{Root: dir}}, FSLimits: policy.FSLimits{MaxTotalBytes: 25}}
	g.answers(t, `async function execute() { await fs.readFile('ten'); return (await fs.readFile('ten')).length }`, "10")
	g.fails(t, `async function execute() { for (let i = 0; i < 3; i++) await fs.readFile('ten') }`, tool.Limit, "fsMaxTotalBytes")
	g.fails(t, `async function execute() { await Promise.all([1, 2, 3].map(() => fs.readFile('ten'))) }`, tool.Limit, "fsMaxTotalBytes")
	g.answers(t, `async function execute() { for (let i = 0; i < 9; i++) await fs.readFile('nothing').catch(() => 0); await fs.readFile('ten'); return (await fs.readFile('ten')).length }`, "10")
}

// An answer that does not fit into the tool's memory is the tool's failure, not the host's.
func TestReadFileIntoSmallMemory(t *testing.T) {
	t.Parallel()
	g, dir := files(t, map[string]string{"large": strings.Repeat("x", 48<<20)})
	g.policy = &policy.Policy{Storage: []policy.Storage{{Root: dir, MaxBytes: 64 << 20}}, FSLimits: policy.FSLimits{MaxTotalBytes: 64 << 20}}
	g.limits = tool.Limits{MemoryBytes: 16 << 20}
	g.fails(t, `async function execute() { return (await fs.readFile('large', null)).length }`, tool.OutOfMemory, "")
}

func TestReadFileEndsWithTheCall(t *testing.T) {
	t.Parallel()
	g, _ := files(t, map[string]string{"a": "x"})
	session := hostapi.New(hostapi.Options{}).Begin(g.policy, 0)
	defer session.Close()
	read := session.Funcs()["fs.readFile"]
	ask := wasmjs.Request{Value: json.RawMessage(`{"path":"a"}`)}
	if reply, err := read(t.Context(), ask); err != nil || !bytes.Equal(reply.Bytes, []byte("x")) {
		t.Errorf("%v %v", reply, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := read(ctx, ask); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The guard of paths, against a straightforward oracle: what the operating system says a path leads to.
func FuzzPathGuard(f *testing.F) {
	dir, err := filepath.EvalSymlinks(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	root := makeMaze(f, dir)
	for _, path := range []string{
		"a", "b/c", "b/up/a", "in", "b/in", "out", "out/s", "b/out/s", "abs", "loop", "b/../a", "../outside/s", "./b/./c", "deep/deep/a", "..a", "b/up/../a",
		"deep/out/s", "dangling", "a/", "a/.", "b", ".", "", "\x00", "\x00/../a", "in/a", "b//c", "out/../a", "deep/../../outside/s", root + "/a", root + "/../outside/s",
	} {
		f.Add(path)
	}
	session := hostapi.New(hostapi.Options{}).Begin(&policy.Policy{Storage: []policy.Storage{{Root: root}}}, 0)
	f.Cleanup(session.Close)
	read := session.Funcs()["fs.readFile"]
	f.Fuzz(func(t *testing.T, path string) {
		value, err := json.Marshal(map[string]any{"path": path})
		if err != nil || strings.ToValidUTF8(path, "") != path {
			return
		}
		reply, err := read(t.Context(), wasmjs.Request{Value: value})
		if strings.Contains(string(reply.Bytes), "SECRET") {
			t.Fatalf("%q leaks", path)
		}
		want, inside := leadsTo(root, path)
		switch {
		case err == nil && (!inside || string(reply.Bytes) != want):
			t.Errorf("%q was read as %q; it leads to %q, inside %v", path, reply.Bytes, want, inside)
		case err != nil && inside && len(path) < 4000:
			t.Errorf("%q leads to %q, yet %v", path, want, err)
		case err != nil && strings.Contains(err.Error(), root) && !strings.Contains(path, root):
			t.Errorf("%q: the error shows the host's folder: %v", path, err)
		}
	})
}

// leadsTo returns the content of the regular file that a path leads to, and whether that lies below root.
func leadsTo(root, path string) (string, bool) {
	if path == "" || strings.ContainsRune(path, 0) { // the system ends a path there, even if cleaning would drop that part
		return "", false
	}
	path = filepath.Clean(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	if path != root && !strings.HasPrefix(path, root+string(filepath.Separator)) {
		return "", false
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil || !strings.HasPrefix(real, root+string(filepath.Separator)) {
		return "", false
	}
	info, err := os.Stat(real)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	content, err := os.ReadFile(real)
	return string(content), err == nil
}

// makeMaze makes a folder with links that stay inside, and links that lead out. None leads out and in again, or is absolute
// and leads inside: those are refused though they end inside.
func makeMaze(t testing.TB, dir string) string {
	t.Helper()
	root := filepath.Join(dir, "root")
	for name, text := range map[string]string{"root/a": "A", "root/..a": "dots", "root/b/c": "C", "root/b/a": "BA", "outside/s": "SECRET", "root-evil/s": "SECRET"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o750), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"in": "a", "b/in": "../a", "b/up": "..", "deep": "b/up/.", "out": "../outside", "b/out": "../../outside", "abs": filepath.Join(dir, "outside", "s"),
		"loop": "loop", "loop1": "loop2", "loop2": "loop1", "dangling": "nothing", "evil": "../root-evil/s",
	} {
		if err := os.Symlink(filepath.FromSlash(target), filepath.Join(root, filepath.FromSlash(name))); err != nil {
			if goruntime.GOOS != "windows" { // where links need a privilege
				t.Fatal(err)
			}
			t.Skip("no links here: ", err)
		}
	}
	return root
}
