package remote

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
	"example.com/toolsmith/wasmjs"
)

// Forge implements desk.Desk.
func (c *Client) Forge(ctx context.Context, text []byte) (*forge.Result, error) {
	return c.forged(ctx, request{method: http.MethodPost, path: "/v1/forge", body: text})
}

// Import implements desk.Desk.
func (c *Client) Import(ctx context.Context, text []byte, trust forge.Trust) (*forge.Result, error) {
	query := url.Values{}
	keys := make([]string, 0, len(trust.Keys))
	for _, key := range trust.Keys {
		keys = append(keys, base64.RawURLEncoding.EncodeToString(key))
	}
	if len(keys) > 0 {
		query.Set("trust", strings.Join(keys, ","))
	}
	if trust.RequireSignature {
		query.Set("requireSignature", "true")
	}
	return c.forged(ctx, request{method: http.MethodPost, path: "/v1/import", query: query, body: text, kind: "application/yaml"})
}

// forged reads what became of a request to forge, which a refusal tells too.
func (c *Client) forged(ctx context.Context, r request) (*forge.Result, error) {
	result := &forge.Result{}
	err := c.readFound(ctx, r, result)
	if err == nil && result.Tool == nil || slices.ContainsFunc(result.TestResults, unexplained) {
		return &forge.Result{}, c.unexpected(err)
	}
	return result, err
}

// unexplained reports whether a test failed, and nothing says how.
func unexplained(t tool.TestResult) bool { return !t.Success && t.Error == nil }

// Call implements desk.Desk.
func (c *Client) Call(ctx context.Context, name string, input json.RawMessage) (*runtime.CallResult, error) {
	var r server.CallReport
	err := c.readFound(ctx, request{method: http.MethodPost, path: toolPath(name, "call"), body: input}, &r)
	if err == nil && len(r.Output) == 0 {
		err = c.unexpected(nil)
	}
	return &runtime.CallResult{
		Output: r.Output, Tool: r.Tool, Duration: millis(r.DurationMs), Reuse: r.Reuse, Logs: r.Logs,
		Stats: wasmjs.Stats{Fuel: r.Stats.Fuel, Wall: millis(r.Stats.WallMs), PeakMemoryBytes: r.Stats.PeakMemoryBytes, HostCalls: r.Stats.HostCalls},
	}, err
}

