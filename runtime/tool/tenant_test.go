package tool

import (
	"errors"
	"strings"
	"testing"
)

func TestTenantNames(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"acme": true, "a": true, "0": true, "acme-2": true, "a--b": true, "xn--80ak6aa92e": true, LocalTenant: true, strings.Repeat("a", MaxTenantBytes): true,
		"": false, "-": false, "-a": false, "a-": false, strings.Repeat("a", MaxTenantBytes+1): false,
		"Acme": false, "a.b": false, "a_b": false, "a/b": false, "../b": false, "a:b": false, "a b": false, "*": false, "a\n": false, "a\x00": false,
		"ténant": false, "te\u0301nant": false, "\u0430cme": false, "acme\u200b": false, "\xff": false, "admin": false, "all": false, "system": false,
	} {
		err := CheckTenantName(name)
		if (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
		if e := AsError(err); err != nil && (!errors.Is(err, InvalidRequest) || e.Path != "/name" || e.Hint == "" || len(e.Message) > 400) {
			t.Errorf("%q: %+v", name, e)
		}
	}
}
