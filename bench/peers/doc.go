// Package peers runs the same programs on many JavaScript engines: ours and those it is compared with. Every engine
// lives in a process of its own and is driven over a pipe, one JSON object per line, so that batches of all of them
// can alternate within one run and no engine's garbage collector works in another's time.
//
// Engines written in Go are served by this very binary, run again (Serve); those under Node by node/server.js, the
// native QuickJS by native/peer.c. All speak the protocol of Request and Reply.
package peers
