package tiers

import (
	"bytes"
	"encoding/binary"
)

// The key spaces. A key is its space and parts, see key.
const (
	toolSpace    = "agentos_emergent_tools"     // TENANT record ID; TENANT name TIER SCOPE… NAME -> ID; TENANT stored; TENANT barred PERSONA HASH
	auditSpace   = "agentos_emergent_audit_log" // TENANT entry SEQUENCE; TENANT tool ID SEQUENCE; TENANT minute ID
	headSpace    = "audit_heads"                // TENANT: the end of its chain
	sourceSpace  = "sources"                    // TENANT ID
	sessionSpace = "sessions"                   // TENANT PERSONA SESSION
	spentSpace   = "spent"                      // TENANT PERSONA day DATE, where "" is all personas; TENANT PERSONA held DATE, and SESSION; TENANT PERSONA tool NAME; TENANT PERSONA sessions
	tenantSpace  = "tenants"                    // TENANT
	keySpace     = "tenant_keys"                // TENANT ID
	keyIDSpace   = "tenant_key_ids"             // ID -> TENANT
	answerSpace  = "answers"                    // TENANT PERSONA key KEY; TENANT PERSONA at TIME KEY; TENANT PERSONA count; TENANT PERSONA body TIME KEY, where "" is all personas, and PERSONA; TENANT PERSONA bytes
	metaSpace    = "meta"                       // schema
	// Documents have a space for each kind: TENANT PERSONA SESSION ID, where the session is "" for the persona's own.
)

// tenantPrefixes are the prefixes of all that a tenant has and that goes with it, the audit log last. The end of its log, its keys
// and its name are apart: see DeleteTenant.
func tenantPrefixes(tenant string) (prefixes [][]byte) {
	spaces := []string{sourceSpace, toolSpace, sessionSpace, spentSpace, answerSpace}
	for _, kind := range documentKinds {
		spaces = append(spaces, string(kind))
	}
	for _, space := range append(spaces, auditSpace) {
		prefixes = append(prefixes, key(space, tenant))
	}
	return prefixes
}

// A part ends with 0x00 0x01; a 0x00 within it is written 0x00 0xFF. So keys sort as their parts do, the key of some
// parts is a prefix of exactly those that go on with more parts, and no part can pretend to be two.
const (
	partZero   = 0x00
	partEnd    = 0x01
	partEscape = 0xFF

	partEndBytes = 2
)

// key builds a key from a space and parts, which may hold any bytes.
func key(space string, parts ...string) []byte {
	size := len(space) + partEndBytes
	for _, part := range parts {
		size += len(part) + partEndBytes
	}
	out := appendPart(make([]byte, 0, size), space)
	for _, part := range parts {
		out = appendPart(out, part)
	}
	return out
}

func appendPart(out []byte, part string) []byte {
	for i := range len(part) {
		out = append(out, part[i])
		if part[i] == partZero {
			out = append(out, partEscape)
		}
	}
	return append(out, partZero, partEnd)
}

// unended is a key whose last part may go on.
func unended(key []byte) []byte { return key[:len(key)-partEndBytes] }

// parts takes a key apart: the space first. False when it is not a key.
func parts(key []byte) ([]string, bool) {
	var out []string
	for len(key) > 0 {
		part, rest, ok := cutPart(key)
		if !ok {
			return nil, false
		}
		out, key = append(out, part), rest
	}
	return out, len(out) > 0
}

func cutPart(key []byte) (part string, rest []byte, ok bool) {
	var text []byte
	for {
		at := bytes.IndexByte(key, partZero)
		if at < 0 || at+1 == len(key) {
			return "", nil, false
		}
		text = append(text, key[:at]...)
		mark := key[at+1]
		key = key[at+2:]
		switch mark {
		case partEnd:
			return string(text), key, true
		case partEscape:
			text = append(text, partZero)
		default:
			return "", nil, false
		}
	}
}

// after is the first of all keys behind one.
func after(k []byte) []byte { return append(bytes.Clone(k), 0) }

// number is a part that sorts as its number does.
func number(n uint64) string {
	return string(binary.BigEndian.AppendUint64(nil, n))
}

// parseNumber is the way back; false when part is not a number's.
func parseNumber(part string) (uint64, bool) {
	if len(part) != 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64([]byte(part)), true
}
