package server

import (
	"crypto/tls"
	"sync/atomic"

	"example.com/toolsmith/runtime/tool"
)

// Certificate is one for TLS, with its key, in two files that may change.
type Certificate struct {
	certFile, keyFile string
	now               atomic.Pointer[tls.Certificate]
}

// LoadCertificate reads a certificate with the chain above it, and its key, both PEM.
func LoadCertificate(certFile, keyFile string) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile}
	return c, c.Reload()
}

// Reload reads the files anew, for connections that begin afterwards. With an error the certificate stays what it was.
func (c *Certificate) Reload() error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		e := tool.Errorf(tool.InvalidRequest, "the certificate cannot be used: %w", err)
		e.Hint = "give a certificate and its key, both PEM"
		return e
	}
	c.now.Store(&pair)
	return nil
}

func (c *Certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.now.Load(), nil },
	}
}
