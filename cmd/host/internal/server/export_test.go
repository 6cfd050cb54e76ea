package server

import (
	"net"

	"example.com/toolsmith/runtime/tool"
)

// Listen4Test listens to the events of a tenant, and takes none; the function says why it was cut, once it was.
func Listen4Test(e *Events, tenant string) (cut func() string, err error) {
	l, err := e.listen(tenant, "", "")
	return func() string { <-l.over; return e.why(l) }, err
}

// Pool4Test is a listener with room for so many connections.
func Pool4Test(l net.Listener, most int) net.Listener { return &pool{Listener: l, most: most} }

// Bound4Test has a server share out so many connections.
func Bound4Test(s *Server, connections int) { s.bound(connections) }

// Fingerprint4Test is that of a request.
func Fingerprint4Test(tenant, persona, session, body string, parts ...string) string {
	return fingerprint(&visit{caller: tool.Caller{Tenant: tenant, Persona: persona, Session: session}, body: []byte(body)}, parts...)
}

// Calls4Test listens to the calls of a tenant; the function takes the next event.
func Calls4Test(e *Events, tenant string) (take func() string, err error) {
	l, err := e.listen(tenant, "", "")
	return func() string { return string(jsonText(<-l.called)) }, err
}
