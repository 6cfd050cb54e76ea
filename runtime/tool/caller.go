package tool

import (
	"strings"
	"unicode/utf8"
)

// Caller is on whose behalf something happens. Personas live within a tenant, sessions within a persona: two callers are
// the same session only when all three are equal.
type Caller struct {
	Tenant  string `json:"tenant"`
	Persona string `json:"persona"`
	Session string `json:"session"`
}

// MaxIdentityBytes bounds each part of a Caller.
const MaxIdentityBytes = 200

// Validate returns an *Error of code InvalidRequest that names the part which is missing, too long, or does not show all of itself.
func (c Caller) Validate() error {
	for _, part := range []struct{ name, value string }{
		{"tenant", c.Tenant},
		{"persona", c.Persona},
		{"session", c.Session},
	} {
		if part.value == "" || len(part.value) > MaxIdentityBytes {
			return &Error{
				Code: InvalidRequest, Path: "/" + part.name,
				Message: "the caller's " + part.name + " is empty or too long",
				Hint:    "give 1 to 200 bytes",
			}
		}
		if !showsItself(part.value) {
			return &Error{
				Code: InvalidRequest, Path: "/" + part.name, Message: "the caller's " + part.name + " " + Quote(part.value) + " does not show all of itself",
				Hint: "give 1 to 200 bytes of UTF-8 that print, without space at the ends",
			}
		}
	}
	return nil
}

// showsItself reports whether a text is UTF-8 of which people see every character.
func showsItself(text string) bool {
	return utf8.ValidString(text) && strings.TrimSpace(text) == text && !strings.ContainsFunc(text, func(r rune) bool { return !Shows(r) })
}

// RoleMark stands in the persona of a specialist, an agent that another one has spawned, between that of its manager and its
// role.
const RoleMark = "/"

// Root is the persona that answers for another one: of a specialist the manager that it goes back to, else the persona itself.
// What it may use and decide is counted for it.
func Root(persona string) string {
	if root, _, _ := strings.Cut(persona, RoleMark); root != "" {
		return root
	}
	return persona
}

// Actor is who decides something: the caller itself, or somebody named who acts in the caller's place.
type Actor struct {
	Caller
	Name string // an operator, an approver, a part of the host; "" is the caller's persona
}

// String is the name that stands in the audit log.
func (a Actor) String() string {
	if a.Name != "" {
		return a.Name
	}
	return a.Persona
}
