package cli

import (
	"log/slog"
	"net"
	"net/netip"
	"strconv"

	"example.com/toolsmith/cmd/host/internal/server"
)

// reachable is an address at which what listens can be asked: that of all interfaces is none.
func reachable(at net.Addr) string {
	if to, err := netip.ParseAddrPort(at.String()); err == nil && to.Addr().Unmap().IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(int(to.Port())))
	}
	return at.String()
}

// warnOfTheOpen says that keys come over the network without TLS, if they do.
func warnOfTheOpen(log *slog.Logger, address, scheme string) {
	if scheme == "http" && !server.Loopback(address) {
		log.Warn("other machines can reach the server without TLS: keys can be read on their way", "listen", address)
	}
}
