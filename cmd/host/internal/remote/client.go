// Package remote serves at a desk that stands elsewhere: it speaks to the HTTP API of a host.
package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/runtime/tool"
)

// Options say where a host is, and who asks.
type Options struct {
	URL      string // of the host: http or https, without a path
	Key      string // of a tenant; "" is none
	Session  string // of the key's persona; "" is the usual one of the API
	Insecure bool   // the key may go to another machine without TLS
	CA       []byte // certificates in PEM, of the authorities that that of the host may come from; nil are those of the system

	Transport http.RoundTripper // nil: one that gives up on what does not answer
}

// Bounds of what a host answers.
const (
	maxAnswer = 40 << 20 // bytes: the largest output, and what goes with it
	maxPages  = 5000     // of a list
	maxTime   = 15 * time.Minute
	dialTime  = 10 * time.Second
)

// Client is a desk at a host elsewhere. It is safe for concurrent use.
type Client struct {
	opt  Options
	base string
	http *http.Client
}

var _ desk.Desk = (*Client)(nil)

// New makes a client. Nothing is sent yet. The error is InvalidRequest for what is no address of a host, and Denied when a key
// would go to another machine in the open.
func New(opt Options) (*Client, error) {
	u, err := url.Parse(strings.TrimSuffix(opt.URL, "/"))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.Path != "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, &tool.Error{Code: tool.InvalidRequest, Message: "this is no address of a host: " + tool.Quote(opt.URL), Hint: "write it as in https://tools.example:7420"}
	}
	if opt.Key != "" && u.Scheme == "http" && !opt.Insecure && !loopback(u.Hostname()) {
		return nil, &tool.Error{
			Code: tool.Denied, Message: "the key would go to " + u.Host + " in the open", Hint: "use https, or --insecure where the network is trusted",
		}
	}
	if strings.Trim(opt.Key, keyLetters) != "" {
		return nil, &tool.Error{
			Code: tool.InvalidRequest, Message: "the key has a space, a line break or another character that no key has", Hint: "give the key alone, as it was shown when it was made",
		}
	}
	if opt.Transport == nil {
		if opt.Transport, err = newTransport(opt.CA); err != nil {
			return nil, err
		}
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // the key goes nowhere else
	return &Client{opt, u.Scheme + "://" + u.Host, &http.Client{Transport: opt.Transport, CheckRedirect: stay}}, nil
}

// newTransport makes a transport that gives up on what does not answer.
func newTransport(ca []byte) (http.RoundTripper, error) {
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: dialTime}).DialContext, TLSHandshakeTimeout: dialTime,
		MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute,
	}
	if ca != nil {
		t.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
		if !t.TLSClientConfig.RootCAs.AppendCertsFromPEM(ca) {
			return nil, &tool.Error{Code: tool.InvalidRequest, Message: "there is no certificate of an authority in the file", Hint: "give certificates in PEM, which begin with -----BEGIN CERTIFICATE-----"}
		}
	}
	return t, nil
}

// keyLetters are those of keys, and of other bearer tokens.
const keyLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/="

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// Close lets go of the connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// request is one to a host.
type request struct {
	method, path string
	query        url.Values
	body         []byte // nil is none
	kind         string // of the body; "" is JSON
}

// get asks for something.
func get(path string, query url.Values) request {
	return request{method: http.MethodGet, path: path, query: query}
}

// post sends a value.
func post(path string, body any) (request, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return request{}, tool.Errorf(tool.InvalidRequest, "writing a request: %w", err)
	}
	return request{method: http.MethodPost, path: path, body: text}, nil
}

// toolPath is the path of a tool.
func toolPath(which string, what ...string) string {
	return "/v1/tools/" + url.PathEscape(which) + strings.Join(append([]string{""}, what...), "/")
}

// refusal is a problem, with its result as it came.
type refusal struct {
	server.Problem

	Result json.RawMessage `json:"result"`
}

// fetch sends a request and returns the body of the answer. With a problem the error is what it tells of, and the body is what was
// found until then.
func (c *Client) fetch(ctx context.Context, r request) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	response, err := c.send(ctx, r)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, c.unreachable(ctx, err)
	case len(body) > maxAnswer:
		return nil, &tool.Error{
			Code: tool.OutputTooLarge, Message: fmt.Sprintf("%s answers with more than %d bytes", c.base, maxAnswer), Hint: "check that a host of tools is at the address",
		}
	case response.StatusCode == http.StatusOK:
		return body, nil
	}
	var p refusal
	if err := json.Unmarshal(body, &p); err != nil || p.Code == "" {
		return nil, &tool.Error{
			Code: tool.Unavailable, Message: fmt.Sprintf("%s answers %d, and not as a host of tools does", c.base, response.StatusCode), Hint: "check the address",
		}
	}
	return p.Result, p.AsError()
}

func (c *Client) send(ctx context.Context, r request) (*http.Response, error) {
	address := c.base + r.path
	if query := r.query.Encode(); query != "" {
		address += "?" + query
	}
	out, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	if r.body != nil {
		out.Header.Set("Content-Type", "application/json")
		if r.kind != "" {
			out.Header.Set("Content-Type", r.kind)
		}
	}
	if c.opt.Key != "" {
		out.Header.Set("Authorization", "Bearer "+c.opt.Key)
	}
	if c.opt.Session != "" {
		out.Header.Set(server.SessionHeader, c.opt.Session)
	}
	return c.http.Do(out)
}

// unreachable words a failure of the connection.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil {
		return tool.AsError(ended)
	}
	cause := err
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		cause = wrapped.Err
	}
	hint := "check the address, and that host serve runs there"
	if _, untrusted := errors.AsType[*tls.CertificateVerificationError](err); untrusted {
		hint = "name the authority of its certificate with --ca FILE, and the host by a name that the certificate has"
	}
	return &tool.Error{Code: tool.Unavailable, Message: fmt.Sprintf("cannot reach %s: %v", c.base, cause), Hint: hint, Cause: err}
}

// read sends a request and reads the answer into a T.
func read[T any](ctx context.Context, c *Client, r request) (into T, err error) {
	body, err := c.fetch(ctx, r)
	if err != nil {
		return into, err
	}
	if err := json.Unmarshal(body, &into); err != nil {
		var none T
		return none, c.unexpected(err)
	}
	return into, nil
}

// readFound sends a request and reads the answer, or what goes with a problem, which may be nothing.
func (c *Client) readFound(ctx context.Context, r request, into any) error {
	body, err := c.fetch(ctx, r)
	if err != nil && len(body) == 0 {
		return err
	}
	if wrong := json.Unmarshal(body, into); wrong != nil && err == nil {
		return c.unexpected(wrong)
	}
	return err
}

// unexpected is the error of an answer that no host of this version gives.
func (c *Client) unexpected(cause error) error {
	return &tool.Error{Code: tool.Unavailable, Message: c.base + " answers what is not expected of it", Hint: "check that both are of the same version", Cause: cause}
}

// items is an answer with a list.
type items[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next"`
}

// all reads the parts of a list.
func all[T any](ctx context.Context, c *Client, path string, query url.Values) (list []T, err error) {
	query.Set("limit", "200")
	for range maxPages {
		page, err := read[items[T]](ctx, c, get(path, query))
		if err != nil {
			return nil, err
		}
		list = append(list, page.Items...)
		if page.Next == "" {
			return list, nil
		}
		if page.Next == query.Get("cursor") {
			break
		}
		query.Set("cursor", page.Next)
	}
	return nil, &tool.Error{Code: tool.Unavailable, Message: c.base + " answers with a list that does not end", Hint: "check that a host of tools is at the address"}
}
