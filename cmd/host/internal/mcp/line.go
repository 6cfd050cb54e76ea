package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

// Versions of the protocol.
const (
	current  = "2026-07-28" // the first without sessions
	stateful = "2025-11-25" // the last with sessions
)

// line is the way back to the client that waits for a call. When a call waits for a person, the request that goes on with it
// takes the place of the one that began it.
type line struct {
	began time.Time
	now   func() time.Time
	asks  chan question // what a person is to be asked by the answer to the request; nil when the client is asked right away

	mu  sync.Mutex
	ctx context.Context //nolint:containedctx // that of the request which waits now
	req *sdk.CallToolRequest
	n   float64 // of notifications of progress
	tip string  // how to go on after what a person said; "" after a yes, and while nobody said anything
}

func newLine(ctx context.Context, s *seat, req *sdk.CallToolRequest) *line {
	return &line{began: s.face.opt.Now(), now: s.face.opt.Now, ctx: ctx, req: req}
}

// lineKey is the key under which a context holds the line of its call.
type lineKey struct{}

func withLine(ctx context.Context, l *line) context.Context {
	return context.WithValue(ctx, lineKey{}, l)
}

// request is what is known of where the call came from.
func (l *line) request() (*sdk.ServerSession, *sdk.RequestExtra) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.req.Session, l.req.Extra
}

// move puts another request in the place of the one that waits.
func (l *line) move(ctx context.Context, req *sdk.CallToolRequest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ctx, l.req, l.n = ctx, req, 0
}

// progress tells a client that wants to know how far a call is.
func (l *line) progress(message string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	token := l.req.Params.GetProgressToken()
	if token == nil || l.ctx.Err() != nil {
		return
	}
	l.n++
	_ = l.req.Session.NotifyProgress(l.ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: l.n, Message: message}) // a client that is gone
}

// tick tells now and then how long a call has run, until the function that it returns is called.
func (l *line) tick(every time.Duration) (stop func()) {
	l.mu.Lock()
	wanted := l.req.Params.GetProgressToken() != nil
	l.mu.Unlock()
	if !wanted {
		return func() {}
	}
	return each(every, func() { l.progress(fmt.Sprintf("running for %s", l.now().Sub(l.began).Round(100*time.Millisecond))) })
}

// each does something again and again on a goroutine of its own, until the function that it returns is called, and returns.
func each(every time.Duration, do func()) (stop func()) {
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		for {
			select {
			case <-ended:
				return
			case <-ticks.C:
				do()
			}
		}
	}()
	return func() { close(ended); <-done }
}

// modern reports whether the client speaks the protocol without sessions.
func modern(req *sdk.CallToolRequest) bool {
	p := req.Session.InitializeParams()
	return p != nil && p.ProtocolVersion >= current
}

// canAsk reports whether the client can ask its user.
func canAsk(req *sdk.CallToolRequest) bool {
	c := req.ClientCapabilities()
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// question is what a person is to be asked.
type question struct {
	params *sdk.ElicitParams
	answer chan *sdk.ElicitResult // has room for one
}

// maxSheet bounds what a client is asked to show its user, in bytes.
const maxSheet = 64 << 10

// Ask asks the user of the client that waits for what ctx belongs to: it is how a judge.Human asks clients. Whoever has no
// client, or one that cannot ask, does not approve.
func Ask(ctx context.Context, _ tool.Actor, question, sheet string) (approved bool, reason string, err error) {
	l, ok := ctx.Value(lineKey{}).(*line)
	switch {
	case !ok:
		return false, "nobody answered: there is no client whose user could be asked", nil
	case !l.canAsk():
		return false, "nobody answered: the client cannot ask its user (it does not offer elicitation)", nil
	case len(sheet) > maxSheet:
		return false, fmt.Sprintf("nobody answered: what is to be shown has %d bytes, and a client is asked to show at most %d", len(sheet), maxSheet), nil
	}
	return l.ask(ctx, question, sheet)
}

func (l *line) canAsk() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return canAsk(l.req)
}

// approvalForm is what a person fills in, a constant.
const approvalForm = `{"type":"object","properties":{` +
	`"approve":{"type":"boolean","title":"Approve","description":"yes lets the tool be used"},` +
	`"reason":{"type":"string","title":"Reason","description":"why; it is kept with the decision","maxLength":1000}},"required":["approve"]}`

