package server

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"example.com/toolsmith/runtime/tool"
)

// readyTime is how long the store may take to answer while the host counts as ready.
const readyTime = 2 * time.Second

// registerHealth registers what tells how the host is.
func (s *Server) registerHealth(api huma.API) {
	add(s, api, operation{id: "health", method: http.MethodGet, path: "/healthz", tag: "health", about: "Say that the process lives", open: true}, s.health)
	add(s, api, operation{
		id: "ready", method: http.MethodGet, path: "/readyz", tag: "health", about: "Say whether requests are served",
		more: "503 while the server ends, and when the store does not answer or takes no changes, as on a full disk.", open: true,
	}, s.ready)
}

type healthOutput struct {
	Body struct {
		Status  string `json:"status" example:"ok"`
		Version string `json:"version"`
	}
}

func (s *Server) health(context.Context, *struct{}) (*healthOutput, error) {
	out := &healthOutput{}
	out.Body.Status, out.Body.Version = "ok", s.opt.Version
	return out, nil
}

func (s *Server) ready(ctx context.Context, in *struct{}) (*healthOutput, error) {
	if s.flight.ends() {
		return nil, &tool.Error{Code: tool.Unavailable, Message: "the server ends"}
	}
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	shelf, err := s.opt.Host.Shelf(ctx)
	if err == nil {
		_, err = shelf.Tenants(ctx)
	}
	text := unanswered
	if err == nil {
		text, err = "the store takes no changes, as on a full disk: what lies in it can be read", shelf.Writable(ctx)
	}
	if s.unready.due(s.opt.Now(), err) {
		s.opt.Logger.Error("the server is not ready", "error", err)
	}
	if err != nil {
		return nil, &tool.Error{Code: tool.Unavailable, Message: text, Hint: "the log says why"}
	}
	return s.health(ctx, in)
}

// unanswered is what is said of a store that does not answer.
const unanswered = "the store does not answer"
