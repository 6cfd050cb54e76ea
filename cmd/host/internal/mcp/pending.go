package mcp

import (
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"example.com/toolsmith/runtime/tool"
)

// maxCalls bounds the calls of a connection that wait for their answers at once.
const maxCalls = 64

// pending is what waits for answers on a connection, in both directions. It is safe for concurrent use.
type pending struct {
	news chan struct{} // told when no call waits any more, and when the client is asked something; has room for one

	mu    sync.Mutex
	open  map[string]bool       // calls that wait for their answers, by the keys of their ids: true are those that were canceled
	asked map[string]jsonrpc.ID // what the client was asked and has not answered, likewise
}

func newPending() *pending {
	return &pending{news: make(chan struct{}, 1), open: map[string]bool{}, asked: map[string]jsonrpc.ID{}}
}

// admit takes note of a call.
func (p *pending) admit(f frame) *fault {
	if !f.isCall() {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	key := idKey(f.id)
	if _, ok := p.open[key]; ok {
		return invalid("the id is that of a call that is still running")
	}
	if len(p.open) == maxCalls {
		return &fault{
			jsonrpc.CodeInternalError, fmt.Sprintf("%d calls wait for their answers", maxCalls), advice{tool.Limit, "wait for one of them, or cancel it"},
		}
	}
	p.open[key] = false
	return nil
}

// cancel takes note that a call is canceled, if it waits: nobody reads its answer.
func (p *pending) cancel(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.open[key]; ok {
		p.open[key] = true
	}
}

// canceled reports whether a call was canceled.
func (p *pending) canceled(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open[key]
}

// settle takes note of an answer.
func (p *pending) settle(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, key)
	if len(p.open) == 0 {
		p.tell()
	}
}

// waiting reports whether calls wait for their answers.
func (p *pending) waiting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open) > 0
}

// ask takes note of what the client is asked, and of what it need not answer any more.
func (p *pending) ask(r *jsonrpc.Request) {
	if !r.IsCall() {
		p.answered(frame{method: r.Method, params: r.Params}.cancels())
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[rawKey(r.ID)] = r.ID
	p.tell()
}

// answered takes note that what the client was asked waits no more, and returns its id if it did.
func (p *pending) answered(key string) (id jsonrpc.ID, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, ok = p.asked[key]
	delete(p.asked, key)
	return id, ok
}

// unanswered is the id of something that the client was asked, which waits no more.
func (p *pending) unanswered() (id jsonrpc.ID, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, id := range p.asked {
		delete(p.asked, key)
		return id, true
	}
	return id, false
}

// tell has whoever waits look again.
func (p *pending) tell() {
	select {
	case p.news <- struct{}{}:
	default:
	}
}
