package server

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// Bounds of connections.
const (
	maxConnections = 1024
	minConnections = 32
)

// connections is how many there may be at once: half of the files that the process may have open are for them, the rest is for the
// store and the sandbox.
var connections = sync.OnceValue(func() int {
	return int(min(max(openFiles()/2, minConnections), maxConnections))
})

// pool is a listener with so many connections and no more. When one too many comes, the one that has been waiting the longest for a
// request, or for the rest of its head, makes room; only while all of them have theirs answered is the new one closed. So nobody
// keeps others out who has nothing to ask.
type pool struct {
	net.Listener

	most    int
	mu      sync.Mutex
	count   int
	waiting list.List // of *connection, the one that waits the longest first
}

// Accept is that of a net.Listener.
func (p *pool) Accept() (net.Conn, error) {
	for {
		conn, err := p.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c, oldest := p.admit(conn)
		if oldest != nil {
			_ = oldest.Close()
		}
		if c != nil {
			return c, nil
		}
		_ = conn.Close()
	}
}

// admit makes room for a connection; nil is no room. Whoever has to go for it is returned, too.
func (p *pool) admit(conn net.Conn) (c, oldest *connection) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count >= p.most {
		front := p.waiting.Front()
		if front == nil {
			return nil, nil
		}
		oldest = front.Value.(*connection) //nolint:forcetypeassert // nothing else is in there
		p.remove(oldest)
	}
	p.count++
	c = &connection{Conn: conn, pool: p}
	c.place = p.waiting.PushBack(c)
	return c, oldest
}

// remove forgets a connection, if it is not forgotten yet.
func (p *pool) remove(c *connection) {
	if c.gone {
		return
	}
	c.gone = true
	p.count--
	c.leave()
}

// connection is one of a pool.
type connection struct {
	net.Conn

	pool  *pool
	place *list.Element // among those that wait; nil while a request is answered
	gone  bool
}

// leave is out of those that wait.
func (c *connection) leave() {
	if c.place != nil {
		c.pool.waiting.Remove(c.place)
		c.place = nil
	}
}

// answer says that a request is being answered, until the function that it returns is called.
func (c *connection) answer() (done func()) {
	c.pool.mu.Lock()
	defer c.pool.mu.Unlock()
	c.leave()
	return func() {
		c.pool.mu.Lock()
		defer c.pool.mu.Unlock()
		if !c.gone {
			c.place = c.pool.waiting.PushBack(c)
		}
	}
}

// Write gives up on a client that takes nothing: it has sendTime, and a second more for each bodyRate bytes.
func (c *connection) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(sendTime + time.Duration(len(p)/bodyRate)*time.Second)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// CloseWrite lets the client read what was sent before the connection is closed.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Close is that of a net.Conn.
func (c *connection) Close() error {
	c.pool.mu.Lock()
	c.pool.remove(c)
	c.pool.mu.Unlock()
	return c.Conn.Close()
}

type connectionKey struct{}

// withConnection is the context of the requests that come over a connection.
func withConnection(ctx context.Context, conn net.Conn) context.Context {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	return context.WithValue(ctx, connectionKey{}, conn)
}

// answering says that the connection of a request is in use, until the function that it returns is called. One of no pool has no bound.
func answering(ctx context.Context) (done func()) {
	if c, ok := ctx.Value(connectionKey{}).(*connection); ok {
		return c.answer()
	}
	return func() {}
}
