// Package mcp serves a host to clients of the Model Context Protocol, over standard input and output and over HTTP. It is a
// face: what a caller may do is the desk's to say, what a tool does the host's.
//
// Every message is read within bounds of the package's own before the protocol library sees it, every call of a tool goes
// through one wrapper that checks arguments and recovers, and schemas that agents wrote are published only in a form that
// clients can digest. A server object belongs to one credential, so that what is listed is what that credential may see.
package mcp
