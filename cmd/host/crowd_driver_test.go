package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/toolsmith/runtime/tool"
)

// driver is a client of the protocol whose server may be killed at any moment. Two of them are of one persona, each in its own
// session; every other one has promoted tools published.
type driver struct {
	*crowd

	n, rounds int
	child     *exec.Cmd
	stderr    bytes.Buffer
	session   *sdk.ClientSession
}

var errKilled = errors.New("the server was killed")

// patience is how long a client waits for anything until it takes it for lost.
const patience = 2 * time.Minute

func (d *driver) persona() string   { return fmt.Sprintf("p%d", d.n/2) }
func (d *driver) name() string      { return fmt.Sprintf("s%d", d.n) }
func (d *driver) publishes() bool   { return d.n%2 == 0 }
func (d *driver) startsTwice() bool { return d.n%3 == 0 }

// run starts servers until the crowd is over.
func (d *driver) run() {
	for !d.isOver() {
		err := d.serve()
		if err != nil && !errors.Is(err, errKilled) {
			d.t.Errorf("the client %s: %v\n%s", d.name(), err, &d.stderr)
			return
		}
	}
}

// serve uses one server, until it is killed or the crowd is over.
func (d *driver) serve() error {
	if d.startsTwice() {
		if err := d.probe(); err != nil {
			return err
		}
	}
	if err := d.start("--session", d.name()); err != nil {
		return err
	}
	for !d.isOver() {
		if err := d.round(); err != nil {
			return d.stop(err)
		}
	}
	return d.stop(d.seePublished())
}

// probe starts a server to see what it can do, as some clients do, and once more in a session that ends with it.
func (d *driver) probe() error {
	if err := d.start(); err != nil {
		return err
	}
	if err := d.stop(nil); err != nil {
		return err
	}
	if err := d.start(); err != nil {
		return err
	}
	d.rounds++
	m := &made{name: fmt.Sprintf("times_%d_%d", d.n, d.rounds)}
	if err := d.stop(d.forge(m)); err != nil {
		return err
	}
	d.acknowledge(func() { d.fleeting = append(d.fleeting, m.id) })
	return nil
}

// start starts a server and greets it.
func (d *driver) start(more ...string) error {
	args := append([]string{"mcp", "--persona", d.persona(), "--judge", "script:" + d.verdicts}, more...)
	if d.publishes() {
		args = append(args, "--publish", "agent")
	}
	d.child = d.command(args...)
	d.stderr.Reset()
	d.child.Stderr = &d.stderr
	client := sdk.NewClient(&sdk.Implementation{Name: d.name(), Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"approve": true}}, nil
		},
	})
	var err error
	if d.session, err = client.Connect(d.t.Context(), &sdk.CommandTransport{Command: d.child, TerminateDuration: patience}, nil); err != nil {
		return err
	}
	d.enter(d.child)
	return nil
}

// stop ends a server, and returns what went wrong: before, or with the end. A killed one says so.
func (d *driver) stop(failed error) error {
	err := d.session.Close()
	killed := d.leave(d.child)
	switch {
	case failed != nil:
		return failed
	case killed:
		return errKilled
	case err != nil:
		return fmt.Errorf("the server did not end well: %w", err)
	case d.stderr.Len() > 0:
		return errors.New("the server complains")
	}
	return nil
}

// round forges a tool, calls it and the common one, and looks whether that was counted.
func (d *driver) round() error {
	d.rounds++
	m := &made{name: fmt.Sprintf("times_%d_%d", d.n, d.rounds), persona: d.persona(), session: d.name()}
	if err := d.forge(m); err != nil {
		return err
	}
	d.acknowledge(func() { d.made = append(d.made, m) })
	const common, own = 2, 3
	for range common {
		if err := d.useTool("slugify", map[string]any{"text": "A b"}, `{"slug":"a-b"}`); err != nil {
			return err
		}
	}
	if d.rounds <= 60 && d.rounds%2 == 0 {
		if err := d.promote(m); err != nil {
			return err
		}
	}
	for n := range own {
		if err := d.useTool(m.id, map[string]any{"n": n}, fmt.Sprintf(`{"product":%d}`, n*d.rounds)); err != nil {
			return err
		}
	}
	if err := d.await(m.name+" to be used", func() (bool, error) { return d.counted(m, own) }); err != nil {
		return err
	}
	d.acknowledge(func() { m.calls += own; d.calls += common }) // uses are counted in their order
	return nil
}

