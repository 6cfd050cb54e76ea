package hostapi

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

// exchange guards and sends one request and returns its answer, whose body the caller closes. The connection is made for
// this request alone and to an address that has been checked, so that nothing outlives the request: no idle connection,
// no name that is looked up again.
func (f *fetcher) exchange(ctx context.Context, h hop, use *Use) (*http.Response, error) {
	rule, err := f.grant(h)
	if err != nil {
		return nil, err
	}
	use.note("by the rule for " + rule.String())
	host := h.url.Hostname()
	header, err := f.vault.fill(h.header, host, h.url.Scheme == "https" || rule.Private)
	if err != nil {
		return nil, err
	}
	if err := f.pay(h); err != nil {
		return nil, err
	}
	addrs, err := f.addresses(ctx, host, rule)
	if err != nil {
		return nil, err
	}
	conn, err := f.connect(ctx, h.url, withPort(addrs, port(h.url)))
	if err != nil {
		return nil, err
	}
	use.BytesOut += int64(len(h.body))
	resp, err := send(ctx, conn, h, header)
	if err != nil {
		_ = conn.Close()
		return nil, networkFailed(err)
	}
	resp.Body = closing{resp.Body, conn}
	if resp.StatusCode < http.StatusOK { // net/http passes on 101, and numbers that are no status
		_ = resp.Body.Close()
		return nil, failed("the server wants to switch to another protocol")
	}
	return resp, nil
}

// grant finds the rule that grants a request.
func (f *fetcher) grant(h hop) (policy.Network, error) {
	rule, err := f.session.policy.Fetch(h.method, h.url)
	if err == nil && h.secure && h.url.Scheme == "http" && !slices.Contains(rule.Ports, int(port(h.url))) {
		e := tool.Errorf(tool.Denied, "the server redirects from https to http, to the host %s", h.url.Hostname())
		e.Hint = "an operator can allow that by naming the port in the rule for the host, as in ports: [80]"
		return rule, e
	}
	return rule, err
}

// pay counts a request towards the limits of the call.
func (f *fetcher) pay(h hop) error {
	size, limits := int64(len(h.body)), f.limits
	if size > limits.MaxRequestBytes {
		return tool.Errorf(tool.Limit, "the body of a request has at most %d bytes (fetchMaxRequestBytes), not %d", limits.MaxRequestBytes, size)
	}
	if f.requests.Add(1) > int64(limits.MaxRequests) {
		return tool.Errorf(tool.Limit, "a call makes at most %d requests, redirects included (fetchMaxRequests)", limits.MaxRequests)
	}
	if f.sent.Add(size) > limits.MaxTotalRequestBytes {
		return tool.Errorf(tool.Limit, "the requests of a call have at most %d bytes in all (fetchMaxTotalRequestBytes)", limits.MaxTotalRequestBytes)
	}
	return nil
}

func withPort(addrs []netip.Addr, port uint16) []netip.AddrPort {
	list := make([]netip.AddrPort, len(addrs))
	for i, addr := range addrs {
		list[i] = netip.AddrPortFrom(addr, port)
	}
	return list
}

// port is where a request goes, whether or not its address says it.
func port(u *url.URL) uint16 {
	if given, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		return uint16(given)
	}
	if u.Scheme == "https" {
		return 443
	}
	return 80
}

// send speaks HTTP/1.1 over a connection that is used for nothing else.
func send(ctx context.Context, conn net.Conn, h hop, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, h.method, h.url.String(), bytes.NewReader(h.body))
	if err != nil {
		return nil, err
	}
	req.Header = header
	give := func(context.Context, string, string) (net.Conn, error) { return conn, nil }
	t := http.Transport{
		DialContext: give, DialTLSContext: give, DisableKeepAlives: true, DisableCompression: true,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
	return t.RoundTrip(req)
}

// closing is a body whose end is the end of its connection.
type closing struct {
	io.ReadCloser
	conn net.Conn
}

func (c closing) Close() error {
	_ = c.ReadCloser.Close()
	return c.conn.Close()
}

// failed is a failure of the network or of the server, which the web calls a TypeError.
func failed(format string, args ...any) *tool.Error {
	e := tool.Errorf(tool.Unavailable, "fetch failed: "+format, args...)
	e.Name = "TypeError"
	return e
}

// networkFailed says what a tool may know about an error from below: never an address, or words of the system.
func networkFailed(err error) error {
	if known, ok := errors.AsType[*tool.Error](err); ok {
		return known
	}
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e := failed("it was stopped before the answer was there")
		e.Code = tool.Canceled
		return e
	case strings.Contains(err.Error(), "response headers exceeded"): // net/http has no name for it
		return tool.Errorf(tool.Limit, "the headers of the answer are larger than %d bytes", maxHeaderBytes)
	case corrupt, errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.Is(err, zlib.ErrChecksum), errors.Is(err, zlib.ErrHeader):
		return failed("the answer is not compressed as it says")
	}
	return failed("the connection ended before the answer was complete, or the answer is not HTTP")
}
