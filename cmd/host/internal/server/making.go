package server

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
	"example.com/toolsmith/wasmjs"
)

// KeyInput is the idempotency key of a request.
type KeyInput struct {
	Key string `header:"Idempotency-Key" maxLength:"200" doc:"The same request under the same key is done once within 24 hours, and answered the same."`
}

// registerMaking registers what makes tools and calls them.
func (s *Server) registerMaking(api huma.API) {
	forged := &document{
		"What each gate found, and the tool. As text/event-stream: stage events, and then result or problem.",
		map[string]func(huma.Registry) *huma.Schema{jsonType: schemaOf[forge.Result], eventType: anyJSON("")},
	}
	add(s, api, operation{
		id: "forge", method: http.MethodPost, path: "/v1/forge", tag: "make", about: "Forge a tool", scopes: []tool.Scope{tool.ScopeForge},
		more: "Takes a request for a tool through all gates: shape, static check, its own tests in the sandbox, and the judge.", answers: forged,
		body: &body{wire.MaxJSONBytes, []string{jsonType}, true, anyJSON("A request: name, description, inputSchema, outputSchema, implementation, testCases.")},
	}, s.forge)
	add(s, api, operation{
		id: "import", method: http.MethodPost, path: "/v1/import", tag: "make", about: "Forge the tool of a package", scopes: []tool.Scope{tool.ScopeForge},
		more: "Takes the tool of a package through all gates, as if the caller had asked for it.", answers: forged,
		body: &body{forge.MaxPackageBytes, []string{yamlType, jsonType}, true, anyJSON("A package, as export gives it.")},
	}, s.importTool)
	add(s, api, operation{
		id: "call", method: http.MethodPost, path: "/v1/tools/{tool}/call", tag: "make", about: "Call a tool", scopes: []tool.Scope{tool.ScopeCall},
		more: "The body is the input, as it is. A tool is named as the caller sees it, and may be one of the host.",
		answers: &document{
			"What it returned. As text/event-stream: started, a log event for each line that the tool writes to its console, if it is the caller's own, and then result or problem.",
			map[string]func(huma.Registry) *huma.Schema{jsonType: schemaOf[CallReport], eventType: anyJSON("")},
		},
		body: &body{int64(s.opt.InputBytes), []string{jsonType}, false, anyJSON("What the tool gets; nothing is {}.")},
	}, s.call)
}

func (s *Server) forge(ctx context.Context, in *KeyInput) (*huma.StreamResponse, error) {
	v := visiting(ctx)
	return s.perform(v, in.Key, task{[]string{"forge"}, func(ctx context.Context) (any, error) { //nolint:contextcheck,nolintlint // see perform
		return publicResult(v.desk.Forge(ctx, v.body))
	}}), nil
}

// publicResult is a result as callers may see it.
func publicResult(r *forge.Result, err error) (any, error) {
	r.Error = public(r.Error).Hinted()
	for i, p := range r.Problems {
		r.Problems[i] = public(p).Hinted()
	}
	return r, err
}

type importInput struct {
	KeyInput
	Trust            []string `query:"trust" maxItems:"16" doc:"Ed25519 public keys of those who are trusted, raw, as base64url."`
	RequireSignature bool     `query:"requireSignature" doc:"Refuse a package that is not signed by a trusted key."`

	keys []ed25519.PublicKey // those of Trust
}

// Resolve reads the keys. huma calls it.
func (in *importInput) Resolve(huma.Context) []error {
	for _, text := range in.Trust {
		key, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil || len(key) != ed25519.PublicKeySize {
			return []error{&huma.ErrorDetail{Location: "query.trust", Message: "a trusted key is no Ed25519 key: give its 32 bytes as base64url without padding"}}
		}
		in.keys = append(in.keys, key)
	}
	return nil
}

func (s *Server) importTool(ctx context.Context, in *importInput) (*huma.StreamResponse, error) {
	v := visiting(ctx)
	trust := forge.Trust{Keys: in.keys, RequireSignature: in.RequireSignature}
	trusted := jsonText(trust)
	return s.perform(v, in.Key, task{[]string{"import", string(trusted)}, func(ctx context.Context) (any, error) { //nolint:contextcheck,nolintlint // see perform
		return publicResult(v.desk.Import(ctx, v.body, trust))
	}}), nil
}

type callInput struct {
	KeyInput
	Tool string `path:"tool" maxLength:"200"`
}

func (s *Server) call(ctx context.Context, in *callInput) (*huma.StreamResponse, error) {
	v := visiting(ctx)
	input := json.RawMessage(v.body)
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	return s.perform(v, in.Key, task{[]string{"call", in.Tool}, func(ctx context.Context) (any, error) { //nolint:contextcheck,nolintlint // see perform
		progress(ctx, "started", startedEvent{in.Tool})
		result, err := v.desk.Call(ctx, in.Tool, input)
		return reportOf(result), err
	}}), nil
}

// CallReport is what a call came to. With a problem it is there as far as anything was measured.
type CallReport struct {
	Output     json.RawMessage   `json:"output,omitempty"`
	Tool       runtime.Face      `json:"tool,omitzero"`
	DurationMs float64           `json:"durationMs"`
	Stats      Stats             `json:"stats"`
	Logs       []wasmjs.Log      `json:"logs,omitempty" doc:"What the tool wrote to the console, for its owner alone."`
	Reuse      tool.ReuseVerdict `json:"reuse"`
}

// Stats is what a run in the sandbox used.
type Stats struct {
	Fuel            uint64  `json:"fuel" doc:"Units of about 10 ns."`
	WallMs          float64 `json:"wallMs"`
	PeakMemoryBytes uint64  `json:"peakMemoryBytes"`
	HostCalls       int     `json:"hostCalls"`
}

func reportOf(r *runtime.CallResult) *CallReport {
	return &CallReport{
		Output: r.Output, Tool: r.Tool, DurationMs: tool.Millis(r.Duration), Logs: r.Logs, Reuse: r.Reuse,
		Stats: Stats{r.Stats.Fuel, tool.Millis(r.Stats.Wall), r.Stats.PeakMemoryBytes, r.Stats.HostCalls},
	}
}
