package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// A server that is ended under load loses nothing that it has acknowledged, and answers or refuses everything else.
func TestEndsUnderLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := open(t, dir, nil)
	address, stop := w.serve(true)
	const clients = 8
	var kept sync.Map // names of tools whose forging was acknowledged
	var calls int
	var mu sync.Mutex
	started := make(chan struct{}, clients)
	var running sync.WaitGroup
	for i := range clients {
		session := fmt.Sprint("s", i)
		running.Go(func() {
			for n := 0; ; n++ {
				name := fmt.Sprintf("tool_%d_%d", i, n%3)
				status, err := post(address, session, "/v1/forge", request(t, name, adding))
				if status == http.StatusOK {
					kept.Store(session+"/"+name, true)
					status, err = post(address, session, "/v1/tools/"+name+"/call", `{"a":1,"b":2}`)
				}
				if n == 0 {
					started <- struct{}{}
				}
				if err != nil || status == http.StatusServiceUnavailable {
					return // it has ended
				}
				if status != http.StatusOK {
					continue // a session may forge only so much
				}
				mu.Lock()
				calls++
				mu.Unlock()
			}
		})
	}
	for range clients {
		receive(t, started, "the first answer of every client")
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	running.Wait()
	w.http.Close()
	if err := w.host.Close(); err != nil {
		t.Fatal(err)
	}
	w = open(t, dir, nil)
	var page struct {
		Items []struct{ Name, SessionID string }
	}
	w.ok(&page, graceKey, "GET", "/v1/tools?all=true&limit=200", "")
	found := map[string]bool{}
	for _, r := range page.Items {
		found[r.SessionID+"/"+r.Name] = true
	}
	n := 0
	kept.Range(func(key, _ any) bool {
		n++
		if !found[key.(string)] {
			t.Errorf("%s is lost", key)
		}
		return true
	})
	if n == 0 || calls == 0 {
		t.Errorf("%d tools and %d calls prove nothing", n, calls)
	}
}

// post sends a request of ann's and returns the status.
func post(address, session, path, body string) (int, error) {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://"+address+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + annKey, "Content-Type": "application/json", "Toolsmith-Session": session} {
		r.Header.Set(name, value)
	}
	answer, err := patient.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && !json.Valid(text) {
		err = fmt.Errorf("an answer that was cut off: %s", text)
	}
	return answer.StatusCode, err
}
