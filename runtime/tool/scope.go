package tool

import (
	"fmt"
	"slices"
	"strings"
)

// Scope is something that a key of a tenant lets its holder do.
type Scope string

// The scopes. None includes another.
const (
	ScopeCall    Scope = "call"    // see, search and call tools
	ScopeForge   Scope = "forge"   // forge and import tools, remove the caller's own, and end its sessions
	ScopeApprove Scope = "approve" // decide on the tools of the tenant, as a named person
	ScopeAdmin   Scope = "admin"   // read all of the audit log, tools and sessions of the tenant, and end sessions
)

var allScopes = []Scope{ScopeCall, ScopeForge, ScopeApprove, ScopeAdmin}

// Scopes is a set of them, in the order above.
type Scopes []Scope

// AllScopes returns every scope that there is.
func AllScopes() Scopes { return slices.Clone(allScopes) }

// ParseScopes reads names with commas between them. The error is InvalidRequest, for none and for one that is unknown.
func ParseScopes(text string) (Scopes, error) {
	asked := map[Scope]bool{}
	for part := range strings.SplitSeq(text, ",") {
		scope := Scope(strings.TrimSpace(part))
		if !slices.Contains(allScopes, scope) {
			return nil, &Error{Code: InvalidRequest, Message: "there is no scope " + Quote(string(scope)), Hint: "give some of " + AllScopes().String()}
		}
		asked[scope] = true
	}
	var set Scopes
	for _, scope := range allScopes {
		if asked[scope] {
			set = append(set, scope)
		}
	}
	return set, nil
}

// String is what ParseScopes reads.
func (s Scopes) String() string {
	names := make([]string, len(s))
	for i, scope := range s {
		names[i] = string(scope)
	}
	return strings.Join(names, ",")
}

// Has reports whether a scope is in the set.
func (s Scopes) Has(scope Scope) bool { return slices.Contains(s, scope) }

// Require returns nil when one of the scopes is in the set, else an *Error of code Denied.
func (s Scopes) Require(any ...Scope) error {
	if slices.ContainsFunc(any, s.Has) {
		return nil
	}
	return &Error{
		Code: Denied, Message: fmt.Sprintf("the key may do %s; this takes %s", orNothing(s.String()), Scopes(any).String()),
		Hint: "ask the operator of the host for a key with that scope",
	}
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// Principal is who a key stands for. It comes from the key alone.
type Principal struct {
	Tenant  string `json:"tenant"`
	Persona string `json:"persona"`
	KeyID   string `json:"keyId"`
	KeyName string `json:"keyName"`
	Scopes  Scopes `json:"scopes"`
}
