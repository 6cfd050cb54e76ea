package tool

import (
	"slices"
	"strings"
)

// LocalTenant is the tenant that is there without having been made: that of the command line, and of whoever has no key.
const LocalTenant = "local"

// MaxTenantBytes is the longest name of a tenant: it is also a label of metrics and may be one of a domain.
const MaxTenantBytes = 63

// reservedTenants are names that would be taken for something else.
var reservedTenants = []string{"admin", "all", "any", "default", "everyone", "host", "none", "operator", "public", "root", "shared", "system"}

// CheckTenantName returns an *Error of code InvalidRequest unless a text can be the name of a tenant: 1 to 63 lower-case letters,
// digits and hyphens of ASCII, with a letter or digit at either end, and no word that would be taken for something else. So two
// names are the same everywhere or nowhere: there is no upper case, no other form of a letter, and nothing that separates.
func CheckTenantName(name string) error {
	e := &Error{Code: InvalidRequest, Path: "/name", Message: Quote(name) + " is not a name for a tenant", Hint: "1 to 63 of a to z, 0 to 9 and -, with no - at the ends"}
	switch {
	case name == "" || len(name) > MaxTenantBytes, strings.Trim(name, "-") != name, strings.ContainsFunc(name, notOfTenant):
		return e
	case slices.Contains(reservedTenants, name):
		e.Message, e.Hint = Quote(name)+" is not a name for a tenant: it is reserved", "give another name"
		return e
	}
	return nil
}

func notOfTenant(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' }
