package hostapi

import (
	"errors"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

// maxTarget is the most bytes of an address of a request.
const maxTarget = 16 << 10

// parseTarget reads the absolute address of a request, in the web's notation as far as nobody could read it differently:
// spaces and other characters in path and query are escaped, a fragment is dropped; what only some readers accept
// (backslashes, control characters, missing slashes, user names, escapes in the host, numbers for addresses) is refused.
// The result has a host in the form of policy.NormalizeHost, and a port only if it is not the usual one of its scheme.
func parseTarget(text string) (*url.URL, error) {
	text = strings.Trim(text, " ")
	if err := checkTarget(text); err != nil {
		return nil, err
	}
	scheme, rest, ok := strings.Cut(text, "://")
	if scheme = strings.ToLower(scheme); !ok || scheme != "http" && scheme != "https" {
		return nil, notATarget(text, "it must begin with https:// or http://")
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host, err := parseHost(scheme, rest[:end])
	if err != nil {
		return nil, notATarget(text, err.Error())
	}
	path := rest[end:]
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	root := &url.URL{Scheme: scheme, Host: host}
	return within(root, path)
}

var absolute = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// resolveTarget reads the address in a redirect's Location, relative to the one that answered.
func resolveTarget(base *url.URL, location string) (*url.URL, error) {
	location = strings.Trim(location, " \t")
	if err := checkTarget(location); err != nil {
		return nil, err
	}
	switch {
	case absolute.MatchString(location):
		return parseTarget(location)
	case strings.HasPrefix(location, "//"):
		return parseTarget(base.Scheme + ":" + location)
	}
	return within(base, location)
}

// within resolves a relative reference that has no host.
func within(base *url.URL, reference string) (*url.URL, error) {
	reference, _, _ = strings.Cut(reference, "#")
	path, query, _ := strings.Cut(reference, "?")
	u := &url.URL{RawQuery: escape(query, `"<>'`)}
	escaped := escape(path, "\"<>^`{}")
	plain, err := url.PathUnescape(escaped)
	if err != nil {
		return nil, notATarget(reference, "its path cannot be read")
	}
	u.Path, u.RawPath = plain, escaped
	return base.ResolveReference(u), nil
}

// escape puts a percent sign and a number in place of spaces, of bytes beyond ASCII, of those in more, and of percent
// signs that are none of an escape.
func escape(text, more string) string {
	var out strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c <= ' ' || c >= 0x7f || strings.IndexByte(more, c) >= 0 || c == '%' && !isEscape(text[i:]):
			const hex = "0123456789ABCDEF"
			out.Write([]byte{'%', hex[c>>4], hex[c&15]})
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

func isEscape(text string) bool {
	if len(text) < 3 {
		return false
	}
	_, err := strconv.ParseUint(text[1:3], 16, 8)
	return err == nil
}

func checkTarget(text string) error {
	end := strings.IndexAny(text, "?#")
	if end < 0 {
		end = len(text)
	}
	switch {
	case len(text) > maxTarget:
		return tool.Errorf(tool.Denied, "an address of %d bytes is longer than the %d that fetch takes", len(text), maxTarget)
	case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return notATarget(text, "it holds a line break or another control character")
	case strings.Contains(text[:end], `\`):
		return notATarget(text, "it holds a backslash")
	}
	return nil
}

// parseHost reads host and port, and returns them in their one spelling.
func parseHost(scheme, authority string) (string, error) {
	name, port := authority, ""
	if at := strings.LastIndexByte(authority, ':'); at > strings.LastIndexByte(authority, ']') {
		name, port = authority[:at], authority[at+1:]
	}
	switch {
	case strings.Contains(authority, "@"):
		return "", errors.New("it holds a user name: send an Authorization header instead")
	case name == "":
		return "", errors.New("it names no host")
	case strings.Contains(name, ":") != (strings.HasPrefix(name, "[") && strings.HasSuffix(name, "]")):
		return "", errors.New("its host is neither a name nor an address")
	}
	host, err := policy.NormalizeHost(name)
	if err == nil { // again, since what decoders replace on the way does not always hold
		host, err = policy.NormalizeHost(host)
	}
	if err != nil {
		return "", err
	}
	if port, err = parsePort(scheme, port); err != nil || port != "" {
		return net.JoinHostPort(host, port), err
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host, nil
}

// parsePort returns a port in its one spelling, empty when it is the usual one of the scheme.
func parsePort(scheme, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return "", errors.New("its port is not a number from 1 to 65535")
	}
	if scheme == "http" && port == 80 || scheme == "https" && port == 443 {
		return "", nil
	}
	return strconv.FormatUint(port, 10), nil
}

func notATarget(text, why string) *tool.Error {
	return tool.Errorf(tool.Denied, "%q is not an address that fetch takes: %s", strings.ToValidUTF8(clip(text), "\uFFFD"), why)
}