func (d *driver) forge(m *made) error {
	var forged struct{ Handle string }
	schema := func(name string) map[string]any {
		return map[string]any{"type": "object", "properties": map[string]any{name: map[string]any{"type": "integer"}}, "required": []string{name}}
	}
	test := func(n int) map[string]any {
		return map[string]any{"input": map[string]any{"n": n}, "expectedOutput": map[string]any{"product": n * d.rounds}}
	}
	err := d.call("forge_tool", map[string]any{
		"name": m.name, "description": fmt.Sprintf("Multiplies a number by %d.", d.rounds), "inputSchema": schema("n"), "outputSchema": schema("product"),
		"implementation": map[string]any{
			"mode": "sandbox", "code": fmt.Sprintf("function execute(input) { return { product: input.n * %d }; }", d.rounds), "allowlist": []string{},
		},
		"testCases": []any{test(1), test(7)},
	}, &forged)
	if err != nil {
		return err
	}
	m.id = forged.Handle
	return nil
}

func (d *driver) promote(m *made) error {
	var risen struct{ Tier tool.Tier }
	if err := d.call("promote_tool", map[string]any{"tool": m.id, "to": tool.AgentTier}, &risen); err != nil {
		return err
	}
	if risen.Tier != tool.AgentTier {
		return fmt.Errorf("%s is of the tier %q", m.name, risen.Tier)
	}
	d.acknowledge(func() { m.promoted = true })
	return d.useNative(m)
}

// useNative calls a promoted tool by its own name, once it is published.
func (d *driver) useNative(m *made) error {
	if !d.publishes() {
		return nil
	}
	if err := d.await(m.name+" to be published", func() (bool, error) {
		there, err := d.published()
		return there[m.name], err
	}); err != nil {
		return err
	}
	var out struct{ Product int }
	if err := d.call(m.name, map[string]any{"n": 4}, &out); err != nil {
		return err
	}
	if out.Product != 4*d.rounds {
		return fmt.Errorf("%s returned %d", m.name, out.Product)
	}
	return nil
}

// published are the names of the tools of the server.
func (d *driver) published() (map[string]bool, error) {
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	there := map[string]bool{}
	for t, err := range d.session.Tools(ctx, nil) {
		if err != nil {
			return there, d.gone(err)
		}
		there[t.Name] = true
	}
	return there, nil
}

func (d *driver) useTool(which string, input any, want string) error {
	var called struct{ Output json.RawMessage }
	if err := d.call("call_tool", map[string]any{"tool": which, "input": input}, &called); err != nil {
		return err
	}
	if string(called.Output) != want {
		return fmt.Errorf("%s returned %s, not %s", which, called.Output, want)
	}
	d.acknowledge(nil)
	return nil
}

// counted reports whether so many uses of a tool are.
func (d *driver) counted(m *made, uses int) (bool, error) {
	for after, total := 0, 1; after < total; {
		var page struct {
			Total int
			Tools []struct {
				Handle string
				Uses   int
			}
		}
		if err := d.call("list_my_tools", map[string]any{"after": after}, &page); err != nil {
			return false, err
		}
		for _, t := range page.Tools {
			if t.Handle == m.id {
				return t.Uses >= uses, nil
			}
		}
		after, total = after+len(page.Tools), page.Total
	}
	return false, fmt.Errorf("%s is not in the list", m.name)
}

// await waits for something.
func (d *driver) await(what string, is func() (bool, error)) error {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ok, err := is(); ok || err != nil {
			return err
		}
	}
	return errors.New("waited in vain for " + what)
}

// seePublished looks whether the tools of the persona that were promoted are there as tools of their own.
func (d *driver) seePublished() error {
	if !d.publishes() {
		return nil
	}
	return d.await("the promoted tools to be published", func() (bool, error) {
		there, err := d.published()
		return there["slugify"] && d.lacks(there) == 0, err
	})
}

// lacks counts the tools that should be published and are not there.
func (d *driver) lacks(there map[string]bool) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.made {
		if m.promoted && m.persona == d.persona() && !there[m.name] {
			n++
		}
	}
	return n
}

// call calls a tool of the face, again when it is refused for a while.
func (d *driver) call(name string, arguments, out any) error {
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		text, failed, err := d.ask(name, arguments)
		if err != nil {
			return d.gone(err)
		}
		if !failed {
			return json.Unmarshal(text, out)
		}
		var said struct{ Error *tool.Error }
		if err := json.Unmarshal(text, &said); err != nil || said.Error == nil || said.Error.Code != tool.Unavailable || time.Now().After(end) {
			return fmt.Errorf("%s: %s", name, text)
		}
		d.t.Logf("the client %s: %s: %v", d.name(), name, said.Error)
		d.mu.Lock()
		d.retried++
		d.mu.Unlock()
	}
}

func (d *driver) ask(name string, arguments any) (text []byte, failed bool, err error) {
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	r, err := d.session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		return nil, false, err
	}
	told, ok := r.Content[0].(*sdk.TextContent)
	if !ok {
		return nil, false, fmt.Errorf("%s answered %T", name, r.Content[0])
	}
	return []byte(told.Text), r.IsError, nil
}

// gone says that it was we who killed the server, if we did.
func (d *driver) gone(err error) error {
	if d.wasKilled(d.child) {
		return errKilled
	}
	return err
}
