package server

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"

	"example.com/toolsmith/runtime/tool"
)

// Listen listens on an address, host:port. Other machines are served only when there are keys to tell callers apart by. With a
// certificate, connections are TLS.
func Listen(ctx context.Context, address string, keyed bool, certificate *Certificate) (net.Listener, error) {
	if !keyed && !Loopback(address) {
		return nil, &tool.Error{
			Code: tool.Denied, Message: "other machines could reach " + address + ", and no tenant has a key to tell callers apart by",
			Hint: "make one with tenant create, or listen on a loopback address such as 127.0.0.1:7420",
		}
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, unusable(address, err)
	}
	l = &pool{Listener: l, most: connections()}
	if certificate != nil {
		l = tls.NewListener(l, certificate.config())
	}
	return l, nil
}

func unusable(address string, err error) error {
	e := tool.Errorf(tool.Unavailable, "cannot serve on %s: %w", address, err)
	e.Hint = "name another address with --listen, or end what listens there"
	return e
}

// Loopback reports whether an address, host:port, is of this machine alone.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}
