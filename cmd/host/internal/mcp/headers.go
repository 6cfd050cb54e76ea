package mcp

import (
	"mime"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/toolsmith/runtime/tool"
)

// Headers of requests.
const (
	versionHeader     = "Mcp-Protocol-Version"
	sessionHeader     = "Mcp-Session-Id"    // names a session of the protocol
	hostSessionHeader = "Toolsmith-Session" // names the session of the host that a client wants to act in
)

const eventType = "text/event-stream"

const beginAgain = "begin another with initialize"

// sessionless reports whether a request is of the current version, whose clients have no sessions.
func sessionless(r *http.Request) bool { return r.Header.Get(versionHeader) >= current }

// sessionOf is the name of the session that a request is in; "" in the current version, and before there is one.
func sessionOf(r *http.Request) string {
	if sessionless(r) {
		return ""
	}
	return r.Header.Get(sessionHeader)
}

// methodsOf are the methods of HTTP that versions of the protocol take.
func methodsOf(r *http.Request) []string {
	if sessionless(r) {
		return []string{http.MethodPost}
	}
	return []string{http.MethodGet, http.MethodPost, http.MethodDelete}
}

// fit reports whether the headers of a request are such as the protocol wants; one whose headers are not is answered.
func (s *seat) fit(w http.ResponseWriter, r *http.Request) bool {
	post, name := r.Method == http.MethodPost, sessionOf(r)
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // "" is none of ours
	version, allowed := r.Header.Get(versionHeader), methodsOf(r)
	switch {
	case len(version) > maxVersion || version != "" && version < current && !slices.Contains(sdk.SupportedProtocolVersions(), version):
		refuse(w, http.StatusBadRequest, tool.InvalidRequest, "the versions are "+strings.Join(sdk.SupportedProtocolVersions(), ", "), "there is no such version of the protocol")
	case !slices.Contains(allowed, r.Method):
		list := strings.Join(allowed, ", ")
		w.Header().Set("Allow", list)
		refuse(w, http.StatusMethodNotAllowed, tool.InvalidRequest, "it takes "+list, "this does not take "+tool.Quote(r.Method))
	case post && kind != "application/json":
		refuse(w, http.StatusUnsupportedMediaType, tool.InvalidRequest, "send it as Content-Type: application/json", "a message is JSON")
	case post && (!accepts(r, "application/json") || !accepts(r, eventType)):
		refuse(w, http.StatusNotAcceptable, tool.InvalidRequest, "send Accept: application/json, text/event-stream", "the answer is JSON or events: a client takes both")
	case sessionless(r):
		return true
	case r.Method == http.MethodGet && !accepts(r, eventType):
		refuse(w, http.StatusNotAcceptable, tool.InvalidRequest, "send Accept: text/event-stream", "what is read here is a stream of events")
	case name == "" && (r.Method == http.MethodGet || r.Method == http.MethodDelete):
		refuse(w, http.StatusBadRequest, tool.InvalidRequest, "initialize begins a session, and its answer names it", "the header Mcp-Session-Id is missing")
	case name != "" && s.named(name) == nil:
		refuse(w, http.StatusNotFound, tool.NotFound, beginAgain, "there is no such session, or not any more")
	default:
		return true
	}
	return false
}

// accepts reports whether the client takes what is of a media type.
func accepts(r *http.Request, kind string) bool {
	general, _, _ := strings.Cut(kind, "/")
	for _, list := range r.Header.Values("Accept") {
		for taken := range strings.SplitSeq(list, ",") {
			taken, _, _ = strings.Cut(taken, ";")
			switch strings.ToLower(strings.TrimSpace(taken)) {
			case kind, general + "/*", "*/*":
				return true
			}
		}
	}
	return false
}

// named returns the session of this credential that has a name; nil is none. Others have theirs elsewhere, which looks the same.
func (s *seat) named(name string) *sdk.ServerSession {
	for session := range s.server.Sessions() {
		if name != "" && session.ID() == name {
			return session
		}
	}
	return nil
}

// inOrder says what is wrong with a message because of when it comes, or of what its headers say of the version; nil is nothing.
func (s *seat) inOrder(f frame, r *http.Request) *fault {
	version := r.Header.Get(versionHeader)
	if !sessionless(r) {
		return f.inOrder(sessionOf(r) != "", version)
	}
	session := s.named(r.Header.Get(sessionHeader))
	if session == nil || session.InitializeParams() == nil || f.version() != "" {
		return nil
	}
	speaks := session.InitializeParams().ProtocolVersion
	return &fault{
		sdk.CodeHeaderMismatch, "this session speaks " + speaks + ", and the header Mcp-Protocol-Version says " + tool.Quote(version),
		advice{tool.InvalidRequest, "send Mcp-Protocol-Version: " + speaks + ", the version that the answer to initialize has"},
	}
}
