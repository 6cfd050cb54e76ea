package builtin

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
)

const fileDescription = `Reads one whole file and returns its content.

Arguments: path (absolute, or relative to the first folder that the operator has granted), encoding ("utf8", which is the default, or "base64" for what is not text).
Result: bytes (how many the file has), and text or base64.
Limits: only regular files below granted folders; anything else fails with the code denied, a missing file with not_found. A file is at most as large as the policy says (8 MiB unless told otherwise) and must be UTF-8 for the encoding "utf8". Nothing is written.
Example: {"path": "notes/todo.txt"} gives {"bytes": 9, "text": "buy milk\n"}`

const fileInput = `{
	"type": "object",
	"properties": {
		"path": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "The file, absolute or relative to the first granted folder."},
		"encoding": {"enum": ["utf8", "base64"], "description": "How the content is returned; utf8 when left out."}
	},
	"required": ["path"],
	"additionalProperties": false
}`

const fileOutput = `{
	"type": "object",
	"properties": {
		"bytes": {"type": "integer", "description": "The size of the file."},
		"text": {"type": "string", "description": "The content, with the encoding utf8."},
		"base64": {"type": "string", "description": "The content, with the encoding base64."}
	},
	"required": ["bytes"],
	"additionalProperties": false
}`

var fileHints = map[tool.Code]string{
	tool.Limit:    "read a smaller file, or have an operator raise the limit that the message names",
	tool.NotFound: "check the path; it is absolute, or relative to the first granted folder",
	tool.Denied:   "name a regular file below a granted folder",
}

// ReadFile is the tool read_file: the content of a file under the caller's policy.
func ReadFile() runtime.Tool {
	return runtime.Tool{
		Name: "read_file", Description: fileDescription,
		InputSchema: json.RawMessage(fileInput), OutputSchema: json.RawMessage(fileOutput),
		Run: readFile,
	}
}

// fileContent is the output of read_file.
type fileContent struct {
	Bytes  int     `json:"bytes"`
	Text   *string `json:"text,omitempty"`
	Base64 *[]byte `json:"base64,omitempty"`
}

func readFile(ctx context.Context, call *runtime.Invocation) (json.RawMessage, error) {
	var ask struct {
		Path     string `json:"path"`
		Encoding string `json:"encoding"`
	}
	if err := read(call.Input, &ask); err != nil {
		return nil, err
	}
	if ask.Encoding != "" && ask.Encoding != "utf8" && ask.Encoding != "base64" {
		return nil, invalid("/encoding", "there is no encoding "+clip(ask.Encoding), `the encodings are "utf8" and "base64"`)
	}
	data, err := powers(call).ReadFile(ctx, ask.Path)
	if err != nil {
		return nil, hinted(err, fileHints)
	}
	content := fileContent{Bytes: len(data)}
	switch {
	case ask.Encoding == "base64":
		content.Base64 = &data
	case !utf8.Valid(data):
		return nil, invalid("/encoding", "the file is not UTF-8 text", `use the encoding "base64"`)
	default:
		text := string(data)
		content.Text = &text
	}
	return write(content)
}
