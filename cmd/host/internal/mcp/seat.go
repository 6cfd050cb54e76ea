package mcp

import (
	"context"
	"encoding/base32"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime/tool"
)

// seat is a credential at the face, and the server object that is its own.
type seat struct {
	face    *Face
	who     tool.Principal
	person  string // who is at the client; "" when a key stands for the caller
	fixed   string // the session of all that happens here; "" when the protocol or the credential says which
	server  *sdk.Server
	flood   *bucket       // of notifications
	listens chan struct{} // one for each subscription over HTTP
	seen    time.Time
	life    context.Context //nolint:containedctx // ends what runs here
	hears   context.Context //nolint:containedctx // ends subscriptions, which nobody could end any more

	results   results
	published published

	mu      sync.Mutex
	answers map[string]*reply // to calls in sessions over HTTP, by the session and the key of the id
	used    map[string]bool   // sessions that were minted for connections, and used
	uses    map[string]*use   // of sessions of the protocol over HTTP
}

// credential is what tells credentials apart. The same key with other scopes is another one.
func credential(p tool.Principal) string {
	return p.Tenant + "\x00" + p.Persona + "\x00" + p.KeyID + "\x00" + p.Scopes.String()
}

const instructions = `A host for tools that you make yourself. Look for a tool with search_tools before you make one. ` +
	`Make one with forge_tool when none fits (the prompt write_forge_request teaches how), then call it with call_tool by its handle. ` +
	`A refusal says what to mend. A tool ends with the session, unless promote_tool has a person keep it.`

func (f *Face) newSeat(p tool.Principal) *seat {
	const rate, burst = 50, 500 // notifications
	s := &seat{face: f, who: p, person: f.personOf(p), life: f.life, hears: f.life, flood: newBucket(f.opt.Now, rate, burst), used: map[string]bool{}, answers: map[string]*reply{}, uses: map[string]*use{}}
	s.listens = make(chan struct{}, maxSessions)
	s.server = sdk.NewServer(&sdk.Implementation{Name: "toolsmith", Title: "Toolsmith", Version: f.opt.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		GetSessionID: f.mint,
		SetCacheable: func(_ context.Context, req sdk.Request, c *sdk.Cacheable) {
			c.CacheScope, c.TTLMs = "private", f.keeps(req)
		},
		CompletionHandler: s.complete,
		Capabilities: &sdk.ServerCapabilities{
			Tools: &sdk.ToolCapabilities{ListChanged: f.opt.Publish != ""}, Prompts: &sdk.PromptCapabilities{}, Resources: &sdk.ResourceCapabilities{},
		},
	})
	for _, t := range f.tools {
		s.server.AddTool(t.face(), s.handler(t))
	}
	s.addResources()
	s.addPrompts()
	s.server.AddReceivingMiddleware(s.guard, s.publishFirst)
	s.server.AddSendingMiddleware(hear)
	return s
}

// keeps says how long a client may keep an answer, in milliseconds: lists for a while where they are the same for as long as the
// host runs, and nothing that depends on what is forged.
func (f *Face) keeps(req sdk.Request) int {
	const while = 5 * 60 * 1000
	switch req.(type) {
	case *sdk.ReadResourceRequest:
		return 0
	case *sdk.ListToolsRequest:
		if f.opt.Publish != "" {
			return 0
		}
	}
	return while
}

// personOf is who is at the client of a principal; "" for the holder of a key, who decides in its own name.
func (f *Face) personOf(p tool.Principal) string {
	if p.KeyID != "" {
		return ""
	}
	return f.opt.Person
}

// mint makes a name that cannot be guessed; "" without randomness.
func (f *Face) mint() string {
	random, err := f.bytes(20)
	if err != nil {
		return "" // bytes has logged why
	}
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(random)
}

// guard recovers from what goes wrong within the protocol library, whose goroutines would end the process, and ends what runs when
// its session ends.
func (s *seat) guard(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.face.opt.Logger.Error("a request ended in a panic", "method", method, "panic", p)
				result, err = nil, errInternal.wire()
			}
		}()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.lifeOf(method, req.GetSession().ID()), cancel)() //nolint:contextcheck // what ends the session ends the request, too
		if wrong := s.begins(method, req); wrong != nil {
			return nil, wrong.wire()
		}
		negotiate(req)
		result, err = next(ctx, method, req)
		return result, advised(method, err)
	}
}

