package mcp

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/toolsmith/runtime/tool"
)

// Bounds of what waits for people.
const (
	maxWait = 10 * time.Minute
	maxJobs = 100
)

const idBytes = 16 // of a state, before its code

// approval is the name of the question that a client gets.
const approval = "approval"

// form is approvalForm as the protocol library takes it.
func form() any { return json.RawMessage(approvalForm) }

// job is a call that goes on while its client asks a person, and whose client comes back with another request.
type job struct {
	call   *call
	asks   chan question
	done   chan *sdk.CallToolResult // has room for one
	cancel context.CancelFunc
	asked  question  // what was asked last
	until  time.Time // when it is given up
	secret []byte    // of the state that the client was given last
}

// parking holds the jobs that wait. A state names one, once: it holds what the job is bound to, under a code that only this
// process can make.
type parking struct {
	now  func() time.Time
	mu   sync.Mutex
	jobs map[string]*job // by the state that the client was given
}

// begin runs a call. One that may ask a person, of a client that is asked by answers, runs on by itself.
func (s *seat) begin(ctx context.Context, c *call) *sdk.CallToolResult {
	if !c.tool.asks || !modern(c.line.req) || !canAsk(c.line.req) {
		return c.do(ctx)
	}
	running, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxWait)
	j := &job{call: c, asks: make(chan question), done: make(chan *sdk.CallToolResult, 1), cancel: cancel, until: s.face.opt.Now().Add(maxWait)}
	c.line.asks = j.asks
	go func() {
		defer cancel()
		j.done <- c.do(running)
	}()
	return s.await(ctx, j)
}

// await waits for the end of a job, or for a question of its. While it does, the end of the request ends the job.
func (s *seat) await(ctx context.Context, j *job) *sdk.CallToolResult {
	stop := context.AfterFunc(ctx, j.cancel)
	defer stop()
	select {
	case result := <-j.done:
		return result
	case j.asked = <-j.asks:
		if !stop() {
			return <-j.done
		}
		state := ""
		if random, err := s.face.bytes(idBytes + 32); err == nil {
			state = s.face.parked.park(j, random[:idBytes], random[idBytes:])
		}
		if state == "" {
			j.asked.answer <- nil
			return s.await(ctx, j)
		}
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{approval: j.asked.params}, RequestState: state}
	}
}

// resume goes on with a job, now that its client has asked.
func (s *seat) resume(ctx context.Context, t *metaTool, req *sdk.CallToolRequest) *sdk.CallToolResult {
	j := s.face.parked.claim(req.Params.RequestState, s, t, req.Params.Arguments)
	if j == nil {
		return failure(&tool.Error{
			Code: tool.Rejected, Message: "the state is not one that waits for this call, or not any more",
			Hint: "call the tool again, without a state: a state counts once, for the same call by the same caller, for " + maxWait.String(),
		})
	}
	said, _ := req.Params.InputResponses[approval].(*sdk.ElicitResult)
	j.call.line.move(ctx, req)
	j.asked.answer <- said
	return s.await(ctx, j)
}

// park keeps a job, and returns the state by which it is claimed; "" when there is no room, or its client has left.
func (p *parking) park(j *job, id, secret []byte) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	for state, other := range p.jobs {
		if now.After(other.until) {
			other.cancel()
			delete(p.jobs, state)
		}
	}
	if len(p.jobs) >= maxJobs || j.call.life.Err() != nil {
		return ""
	}
	j.secret = secret
	state := base64.RawURLEncoding.EncodeToString(slices.Concat(id, j.sum(id, credential(j.call.who), j.call.tool.name, canonical(j.call.args))))
	p.jobs[state] = j
	return state
}

// sum binds a state to the principal, the tool, the arguments, what the person was shown, and the end of the wait.
func (j *job) sum(id []byte, who, name string, args []byte) []byte {
	mac := hmac.New(sha256.New, j.secret)
	shown := ""
	if j.asked.params != nil {
		shown = j.asked.params.Message
	}
	for _, part := range []string{string(id), who, name, string(args), shown, j.until.UTC().Format(time.RFC3339Nano)} {
		part := sha256.Sum256([]byte(part))
		_, _ = mac.Write(part[:])
	}
	return mac.Sum(nil)
}

// claim returns the job of a state, and forgets it; nil when the state is not of this principal, tool and arguments.
func (p *parking) claim(state string, s *seat, t *metaTool, args json.RawMessage) *job {
	p.mu.Lock()
	defer p.mu.Unlock()
	j := p.jobs[state]
	raw, err := base64.RawURLEncoding.DecodeString(state)
	if j == nil || err != nil || len(raw) < idBytes {
		return nil
	}
	if !hmac.Equal(raw[idBytes:], j.sum(raw[:idBytes], credential(s.who), t.name, canonical(args))) || p.now().After(j.until) {
		return nil
	}
	delete(p.jobs, state)
	return j
}

// canonical is the one text of arguments, however a client writes them the second time.
func canonical(args json.RawMessage) []byte {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if text, err := tool.Canonical(args); err == nil {
		return text
	}
	return args
}

// close gives up what waits of a seat, or all of it for nil, and returns when that has ended.
func (p *parking) close(of *seat) {
	p.mu.Lock()
	var ending []*job
	for state, j := range p.jobs {
		if of == nil || j.call.seat == of {
			j.cancel()
			delete(p.jobs, state)
			ending = append(ending, j)
		}
	}
	p.mu.Unlock()
	for _, j := range ending {
		<-j.done
	}
}
