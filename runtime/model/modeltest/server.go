package modeltest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"time"
)

// Key is the key that the server takes, for every provider.
const Key = "test-key-8c1f"

// Server answers as chat models do. It listens on loopback until it is closed.
type Server struct {
	URL string // without /v1

	http   *httptest.Server
	closed chan struct{}

	mu    sync.Mutex
	steps []Step
	used  []bool
	seen  []Request
	note  func(Request)
}

// Request is what the server was asked.
type Request struct {
	Path   string
	Header http.Header
	Body   []byte
}

// Start starts a server that answers with the steps. The caller closes it.
func Start(steps ...Step) *Server {
	s := &Server{steps: steps, used: make([]bool, len(steps)), closed: make(chan struct{})}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL
	return s
}

// Close ends the server, and every answer that hangs.
func (s *Server) Close() {
	close(s.closed)
	s.http.Close()
}

// Env returns the environment in which a provider (openai, anthropic, ollama) is this server. For any other there is none.
func (s *Server) Env(provider string) map[string]string {
	switch provider {
	case "openai":
		return map[string]string{"OPENAI_API_KEY": Key, "OPENAI_BASE_URL": s.URL + "/v1"}
	case "anthropic":
		return map[string]string{"ANTHROPIC_API_KEY": Key, "ANTHROPIC_BASE_URL": s.URL}
	case "ollama":
		return map[string]string{"OLLAMA_HOST": s.URL}
	}
	return nil
}

// Getenv gives the key for every variable. It is for specs that name the address themselves.
func (s *Server) Getenv(string) string { return Key }

// Seen returns the requests so far, in order; retries too, and those that were refused.
func (s *Server) Seen() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.seen...)
}

// Left is how many steps have not been used.
func (s *Server) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := 0
	for _, used := range s.used {
		if !used {
			left++
		}
	}
	return left
}

// serve answers one request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		return
	}
	req := Request{r.URL.Path, r.Header.Clone(), body}
	p, ok := protocols[r.URL.Path]
	if !ok || r.Method != http.MethodPost {
		write(w, http.StatusNotFound, openAI{}.fault(Fault(http.StatusNotFound, "no such path: "+r.Method+" "+r.URL.Path)))
		return
	}
	status, complaint := p.refuse(req)
	step, found := Step{}, false
	s.mu.Lock()
	s.seen = append(s.seen, req)
	if s.note != nil {
		s.note(req)
	}
	if complaint == "" {
		if step, found = s.take(body); !found {
			status, complaint = http.StatusBadRequest, fmt.Sprintf("modeltest: none of the %d steps is left for request %d", len(s.steps), len(s.seen))
		}
	}
	s.mu.Unlock()
	if complaint != "" {
		write(w, status, p.fault(Fault(status, complaint)))
		return
	}
	s.answer(w, r, p, step.to(body))
}

// take returns the first step that is left and fits.
func (s *Server) take(body []byte) (Step, bool) {
	for i, step := range s.steps {
		if !s.used[i] && bytes.Contains(body, []byte(step.When)) {
			s.used[i] = true
			return step, true
		}
	}
	return Step{}, false
}

// answer plays a step.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, p protocol, step Step) {
	status, body := step.render(p)
	s.wait(r, time.After(step.delay()))
	if step.Hang && !step.Cut {
		s.wait(r, nil)
		return
	}
	if step.RetryAfter != "" {
		w.Header().Set("Retry-After", step.RetryAfter)
	}
	for name, value := range step.Header {
		w.Header().Set(name, value)
	}
	if !step.Cut {
		write(w, status, body)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	write(w, status, body[:len(body)/2])
	_ = http.NewResponseController(w).Flush()
	if step.Hang {
		s.wait(r, nil)
	}
	panic(http.ErrAbortHandler) // ends the connection, as documented
}

// wait waits for the time, or until nobody waits for the answer any more.
func (s *Server) wait(r *http.Request, until <-chan time.Time) {
	select {
	case <-until:
	case <-r.Context().Done():
	case <-s.closed:
	}
}

// render is the status and the body of a step.
func (s Step) render(p protocol) (int, []byte) {
	status := s.Status
	if status == 0 {
		status = http.StatusOK
	}
	switch {
	case s.Body != "":
		return status, []byte(s.Body)
	case status != http.StatusOK:
		return status, p.fault(s)
	}
	return status, p.reply(s)
}

func write(w http.ResponseWriter, status int, body []byte) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