// advised adds to an error of the protocol library what the host says of it.
func advised(method string, err error) error {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || e.Code == 0 {
		return err
	}
	data := e.Data
	switch {
	case e.Code != jsonrpc.CodeInvalidParams:
	case method == "tools/call" && len(data) == 0:
		data = advice{tool.NotFound, "tools/list has those that there are; others are called by call_tool"}.data()
	case method == "resources/read" && len(data) > 0: // the address
		data = advice{tool.NotFound, "resources/list and resources/templates/list have those that there are"}.within(data)
	}
	return coded(&jsonrpc.Error{Code: e.Code, Message: e.Message, Data: data})
}

// begins says why a session over HTTP cannot begin, which counts as one by now; nil is nothing.
func (s *seat) begins(method string, req sdk.Request) *fault {
	switch {
	case method != initialize || s.fixed != "":
		return nil
	case s.life.Err() != nil:
		return errEnds
	case req.GetSession().ID() == "":
		return errNoName
	case s.sessions() > maxSessions: // several came at once
		return errSessions
	}
	return nil
}

// negotiate puts the version that a session is to speak in the place of one that its client asked for, and that there is not, or not
// with sessions: the protocol library answers with that one, but goes on as if the session had the other.
func negotiate(req sdk.Request) {
	if p, ok := req.GetParams().(*sdk.InitializeParams); ok && p != nil && (p.ProtocolVersion >= current || !slices.Contains(sdk.SupportedProtocolVersions(), p.ProtocolVersion)) {
		p.ProtocolVersion = stateful
	}
}

var (
	errInternal = &fault{code: jsonrpc.CodeInternalError, message: "the host failed"}
	errEnds     = &fault{jsonrpc.CodeInternalError, "the server ends", advice{tool.Unavailable, "try again later"}}
	errNoName   = &fault{jsonrpc.CodeInternalError, "there is no randomness for the name of a session", advice{tool.Unavailable, "try again later"}}
	errSessions = &fault{jsonrpc.CodeInternalError, "too many sessions of this key", advice{tool.Limit, "end one, or wait until one has been idle"}}
)

func (s *seat) idle() bool {
	for range s.server.Sessions() {
		return false
	}
	return true
}

func (s *seat) close() {
	for session := range s.server.Sessions() {
		go func() { _ = session.Close() }() // a client that is gone has nobody to tell
	}
}

// session is the name of the session that a request belongs to: the one that the client asks for, else that of the connection,
// else one per key. It ends with the connection when it was minted for that.
func (s *seat) session(from *sdk.ServerSession, extra *sdk.RequestExtra) (name string, minted bool) {
	if s.fixed != "" {
		return s.fixed, false // whoever fixed it ends it
	}
	if extra != nil && extra.Header != nil {
		if name := extra.Header.Get(hostSessionHeader); name != "" {
			return name, false
		}
	}
	if id := from.ID(); id != "" {
		return "mcp-" + id, true
	}
	return s.standing(), false
}

// standing is the session of clients that have none of their own.
func (s *seat) standing() string {
	if s.who.KeyID == "" {
		return "mcp"
	}
	return "mcp-" + s.who.KeyID
}

// desk opens the desk for a request. A session that the protocol began ends with it.
func (s *seat) desk(ctx context.Context, from *sdk.ServerSession, extra *sdk.RequestExtra) (desk.Desk, error) {
	name, minted := s.session(from, extra)
	d, err := s.face.opt.Desk(ctx, s.who, name)
	if err != nil {
		return nil, err
	}
	if s.fixed != "" {
		s.first(name)
	} else if minted && s.first(name) {
		s.face.atEnd(func() {
			_ = from.Wait() // however it ended
			s.end(context.WithoutCancel(ctx), name)
		})
	}
	return d, nil
}

// first reports whether a session was not used before.
func (s *seat) first(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.used[name]
	s.used[name] = true
	return !was
}

const maxEnd = 10 * time.Second // for the end of a session

// end ends a session that was minted for a connection, if it was used.
func (s *seat) end(ctx context.Context, name string) {
	s.mu.Lock()
	was := s.used[name]
	delete(s.used, name)
	s.mu.Unlock()
	if !was {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, maxEnd)
	defer cancel()
	d, err := s.face.opt.Desk(ctx, s.who, name)
	if err == nil {
		_, err = d.EndSession(ctx, s.who.Persona, name)
	}
	if err != nil && !errors.Is(err, tool.NotFound) { // one that only looked never was
		s.face.opt.Logger.Warn("a session could not be ended; it ends when it was idle for long", "session", name, "error", err)
	}
}
