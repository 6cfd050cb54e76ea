package model

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"time"

	"example.com/toolsmith/runtime/tool"
)

const (
	maxRetries    = 3
	firstWait     = 500 * time.Millisecond // doubles from retry to retry
	maxErrorBytes = 64 << 10               // of the body of an error that is read
)

// connections is shared by all models. It takes no proxy from the environment.
var connections = &http.Transport{
	DialContext:            (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
	TLSHandshakeTimeout:    10 * time.Second,
	ForceAttemptHTTP2:      true,
	MaxIdleConns:           32,
	MaxIdleConnsPerHost:    8,
	IdleConnTimeout:        90 * time.Second,
	MaxResponseHeaderBytes: 64 << 10,
}

// exchange sends requests to one provider and brings back answers that are JSON.
type exchange struct {
	who    source
	client http.Client
	sleep  func(context.Context, time.Duration) error
}

// source is what messages say about a provider; key is what they must not say.
type source struct{ provider, model, host, key, keyEnv string }

// answer is one answer of a provider.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func newExchange(who source, transport http.RoundTripper, sleep func(context.Context, time.Duration) error) *exchange {
	if transport == nil {
		transport = connections
	}
	if sleep == nil {
		sleep = pause
	}
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &exchange{who, http.Client{Transport: transport, CheckRedirect: refuse}, sleep}
}

// post sends a body and returns that of the answer, which is valid JSON and carries no error.
func (x *exchange) post(ctx context.Context, url string, header http.Header, body []byte) ([]byte, error) {
	if len(body) > MaxRequestBytes {
		return nil, tool.Errorf(tool.InvalidRequest, "the request to the model is longer than %d bytes", MaxRequestBytes)
	}
	ctx, cancel := context.WithTimeout(ctx, MaxWait)
	defer cancel()
	for retry := 0; ; retry++ {
		a, err := x.once(ctx, url, header, body)
		if err != nil {
			return nil, err
		}
		if a.good() {
			return x.accept(a)
		}
		wait, told := a.retryAfter()
		if !told {
			wait = firstWait << retry
		}
		if retry == maxRetries || !a.passing() || !within(ctx, wait) {
			return nil, x.who.refused(a)
		}
		if err := x.sleep(ctx, wait); err != nil {
			return nil, x.who.broken(ctx, err)
		}
	}
}

// once sends the body one time.
func (x *exchange) once(ctx context.Context, url string, header http.Header, body []byte) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body)) //nolint:gosec // the operator says where
	if err != nil {
		return answer{}, x.who.broken(ctx, err)
	}
	req.Header = header
	resp, err := x.client.Do(req) //nolint:gosec // the operator says where
	if err != nil {
		return answer{}, x.who.broken(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	a := answer{status: resp.StatusCode, header: resp.Header}
	most := int64(MaxReplyBytes)
	if !a.good() {
		most = maxErrorBytes
	}
	a.body, err = io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err != nil && (a.good() || ctx.Err() != nil) {
		return answer{}, x.who.broken(ctx, err)
	}
	return a, nil
}

// accept looks at the body of a good status.
func (x *exchange) accept(a answer) ([]byte, error) {
	switch {
	case len(a.body) > MaxReplyBytes:
		return nil, x.who.fault("answered with more than %d bytes", MaxReplyBytes)
	case !json.Valid(a.body):
		return nil, x.who.passing("gave an answer that is not JSON, or is cut off")
	}
	if said, failed := a.complaint(); failed { // some gateways report a failure so
		return nil, x.who.fault("reported a failure%s", x.who.quoted(said))
	}
	return a.body, nil
}

// within reports whether a wait ends before the context does.
func within(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > wait
}

// pause waits; it is the sleep of every model that is given none.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