// ask brings the answer of the client's user.
func (l *line) ask(ctx context.Context, what, sheet string) (approved bool, reason string, err error) {
	params := &sdk.ElicitParams{Mode: "form", Message: sheet, RequestedSchema: form()}
	if sheet == "" {
		params.Message = what
	}
	said, err := l.askBy(ctx, params)
	switch {
	case ctx.Err() != nil:
		return false, "", tool.AsError(ctx.Err())
	case err != nil:
		return false, unanswered(err), nil
	}
	approved, reason = read(said)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tip = tipAfter(said, approved)
	return approved, reason, nil
}

// askBy has a person asked in the way of the client's version.
func (l *line) askBy(ctx context.Context, params *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	if l.asks != nil {
		return l.askByAnswer(ctx, params), nil
	}
	l.mu.Lock()
	waiting, session := l.ctx, l.req.Session
	l.mu.Unlock()
	waiting, cancel := context.WithTimeout(waiting, maxWait)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	return session.Elicit(waiting, params) //nolint:contextcheck // the client answers to the request that waits
}

// errUnread takes the place of an answer to a question that is refused.
var errUnread = &fault{code: jsonrpc.CodeInvalidRequest, message: "the client's answer could not be read"}

// unanswered says why a question has no answer.
func unanswered(err error) string {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	switch {
	case ok && e.Code == errUnread.code && e.Message == errUnread.message:
		return "nobody answered: " + errUnread.message
	case errors.Is(err, context.DeadlineExceeded):
		return "nobody answered within " + maxWait.String()
	}
	return "nobody answered: the client could not ask its user"
}

// tipAfter is how a model goes on after what a client says that its user said: people are not asked again until they give in.
func tipAfter(said *sdk.ElicitResult, approved bool) string {
	switch {
	case approved || said == nil:
		return ""
	case !fits(said):
		return "it takes a client that answers what it is asked: tell the person, and do not ask again"
	case said.Action == "accept" || said.Action == "decline":
		return "the person said no: do not ask again unless they say so"
	}
	return "the person did not want to decide: do not ask again unless they say so"
}

// tipFor is the tip where an error comes of what a person said; "" otherwise.
func (l *line) tipFor(err error) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !errors.Is(err, tool.Rejected) {
		return ""
	}
	return l.tip
}

// declined words an error that comes of what a person said for the model that has to go on.
func (l *line) declined(err error) error {
	tip := l.tipFor(err)
	if tip == "" {
		return err
	}
	e := *tool.AsError(err)
	e.Hint, e.RetryAfter = tip, 0
	return &e
}

// askByAnswer has a person asked by the answer to the request that waits.
func (l *line) askByAnswer(ctx context.Context, params *sdk.ElicitParams) *sdk.ElicitResult {
	q := question{params, make(chan *sdk.ElicitResult, 1)}
	select {
	case l.asks <- q:
	case <-ctx.Done():
		return nil
	}
	select {
	case said := <-q.answer:
		return said
	case <-ctx.Done():
		return nil
	}
}

// maxReason bounds what a person says for a reason, in characters.
const maxReason = 1000

// read takes what a client says that its user said. Only a plain yes approves.
func read(said *sdk.ElicitResult) (approved bool, reason string) {
	if said == nil {
		return false, "nobody answered"
	}
	if text, ok := said.Content["reason"].(string); ok && text != "" {
		if r := []rune(text); len(r) > maxReason {
			text = string(r[:maxReason])
		}
		reason = ": " + text
	}
	yes, _ := said.Content["approve"].(bool)
	switch {
	case !fits(said):
		return false, "the client's answer was not what was asked for: approve is true or false, and reason a text of at most 1000 characters"
	case said.Action == "accept" && yes:
		return true, "approved by the client's user" + reason
	case said.Action == "accept" || said.Action == "decline":
		return false, "rejected by the client's user" + reason
	}
	return false, "nobody answered: the client's user put the question away"
}

// filled is what approvalForm says of answers.
var filled = sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile([]byte(approvalForm)) })

// fits reports whether an answer is what was asked for.
func fits(said *sdk.ElicitResult) bool {
	if said.Action == "decline" || said.Action == "cancel" {
		return true
	}
	text, err := json.Marshal(said.Content)
	if err != nil {
		return false
	}
	form, err := filled()
	return err == nil && said.Action == "accept" && form.Validate(text) == nil
}

// hear takes the content from an answer that is not what was asked for: the protocol library would make an error of it, as if the
// client had not been able to ask.
func hear(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, req)
		if said, ok := result.(*sdk.ElicitResult); ok && said != nil && !fits(said) {
			said.Content = nil
		}
		return result, err
	}
}
