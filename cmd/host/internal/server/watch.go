package server

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// whileKnown returns a context of a request that ends when the key that it came with does not work any more: revoked, expired, or
// of a tenant that is gone or suspended. Its cause is then a *tool.Error. stop ends it, too, and has to be called.
func (s *Server) whileKnown(r *http.Request, v *visit) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(r.Context())
	r = r.WithContext(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		look := time.NewTicker(lookEvery)
		defer look.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-look.C:
			}
			if err := s.refused(r, v); err != nil {
				cancel(err)
				return
			}
		}
	})
	return ctx, func() { cancel(nil); running.Wait() }
}

// refused says why a key is refused, or not needed any more; nil when it is not. That nobody can tell now is neither.
func (s *Server) refused(r *http.Request, v *visit) error {
	again, err := s.authenticate(r)
	if err != nil {
		p, refused := errors.AsType[*Problem](err)
		switch {
		case !refused:
			return nil
		case p.Code == tool.Suspended:
			return p.AsError()
		}
	} else if again.principal.KeyID == v.principal.KeyID {
		return nil
	}
	return &tool.Error{Code: tool.Denied, Message: "the key does not work any more", Hint: "ask the operator of the host for another"}
}

// lasting ends the streams of a handler whose key does not work any more.
func (s *Server) lasting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if streams(r) {
			ctx, stop := s.whileKnown(r, visiting(r.Context()))
			defer stop()
			r = r.WithContext(ctx) //nolint:contextcheck,nolintlint // it is made of that of the request
		}
		next.ServeHTTP(w, r)
	})
}
