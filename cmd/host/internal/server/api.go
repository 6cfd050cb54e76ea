package server

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"example.com/toolsmith/runtime/tool"
)

// operation is one thing that the API does.
type operation struct {
	id, method, path string
	about            string // in a line
	more             string // what else there is to know
	tag              string
	body             *body        // that it takes; nil takes none
	answers          *document    // when its answer is not made of a Go type alone
	open             bool         // needs no key
	scopes           []tool.Scope // one of which it takes, where that is known before its body has come
}

// body is what comes with a request.
type body struct {
	most   int64 // bytes
	types  []string
	needed bool
	schema func(huma.Registry) *huma.Schema
}

// document describes an answer.
type document struct {
	about   string
	content map[string]func(huma.Registry) *huma.Schema
}

// Bounds of bodies.
const (
	maxSmallBody = 8 << 10
	jsonType     = "application/json"
	yamlType     = "application/yaml"
)

// schemaOf is the schema of a Go type.
func schemaOf[T any](r huma.Registry) *huma.Schema { return r.Schema(reflect.TypeFor[T](), true, "") }

// anyJSON is the schema of any JSON.
func anyJSON(about string) func(huma.Registry) *huma.Schema {
	return func(huma.Registry) *huma.Schema { return &huma.Schema{Description: about} }
}

// smallBody is a small body of JSON.
func smallBody[T any]() *body { return &body{maxSmallBody, []string{jsonType}, false, schemaOf[T]} }

// mistakes makes huma word errors our way, once for the process.
var mistakes = sync.OnceFunc(func() { huma.NewErrorWithContext = mistaken })

// newAPI makes an API without operations.
func (s *Server) newAPI(mux *http.ServeMux) huma.API {
	mistakes()
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	for from, to := range aliases {
		registry.RegisterTypeAlias(from, to)
	}
	c := huma.DefaultConfig("toolsmith", s.opt.Version)
	c.CreateHooks, c.SchemasPath, c.DocsPath, c.OpenAPIPath = nil, "", "", ""
	c.Components.Schemas = registry
	c.Servers = []*huma.Server{{URL: "/"}}
	c.AllowAdditionalPropertiesByDefault = true
	c.Info.Description = "Agents forge tools, and call them. Failures are problem documents (RFC 9457) with a stable code."
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"key": {Type: "http", Scheme: "bearer", Description: "A key of a tenant. A host without tenants asks for none, and is served on loopback alone."},
	}
	return jsonAPI{humago.New(mux, c), c}
}

// jsonAPI is an API whose answers are JSON, whatever else a client would take: huma's reader of Accept panics on some values.
type jsonAPI struct {
	huma.API

	config huma.Config
}

// Config is what the API was made with: huma asks for it.
func (a jsonAPI) Config() huma.Config { return a.config }

// Negotiate implements huma.API.
func (jsonAPI) Negotiate(string) (string, error) { return jsonType, nil }

// add adds an operation. What it does runs at the visitor's desk, which is in its context.
func add[I, O any](s *Server, api huma.API, o operation, do func(ctx context.Context, in *I) (*O, error)) {
	op := huma.Operation{
		OperationID: o.id, Method: o.method, Path: o.path, Summary: o.about, Description: o.more, Tags: []string{o.tag}, BodyReadTimeout: -1,
		Security:    []map[string][]string{}, // which says that there is none
		Middlewares: huma.Middlewares{s.asked},
		Responses: map[string]*huma.Response{"default": {
			Description: "What went wrong.", Content: map[string]*huma.MediaType{problemType: {Schema: schemaOf[Problem](api.OpenAPI().Components.Schemas)}},
		}},
	}
	if o.answers != nil {
		op.Responses["200"] = o.answers.response(api.OpenAPI().Components.Schemas)
	}
	if o.body != nil {
		op.MaxBodyBytes = o.body.most
		op.Metadata = map[string]any{"types": o.body.types, "scopes": o.scopes}
	}
	if !o.open {
		op.Security = []map[string][]string{{"key": {}}}
		op.Middlewares = huma.Middlewares{s.visit, s.asked}
		op.Parameters = []*huma.Param{sessionParam()}
	}
	huma.Register(api, op, func(ctx context.Context, in *I) (*O, error) {
		if wrong := mistakesOf(ctx); wrong != nil {
			return nil, mistakenIn(wrong)
		}
		out, err := do(ctx, in)
		if err != nil {
			return nil, s.problem(err)
		}
		return out, nil
	})
	if o.body != nil { // once huma does not look any more: bodies are read by visit
		item := api.OpenAPI().Paths[o.path]
		made := map[string]*huma.Operation{http.MethodPost: item.Post, http.MethodDelete: item.Delete}[o.method]
		made.RequestBody = &huma.RequestBody{Required: o.body.needed, Content: map[string]*huma.MediaType{}}
		for _, kind := range o.body.types {
			made.RequestBody.Content[kind] = &huma.MediaType{Schema: o.body.schema(api.OpenAPI().Components.Schemas)}
		}
	}
}

