package server

import (
	"context"
	"errors"
	"net/http"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// Time that the store has before metrics are served or refused without it. They are asked for when something is wrong.
const (
	keyedTime = 250 * time.Millisecond // to say that there are keys
	adminTime = 2 * time.Second        // to say whose a key is
)

// metrics lets the operator read the metrics: where there are keys, an administrator of the tenant of whoever has none.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	if err := s.mayMeasure(r); err != nil {
		s.writeProblem(w, s.problem(err))
		return
	}
	s.opt.Metrics.ServeHTTP(w, r)
}

// mayMeasure is nil for those who may read the metrics. While a store that does not answer was never heard to have keys there are
// none: that it has is remembered.
func (s *Server) mayMeasure(r *http.Request) error {
	if keyed, err := soon(r.Context(), keyedTime, s.keyed); err != nil || !keyed {
		return nil //nolint:nilerr // see above
	}
	v, err := soon(r.Context(), adminTime, func(ctx context.Context) (*visit, error) { return s.authenticate(r.WithContext(ctx)) })
	if errors.Is(err, tool.Timeout) || errors.Is(err, tool.Unavailable) {
		return &tool.Error{Code: tool.Unavailable, Message: unanswered + ", so that the key cannot be looked up", Hint: "try again later"}
	}
	if err == nil {
		err = v.principal.Scopes.Require(tool.ScopeAdmin)
	}
	if err == nil && v.principal.Tenant != tool.LocalTenant {
		err = &tool.Error{Code: tool.Denied, Message: "metrics are of all tenants, and for the operator alone", Hint: "send a key of the tenant " + tool.LocalTenant}
	}
	return err
}

// soon does something that may take some time at most, even where it heeds no context.
func soon[T any](ctx context.Context, most time.Duration, do func(context.Context) (T, error)) (value T, err error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel() // and not before what was done is here
	done := make(chan func() (T, error), 1)
	go func() {
		value, err := do(ctx)
		done <- func() (T, error) { return value, err }
	}()
	select {
	case result := <-done:
		return result()
	case <-ctx.Done():
		return value, tool.AsError(ctx.Err())
	}
}
