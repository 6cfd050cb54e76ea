package hostapi

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// slack is how much more than its content a compressed body may have: a stream can be endless and still be no content.
const slack = 64 << 10

// receive reads the body of an answer, decompressed and counted. It is nil when the answer has none by its kind.
func (f *fetcher) receive(resp *http.Response, method string) ([]byte, error) {
	if method == http.MethodHead || resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusNotModified {
		return nil, nil
	}
	most := f.limits.MaxResponseBytes
	content, err := decompress(resp.Header, &boundedReader{resp.Body, spendOne(most, slack)})
	if err != nil {
		return nil, err
	}
	one := spendOne(most, 0)
	return io.ReadAll(&boundedReader{content, func(n int) error {
		if sum := f.received.Add(int64(n)); sum > f.limits.MaxTotalResponseBytes {
			return tool.Errorf(tool.Limit, "the answers to this call are larger than %d bytes in all (fetchMaxTotalResponseBytes)", f.limits.MaxTotalResponseBytes)
		}
		return one(n)
	}})
}

// decompress undoes the one encoding that a body has.
func decompress(header http.Header, body io.Reader) (io.Reader, error) {
	encoding := strings.ToLower(strings.Join(header["Content-Encoding"], ","))
	if encoding = strings.TrimSpace(encoding); encoding == "" || encoding == "identity" {
		return body, nil
	}
	buffered := bufio.NewReader(body)
	start, err := buffered.Peek(2)
	switch {
	case len(start) == 0 && err == io.EOF:
		return buffered, nil
	case err != nil:
		return nil, err
	case encoding == "gzip" || encoding == "x-gzip":
		return gzip.NewReader(buffered)
	case encoding == "deflate" && start[0]&15 == 8 && (int(start[0])<<8|int(start[1]))%31 == 0:
		return zlib.NewReader(buffered)
	case encoding == "deflate": // some servers leave the frame out
		return flate.NewReader(buffered), nil
	}
	return nil, failed("the answer is encoded as %q, which fetch did not ask for and does not read", clip(encoding))
}

// boundedReader hands on what it reads as long as spend agrees to pay for it.
type boundedReader struct {
	from  io.Reader
	spend func(n int) error
}

func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if paid := b.spend(n); paid != nil {
		return 0, paid
	}
	return n, err
}

// spendOne pays for the bytes of one body: most of them, and some more that are not counted.
func spendOne(most, more int64) func(n int) error {
	left := most + more
	return func(n int) error {
		if left -= int64(n); left < 0 {
			return answerTooLarge(most)
		}
		return nil
	}
}

func answerTooLarge(most int64) error {
	return tool.Errorf(tool.Limit, "the answer is larger than %d bytes (fetchMaxResponseBytes)", most)
}