// sessionParam is the header of requests for callers, as the document has it; authenticate reads it.
func sessionParam() *huma.Param {
	most := tool.MaxIdentityBytes
	return &huma.Param{
		Name: SessionHeader, In: "header", Description: "The session of the key's persona that the request belongs to.",
		Schema: &huma.Schema{Type: huma.TypeString, MaxLength: &most, Default: defaultSession},
	}
}

// asked looks at the query: each parameter is one that the operation takes, and is given once, since of two nobody knows which is
// meant. What is wrong is told together with what huma finds. What cannot be read is refused: nobody knows what is meant by it.
func (s *Server) asked(ctx huma.Context, next func(huma.Context)) {
	at := ctx.URL()
	if at.RawQuery == "" {
		next(ctx)
		return
	}
	query, err := url.ParseQuery(at.RawQuery)
	if err != nil {
		_, w := humago.Unwrap(ctx)
		s.writeProblem(w, problemOf(&tool.Error{Code: tool.InvalidRequest, Message: "the query of the address is malformed", Hint: "write it as name=value&name=value, percent-encoded"}))
		return
	}
	takes := map[string]bool{}
	for _, param := range ctx.Operation().Parameters {
		takes[param.Name] = takes[param.Name] || param.In == "query"
	}
	var wrong []Mistake
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case !takes[name]:
			wrong = append(wrong, Mistake{"query." + name, "unknown query parameter"})
		case len(query[name]) > 1:
			wrong = append(wrong, Mistake{"query." + name, "given more than once"})
		}
	}
	next(huma.WithValue(ctx, mistakesKey{}, wrong))
}

func (d *document) response(r huma.Registry) *huma.Response {
	response := &huma.Response{Description: d.about, Content: map[string]*huma.MediaType{}}
	for kind, schema := range d.content {
		response.Content[kind] = &huma.MediaType{Schema: schema(r)}
	}
	return response
}

// bodyTypes are the media types of bodies that an operation takes.
func bodyTypes(op *huma.Operation) []string {
	types, _ := op.Metadata["types"].([]string)
	return types
}

// scopesOf are those one of which an operation takes; none are left to the desk.
func scopesOf(op *huma.Operation) []tool.Scope {
	scopes, _ := op.Metadata["scopes"].([]tool.Scope)
	return scopes
}

// register registers all operations, and makes the document.
func (s *Server) register(mux *http.ServeMux) (err error) {
	api := s.newAPI(mux)
	s.registerMaking(api)
	s.registerFinding(api)
	s.registerDeciding(api)
	s.registerLog(api)
	s.registerHealth(api)
	if s.document, err = json.Marshal(api.OpenAPI()); err != nil {
		return tool.Errorf(tool.Internal, "writing the OpenAPI document: %w", err)
	}
	return nil
}

// page is a part of a list.
type page[T any] struct {
	Items []T    `json:"items" nullable:"false"`
	Next  string `json:"next,omitempty" doc:"The cursor of the next part; absent on the last."`
}

// pageOutput is an answer with a part of a list.
type pageOutput[T any] struct {
	Link string `header:"Link" doc:"The next part, as rel=next."`
	Body page[T]
}

// PageInput picks a part of a list.
type PageInput struct {
	Cursor string `query:"cursor" maxLength:"1000" doc:"Where the part begins: next of the part before."`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"At most so many."`

	after string // the key that the cursor holds
}

// Resolve reads the cursor, which is of the list that is asked for. huma calls it.
func (in *PageInput) Resolve(ctx huma.Context) []error {
	if in.Cursor == "" {
		return nil
	}
	var ok bool
	if in.after, ok = readCursor(ctx.Operation().Path, in.Cursor); !ok {
		return []error{&huma.ErrorDetail{Location: "query.cursor", Message: "this is no cursor of this list: give next of the part before, as it was"}}
	}
	return nil
}

// cut returns the part of a list, whose items have keys in their order, that an input picks.
func cut[T any](all []T, key func(T) string, in PageInput, path string, query map[string]string) *pageOutput[T] {
	from := 0
	if in.after != "" {
		from, _ = slices.BinarySearchFunc(all, in.after, func(item T, after string) int {
			if key(item) <= after {
				return -1
			}
			return 1
		})
	}
	to := min(from+in.Limit, len(all))
	out := &pageOutput[T]{Body: page[T]{Items: append([]T{}, all[from:to]...)}}
	if to < len(all) {
		out.Body.Next = writeCursor(path, key(all[to-1]))
		query["cursor"], query["limit"] = out.Body.Next, strconv.Itoa(in.Limit)
		out.Link = fmt.Sprintf("<%s>; rel=\"next\"", withQuery(path, query))
	}
	return out
}
