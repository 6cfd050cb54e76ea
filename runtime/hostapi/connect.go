package hostapi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"time"
)

// maxDials is how many addresses of a host are tried.
const maxDials = 4

// connect connects to the first of addrs that answers, and nowhere else; for https it greets the host and checks its
// certificate. It stops at the end of ctx.
func (f *fetcher) connect(ctx context.Context, u *url.URL, addrs []netip.AddrPort) (net.Conn, error) {
	conn, err := f.dial(ctx, u.Hostname(), addrs[:min(len(addrs), maxDials)])
	if err != nil || u.Scheme != "https" {
		return conn, err
	}
	secure := tls.Client(conn, &tls.Config{
		ServerName: u.Hostname(), RootCAs: f.session.host.options.RootCAs, MinVersion: tls.VersionTLS12,
	})
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, greetingFailed(u.Hostname(), err)
	}
	return secure, nil
}

// dial tries one address after the other, each in its share of the time that is left.
func (f *fetcher) dial(ctx context.Context, host string, addrs []netip.AddrPort) (net.Conn, error) {
	for i, addr := range addrs {
		conn, err := f.dialOne(ctx, addr, len(addrs)-i)
		if err == nil {
			return conn, nil
		}
	}
	return nil, failed("%s cannot be connected to", host)
}

func (f *fetcher) dialOne(ctx context.Context, addr netip.AddrPort, shares int) (net.Conn, error) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(shares))
		defer cancel()
	}
	return f.session.host.options.Dial(ctx, "tcp", addr.String())
}

// greetingFailed says why there is no encrypted connection, as far as that is for a tool to know.
func greetingFailed(host string, err error) error {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); !ok {
		return failed("%s does not set up an encrypted connection", host)
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return failed("the certificate of %s has expired or is not valid yet", host)
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return failed("the certificate of %s is for other hosts", host)
	}
	return failed("the certificate of %s is signed by nobody this host trusts", host)
}
