package policy

import (
	"fmt"
	"slices"
	"strings"
)

// allCrypto grants every name there is.
const allCrypto = "*"

// CryptoNames are what a policy can grant of cryptography: digests, message authentication codes, randomness.
func CryptoNames() []string {
	return []string{
		"sha256", "sha384", "sha512", "sha1", "md5",
		"hmac-sha256", "hmac-sha384", "hmac-sha512", "hmac-sha1", "hmac-md5",
		"random-uuid", "random-values",
	}
}

// CryptoAllows returns nil when the policy grants the name, which is one of CryptoNames; else a *tool.Error of code Denied.
func (p *Policy) CryptoAllows(name string) error {
	if slices.Contains(p.Crypto, name) || slices.Contains(p.Crypto, allCrypto) {
		return nil
	}
	return denied(fmt.Sprintf("%s is not granted: permissions.crypto.allow does not name it", name),
		"--allow crypto", "permissions: {crypto: {allow: ["+name+"]}}")
}

// AllowCrypto grants all cryptography.
func (p *Policy) AllowCrypto() { p.Crypto = []string{allCrypto} }

// checkCrypto says what is wrong with a list of names.
func checkCrypto(names []string) error {
	for i, name := range names {
		if name != allCrypto && !slices.Contains(CryptoNames(), name) {
			return wrong(fmt.Sprintf("allow/%d", i), fmt.Sprintf("%q is none of %s, nor \"*\" for all", name, strings.Join(CryptoNames(), ", ")))
		}
	}
	return nil
}
