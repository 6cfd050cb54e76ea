package server

import (
	"errors"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"example.com/toolsmith/runtime/tool"
)

// takes reports whether an operation takes bodies of a content type, whose only character set is UTF-8.
func takes(op *huma.Operation, contentType string) bool {
	kind, params, err := mime.ParseMediaType(contentType)
	charset, named := params["charset"]
	return err == nil && slices.Contains(bodyTypes(op), kind) && (!named || strings.EqualFold(charset, "utf-8"))
}

// unread says why a body could not be read to its end.
func unread(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return refuse(http.StatusRequestTimeout, tool.InvalidRequest, "send it faster, or less", "the body did not arrive in time")
	}
	return refuse(http.StatusBadRequest, tool.InvalidRequest, "send it in chunks that are whole, or with its length", "the body is cut off, or its chunks are malformed")
}
