package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// Target is a server, and what it is asked in turn.
type Target struct {
	Address  string   // host:port
	Requests [][]byte // each a whole request of HTTP/1.1; at least one
	Want     []byte   // is within every answer of what is served
}

// Post is a request with a body of JSON and a key.
func Post(host, path, key string, body []byte) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		path, host, key, len(body))
	text.Write(body)
	return text.Bytes()
}

const (
	patience = 20 * time.Second // for an answer
	stale    = 3 * time.Second  // after which a silent connection is made anew: servers close those that say nothing
)

// Client asks on one connection, which it makes when it needs one. It is not safe for concurrent use; once its context ends, it
// gives up. Whoever makes one closes it.
type Client struct {
	address string
	to      net.Conn // nil when there is none
	quit    func() bool
	used    time.Time
	in      *bufio.Reader
	body    bytes.Buffer
}

// NewClient returns a client of a server at host:port.
func NewClient(address string) *Client { return &Client{address: address} }

// Dial returns so many clients that are connected, or will try once more when they ask. Hang closes them.
func Dial(ctx context.Context, address string, n int) []*Client {
	clients := make([]*Client, n)
	var running sync.WaitGroup
	for i := range clients {
		clients[i] = NewClient(address)
		running.Go(func() { _ = clients[i].open(ctx) }) // if it cannot, its first request cannot either
	}
	running.Wait()
	return clients
}

// Hang closes clients.
func Hang(clients []*Client) {
	for _, c := range clients {
		_ = c.Close() // nothing is lost with it
	}
}

// Ask sends a request and returns the status and the body of the answer, which is good until the next one.
func (c *Client) Ask(ctx context.Context, request []byte) (status int, body []byte, err error) {
	c.body.Reset()
	if time.Since(c.used) > stale {
		_ = c.Close() // nothing is lost with it
	}
	if err := c.open(ctx); err != nil {
		return 0, nil, err
	}
	c.used = time.Now()
	status, last, err := c.exchange(request)
	if err != nil || last {
		err = errors.Join(err, c.Close())
	}
	return status, c.body.Bytes(), err
}

func (c *Client) open(ctx context.Context) error {
	if c.to != nil {
		return nil
	}
	var d net.Dialer
	to, err := d.DialContext(ctx, "tcp", c.address)
	if err != nil {
		return err
	}
	c.to, c.in, c.used = to, bufio.NewReader(to), time.Now()
	c.quit = context.AfterFunc(ctx, func() { _ = to.Close() })
	return nil
}

// exchange sends a request and reads the answer. last is whether the connection ends with it.
func (c *Client) exchange(request []byte) (status int, last bool, err error) {
	if err := c.to.SetDeadline(time.Now().Add(patience)); err != nil {
		return 0, true, err
	}
	if _, err := c.to.Write(request); err != nil {
		return 0, true, err
	}
	answer, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return 0, true, err
	}
	_, err = io.Copy(&c.body, answer.Body)
	return answer.StatusCode, answer.Close, errors.Join(err, answer.Body.Close())
}

// Close ends the connection, if there is one.
func (c *Client) Close() error {
	if c.to == nil {
		return nil
	}
	c.quit()
	err := c.to.Close()
	c.to = nil
	return err
}
