package hostapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Bounds of what goes out and comes back in one header.
const (
	maxSentFields   = 64
	maxSentBytes    = 32 << 10 // names and values
	maxHeaderFields = 256
	maxHeaderBytes  = 64 << 10 // of all headers of one answer, those of informational answers included
)

// userAgent is what a tool that does not say who it is calls itself.
const userAgent = "toolsmith"

// hostsOwn are the headers that are for the host to say: how the connection works, where the request comes from and
// goes to, and the method that the policy is asked about. A tool's are dropped, as the Fetch standard drops most of them.
var hostsOwn = []string{
	"Accept-Charset", "Accept-Encoding", "Connection", "Content-Length", "Cookie2", "Date", "Expect", "Forwarded", "Host",
	"Http2-Settings", "Keep-Alive", "Set-Cookie", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Via",
	"X-Http-Method", "X-Http-Method-Override", "X-Method-Override", "X-Real-Ip",
}

var hostsOwnPrefixes = []string{"Proxy-", "Sec-", "X-Forwarded-"}

// goesAlong are the headers that follow a redirect to another origin: those that carry no credentials.
var goesAlong = []string{"Accept", "Accept-Encoding", "Accept-Language", "Cache-Control", "Content-Language", "Content-Type", "Range", "User-Agent"}

// field is one header. On the way to and from the guest it is a pair, and each character of its value stands for a byte.
type field struct{ Name, Value string }

// MarshalJSON writes the pair.
func (f field) MarshalJSON() ([]byte, error) { return json.Marshal([2]string{f.Name, f.Value}) }

// UnmarshalJSON reads the pair.
func (f *field) UnmarshalJSON(text []byte) error {
	var pair [2]string
	err := json.Unmarshal(text, &pair)
	f.Name, f.Value = pair[0], pair[1]
	return err
}

// outgoing makes the header of a request out of what the tool gave.
func outgoing(fields []field) (http.Header, error) {
	if len(fields) > maxSentFields {
		return nil, tool.Errorf(tool.Limit, "a request has at most %d headers, not %d", maxSentFields, len(fields))
	}
	header, size := http.Header{"User-Agent": {userAgent}, "Accept": {"*/*"}}, 0
	for _, f := range fields {
		name, value := http.CanonicalHeaderKey(f.Name), narrow(f.Value)
		if size += len(name) + len(value); size > maxSentBytes {
			return nil, tool.Errorf(tool.Limit, "the headers of a request have at most %d bytes", maxSentBytes)
		}
		if !slices.Contains(hostsOwn, name) && !slices.ContainsFunc(hostsOwnPrefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
			header[name] = []string{value}
		}
	}
	if header.Set("Accept-Encoding", "gzip, deflate"); header.Get("Range") != "" {
		header.Set("Accept-Encoding", "identity") // a range of what is compressed cannot be read
	}
	return header, nil
}

// narrow is text with a byte in place of each character; of those beyond a byte it is a question mark.
func narrow(text string) string {
	bytes := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xff {
			r = '?'
		}
		bytes = append(bytes, byte(r))
	}
	return string(bytes)
}

// widen is text with a character in place of each byte.
func widen(text string) string {
	runes := make([]rune, len(text))
	for i := range len(text) {
		runes[i] = rune(text[i])
	}
	return string(runes)
}

// incoming lists the header of an answer in the order of names, which are in lower case.
func incoming(header http.Header) ([]field, error) {
	fields := []field{}
	for name, values := range header {
		for _, value := range values {
			fields = append(fields, field{strings.ToLower(name), value})
		}
		if len(fields) > maxHeaderFields {
			return nil, tool.Errorf(tool.Limit, "the answer has more than %d headers", maxHeaderFields)
		}
	}
	slices.SortStableFunc(fields, func(a, b field) int { return strings.Compare(a.Name, b.Name) })
	return fields, nil
}

// crossOrigin drops what must not go to another origin.
func crossOrigin(header http.Header) {
	for name, values := range header {
		if !slices.Contains(goesAlong, name) || slices.ContainsFunc(values, placeholder.MatchString) {
			header.Del(name)
		}
	}
}
