package hostapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// hop is one request on the way to an answer. A hop never changes; next makes another.
type hop struct {
	method string
	url    *url.URL
	header http.Header // as the tool wrote it, secrets not filled in
	body   []byte      // nil when there is none

	redirects int  // that led here
	secure    bool // an earlier hop was encrypted
}

// follow sends a request and those that redirects ask for, each guarded like the first. It returns the last answer,
// whose body the caller closes, and the hop that it answers.
func (f *fetcher) follow(ctx context.Context, h hop, mode string, use *Use) (*http.Response, hop, error) {
	for {
		resp, err := f.exchange(ctx, h, use)
		if err != nil || mode == "manual" || !isRedirect(resp) {
			return resp, h, err
		}
		_ = resp.Body.Close()
		switch {
		case mode == "error":
			return nil, h, failed("the server redirects, and the request says redirect: \"error\"")
		case h.redirects >= f.limits.MaxRedirects:
			return nil, h, tool.Errorf(tool.Limit, "the server redirects more than %d times (fetchMaxRedirects)", h.redirects)
		}
		if h, err = h.next(resp.StatusCode, resp.Header.Get("Location")); err != nil {
			return nil, h, err
		}
		use.note("redirected to " + brief(h.url))
	}
}

// note adds a step to the detail.
func (u *Use) note(step string) {
	if u.Detail != "" {
		u.Detail += "; "
	}
	u.Detail += step
}

// brief is an address for the operator's eyes, without its query, which may hold keys.
func brief(u *url.URL) string {
	address, _, _ := strings.Cut(u.String(), "?")
	return clip(address)
}

func isRedirect(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return len(resp.Header["Location"]) > 0
	}
	return false
}

// next is the request that a redirect asks for. What it drops stays dropped, also when a later redirect leads back.
func (h hop) next(status int, location string) (hop, error) {
	u, err := resolveTarget(h.url, location)
	if err != nil {
		return h, err
	}
	next := hop{method: h.method, url: u, header: h.header.Clone(), body: h.body, redirects: h.redirects + 1, secure: h.secure || h.url.Scheme == "https"}
	if becomesGet(status, h.method) {
		next.method, next.body = http.MethodGet, nil
		for _, name := range []string{"Content-Encoding", "Content-Language", "Content-Location", "Content-Type"} {
			next.header.Del(name)
		}
	}
	if u.Scheme != h.url.Scheme || u.Host != h.url.Host {
		crossOrigin(next.header)
	}
	return next, nil
}

func becomesGet(status int, method string) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound:
		return method == http.MethodPost
	case http.StatusSeeOther:
		return !slices.Contains([]string{http.MethodGet, http.MethodHead}, method)
	}
	return false
}
