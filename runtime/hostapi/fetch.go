package hostapi

import (
	"context"
	_ "embed" // for the glue
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

//go:embed glue/fetch.js
var fetchGlue string

// fetchAPI is the capability "fetch": requests over HTTP, as the web has them.
type fetchAPI struct{}

func (fetchAPI) api() wasmjs.API { return wasmjs.API{Name: "fetch", Glue: fetchGlue} }

func (fetchAPI) funcs(s *Session) map[string]wasmjs.Func {
	limits := s.policy.FetchLimits.WithDefaults()
	f := &fetcher{
		session: s, limits: limits, slots: make(chan struct{}, limits.MaxConcurrent),
		vault: newVault(s.policy.Secrets, s.host.options.Getenv),
	}
	return map[string]wasmjs.Func{"fetch": s.recorded("fetch", "request", f.fetch), "fetch.abort": f.abort}
}

// fetcher makes the requests of one call. It is safe for concurrent use.
type fetcher struct {
	session *Session
	limits  policy.FetchLimits
	vault   *vault
	flights flights
	slots   chan struct{} // holds one element for each request under way

	requests, sent, received atomic.Int64 // so far; sent and received are bytes of bodies
}

// asked is a request as the glue sends it; the body comes as the bytes beside it.
type asked struct {
	ID       uint32  `json:"id"` // of the glue's choice, for fetch.abort
	URL      string  `json:"url"`
	Method   string  `json:"method"`
	Headers  []field `json:"headers"`
	Redirect string  `json:"redirect"`
}

// answered is an answer as the glue takes it.
type answered struct {
	Status     int     `json:"status"`
	StatusText string  `json:"statusText"`
	URL        string  `json:"url"`
	Redirected bool    `json:"redirected"`
	Headers    []field `json:"headers"`
}

// fetch is the operation "fetch": one request with the redirects that follow from it, and the answer with its whole body.
func (f *fetcher) fetch(ctx context.Context, req wasmjs.Request, use *Use) (wasmjs.Reply, error) {
	var ask asked
	if err := json.Unmarshal(req.Value, &ask); err != nil {
		return wasmjs.Reply{}, tool.Errorf(tool.Internal, "the request cannot be read: %w", err)
	}
	ctx, end := f.flights.begin(ctx, ask.ID)
	defer end()
	if err := f.enter(ctx); err != nil {
		return wasmjs.Reply{}, err
	}
	defer f.leave()
	reply, err := f.answer(ctx, ask, req.Bytes, use)
	if err != nil {
		err = f.told(err)
		use.note(err.Error())
	}
	use.Detail = f.vault.blankText(use.Detail)
	return reply, err
}

// enter waits for a free slot.
func (f *fetcher) enter(ctx context.Context) error {
	select {
	case f.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return networkFailed(ctx.Err())
	}
}

func (f *fetcher) leave() { <-f.slots }

func (f *fetcher) answer(ctx context.Context, ask asked, body []byte, use *Use) (wasmjs.Reply, error) {
	first, err := ask.hop(body)
	if err != nil {
		return wasmjs.Reply{}, err
	}
	use.note(first.method + " " + brief(first.url))
	resp, last, err := f.follow(ctx, first, ask.Redirect, use)
	if err != nil {
		return wasmjs.Reply{}, err
	}
	defer resp.Body.Close()
	text, err := f.receive(resp, last.method)
	if err != nil {
		return wasmjs.Reply{}, networkFailed(err)
	}
	use.BytesIn = int64(len(text))
	return f.reply(resp, text, last)
}

// hop is the first request. What is wrong with it does not get as far as the policy.
func (a asked) hop(body []byte) (hop, error) {
	if !slices.Contains(policy.Methods(), a.Method) {
		return hop{}, tool.Errorf(tool.Denied, "%q is none of the methods that fetch takes: %s", clip(a.Method), strings.Join(policy.Methods(), ", "))
	}
	u, err := parseTarget(a.URL)
	if err != nil {
		return hop{}, err
	}
	header, err := outgoing(a.Headers)
	return hop{method: a.Method, url: u, header: header, body: body}, err
}

// reply is the answer for the tool, without secrets.
func (f *fetcher) reply(resp *http.Response, text []byte, last hop) (wasmjs.Reply, error) {
	fields, err := incoming(resp.Header)
	if err != nil {
		return wasmjs.Reply{}, err
	}
	for i := range fields {
		fields[i].Value = widen(f.vault.blankText(fields[i].Value))
	}
	_, statusText, _ := strings.Cut(resp.Status, " ")
	value, err := json.Marshal(answered{
		Status: resp.StatusCode, StatusText: widen(f.vault.blankText(statusText)),
		URL: f.vault.blankText(last.url.String()), Redirected: last.redirects > 0, Headers: fields,
	})
	return wasmjs.Reply{Value: value, Bytes: f.vault.blank(text)}, err
}

// told is an error for the tool, without secrets.
func (f *fetcher) told(err error) error {
	e := *tool.AsError(err)
	e.Message, e.Hint = f.vault.blankText(e.Message), f.vault.blankText(e.Hint)
	return &e
}

// abort is the operation "fetch.abort": it ends the request of a number.
func (f *fetcher) abort(_ context.Context, req wasmjs.Request) (wasmjs.Reply, error) {
	var id uint32
	if err := json.Unmarshal(req.Value, &id); err != nil {
		return wasmjs.Reply{}, tool.Errorf(tool.Internal, "the number of a request cannot be read: %w", err)
	}
	f.flights.abort(id)
	return wasmjs.Reply{}, nil
}
