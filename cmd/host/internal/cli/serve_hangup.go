package cli

import (
	"os"
	"os/signal"
	"sync"
	"syscall"

	"example.com/toolsmith/cmd/host/internal/server"
)

// certificate reads the one that the flags name; nil is none.
func certificate(flags serveFlags) (*server.Certificate, error) {
	if flags.cert == "" {
		return nil, nil //nolint:nilnil // none is no mistake
	}
	return server.LoadCertificate(flags.cert, flags.certKey)
}

// hungUp reads the certificate anew. Without one there is nothing to read, and a terminal that closes is no reason to end.
func (s *service) hungUp() {
	if s.cert == nil {
		s.logger.Info("SIGHUP is ignored: there is no certificate to read anew; SIGTERM ends the server")
		return
	}
	if err := s.cert.Reload(); err != nil {
		s.logger.Error("the certificate stays as it was", "error", err)
		return
	}
	s.logger.Info("the certificate was read anew")
}

// onHangup does something at each SIGHUP, which would end the process otherwise, until the function that it returns is called.
func onHangup(do func()) (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	var running sync.WaitGroup
	running.Go(func() {
		for range hangups {
			do()
		}
	})
	return func() { signal.Stop(hangups); close(hangups); running.Wait() }
}
