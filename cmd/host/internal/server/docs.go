package server

import (
	"embed"
	"net/http"
)

//go:embed page
var pageFiles embed.FS

// registerDocs serves the document, and a page that shows it and asks nobody else for anything.
func (s *Server) registerDocs(mux *http.ServeMux) {
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/openapi+json")
		_, _ = w.Write(s.document)
	})
	for path, file := range map[string]string{"/docs": "docs.html", "/docs/docs.js": "docs.js", "/docs/docs.css": "docs.css"} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy",
				"default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
			http.ServeFileFS(w, r, pageFiles, "page/"+file)
		})
	}
}