func millis(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

// Tools implements desk.Desk.
func (c *Client) Tools(ctx context.Context) ([]runtime.Face, error) {
	return all[runtime.Face](ctx, c, "/v1/catalog", url.Values{})
}

// Search implements desk.Desk.
func (c *Client) Search(ctx context.Context, query string, limit int) ([]runtime.Hit, error) {
	values := url.Values{"q": {query}}
	if limit > 0 {
		values.Set("limit", strconv.Itoa(limit))
	}
	found, err := read[items[runtime.Hit]](ctx, c, get("/v1/search", values))
	return found.Items, err
}

// List implements desk.Desk.
func (c *Client) List(ctx context.Context, q desk.ListQuery) ([]*tool.Record, error) {
	values := url.Values{}
	if q.Tier != "" {
		values.Set("tier", string(q.Tier))
	}
	setTrue(values, map[string]bool{"all": q.All, "history": q.History})
	list, err := all[*tool.Record](ctx, c, "/v1/tools", values)
	return c.records(list, err)
}

// records is a list that was read, which has no gaps.
func (c *Client) records(list []*tool.Record, err error) ([]*tool.Record, error) {
	if err == nil && slices.Contains(list, nil) {
		return nil, c.unexpected(nil)
	}
	return list, err
}

// record is one that was read, which is there.
func (c *Client) record(r *tool.Record, err error) (*tool.Record, error) {
	if err == nil && r == nil {
		return nil, c.unexpected(nil)
	}
	return r, err
}

// setTrue sets the parameters that hold.
func setTrue(values url.Values, flags map[string]bool) {
	for name, holds := range flags {
		if holds {
			values.Set(name, "true")
		}
	}
}

// Show implements desk.Desk.
func (c *Client) Show(ctx context.Context, which string) (*desk.Whole, error) {
	whole, err := read[desk.Whole](ctx, c, get(toolPath(which), nil))
	if _, err = c.record(whole.Record, err); err != nil {
		return nil, err
	}
	return &whole, nil
}

// Versions implements desk.Desk.
func (c *Client) Versions(ctx context.Context, which string) ([]*tool.Record, error) {
	list, err := read[items[*tool.Record]](ctx, c, get(toolPath(which, "versions"), nil))
	return c.records(list.Items, err)
}

// Diff implements desk.Desk.
func (c *Client) Diff(ctx context.Context, which, from, to string) (*desk.Diff, error) {
	values := url.Values{}
	for name, version := range map[string]string{"from": from, "to": to} {
		if version != "" {
			values.Set(name, version)
		}
	}
	diff, err := read[desk.Diff](ctx, c, get(toolPath(which, "diff"), values))
	if err != nil {
		return nil, err
	}
	return &diff, nil
}

// Export implements desk.Desk. A host elsewhere signs nothing, and says itself when it packed.
func (c *Client) Export(ctx context.Context, which string, opt toolsmith.ExportOptions) ([]byte, error) {
	if opt.Key != nil {
		return nil, &tool.Error{Code: tool.InvalidRequest, Message: "a package of a host elsewhere cannot be signed: the key does not leave this machine", Hint: "export where the key is"}
	}
	values := url.Values{}
	setTrue(values, map[string]bool{"withSource": opt.WithSource})
	if opt.JSON {
		values.Set("format", "json")
	}
	return c.fetch(ctx, get(toolPath(which, "export"), values))
}

// Promote implements desk.Desk.
func (c *Client) Promote(ctx context.Context, which string, to tool.Tier, approvedBy string) (*tool.Record, *tool.PromotionVerdict, error) {
	r, err := post(toolPath(which, "promote"), server.Promotion{To: to, ApprovedBy: approvedBy})
	if err != nil {
		return nil, nil, err
	}
	var report server.PromotionReport
	err = c.readFound(ctx, r, &report)
	risen, err := c.record(report.Tool, err)
	return risen, report.Verdict, err
}

// decide posts a decision, and reads what became of the tool.
func (c *Client) decide(ctx context.Context, which, what string, body any) (*tool.Record, error) {
	r, err := post(toolPath(which, what), body)
	if err != nil {
		return nil, err
	}
	decided, err := read[*tool.Record](ctx, c, r)
	return c.record(decided, err)
}

// Demote implements desk.Desk.
func (c *Client) Demote(ctx context.Context, which, reason string) (*tool.Record, error) {
	return c.decide(ctx, which, "demote", server.Reason{Reason: reason})
}

// Suspend implements desk.Desk.
func (c *Client) Suspend(ctx context.Context, which, reason string) (*tool.Record, error) {
	return c.decide(ctx, which, "suspend", server.Reason{Reason: reason})
}

// Resume implements desk.Desk.
func (c *Client) Resume(ctx context.Context, which string, with tiers.Resumption) (*tool.Record, error) {
	return c.decide(ctx, which, "resume", server.Resumption{Owner: with.Owner, Code: with.Code})
}

// Revert implements desk.Desk.
func (c *Client) Revert(ctx context.Context, which, version string) (*tool.Record, error) {
	return c.decide(ctx, which, "revert", server.Reversion{Version: version})
}

// Remove implements desk.Desk.
func (c *Client) Remove(ctx context.Context, which string) (*tool.Record, error) {
	was, err := read[*tool.Record](ctx, c, request{method: http.MethodDelete, path: toolPath(which)})
	return c.record(was, err)
}

// maxAuditPage is what a host looks at at once.
const maxAuditPage = 1000

// Audit implements desk.Desk.
func (c *Client) Audit(ctx context.Context, q tiers.AuditQuery) (events []tool.AuditEvent, last uint64, err error) {
	values := url.Values{}
	for name, n := range map[string]uint64{"after": q.After, "before": q.Before, "limit": uint64(min(max(q.Limit, 0), maxAuditPage))} {
		if n > 0 {
			values.Set(name, strconv.FormatUint(n, 10))
		}
	}
	if q.ToolID != "" {
		values.Set("tool", q.ToolID)
	}
	setTrue(values, map[string]bool{"newest": q.Newest})
	page, err := read[server.AuditPage](ctx, c, get("/v1/audit", values))
	return page.Items, page.Last, err
}

// VerifyAudit implements desk.Desk.
func (c *Client) VerifyAudit(ctx context.Context) (tiers.Chain, error) {
	report, err := read[server.ChainReport](ctx, c, get("/v1/audit/verify", nil))
	if err == nil && report.Error != nil {
		err = report.Error
	}
	return tiers.Chain{Entries: report.Entries, Head: report.Head}, err
}

// Sessions implements desk.Desk.
func (c *Client) Sessions(ctx context.Context) ([]desk.Session, error) {
	return all[desk.Session](ctx, c, "/v1/sessions", url.Values{})
}

// EndSession implements desk.Desk.
func (c *Client) EndSession(ctx context.Context, persona, session string) ([]*tool.Record, error) {
	if persona == "" {
		who, err := c.Caller(ctx)
		if err != nil {
			return nil, err
		}
		persona = who.Persona
	}
	path := "/v1/sessions/" + url.PathEscape(persona) + "/" + url.PathEscape(session)
	gone, err := read[items[*tool.Record]](ctx, c, request{method: http.MethodDelete, path: path})
	return c.records(gone.Items, err)
}

// Usage implements desk.Desk.
func (c *Client) Usage(ctx context.Context) (tool.Usage, error) {
	return read[tool.Usage](ctx, c, get("/v1/usage", nil))
}

// Version says of which version the host is, which it tells everybody.
func (c *Client) Version(ctx context.Context) (string, error) {
	health, err := read[struct{ Version string }](ctx, c, get("/healthz", nil))
	if err == nil && health.Version == "" {
		err = c.unexpected(nil)
	}
	return health.Version, err
}

// Caller says who the key stands for, as the host sees it.
func (c *Client) Caller(ctx context.Context) (server.CallerReport, error) {
	return read[server.CallerReport](ctx, c, get("/v1/caller", nil))
}
