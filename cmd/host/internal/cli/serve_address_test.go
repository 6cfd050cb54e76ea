package cli

import (
	"bytes"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"testing"
)

// What is printed can be asked, whatever is listened on.
func TestReachable(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{
		"127.0.0.1:7420": "127.0.0.1:7420", "[::1]:7420": "[::1]:7420", "192.0.2.1:80": "192.0.2.1:80", "[2001:db8::1]:80": "[2001:db8::1]:80",
		"0.0.0.0:7420": "localhost:7420", "[::]:7420": "localhost:7420", "[::ffff:0.0.0.0]:1": "localhost:1",
	} {
		if got := reachable(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(at))); got != want {
			t.Errorf("%s is reached as %s, want %s", at, got, want)
		}
	}
}

// Whoever serves other machines without TLS is told, by the server and by the doctor.
func TestKeysInTheOpen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		address, scheme string
		told            bool
	}{
		{":7420", "http", true},
		{"0.0.0.0:7420", "http", true},
		{"192.0.2.1:7420", "http", true},
		{":7420", "https", false},
		{"127.0.0.1:7420", "http", false},
		{"localhost:0", "http", false},
		{"[::1]:1", "http", false},
	} {
		var log bytes.Buffer
		warnOfTheOpen(slog.New(slog.NewTextHandler(&log, nil)), c.address, c.scheme)
		if told := strings.Contains(log.String(), "level=WARN"); told != c.told {
			t.Errorf("%s %s: %q", c.scheme, c.address, log.String())
		}
		if told := inTheOpen(check{OK: true}, c.address); !told.OK || c.scheme == "http" && (told.Hint != "") != c.told {
			t.Errorf("the doctor says of %s: %+v", c.address, told)
		}
	}
}
