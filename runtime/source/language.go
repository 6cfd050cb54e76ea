package source

import (
	"fmt"
	"path"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// The languages a source can be written in.
const (
	JavaScript = "js"
	TypeScript = "ts"
)

// LanguageOf returns the language of a source: the one that is named, else the one of the file's ending (.ts, .mts and
// .cts are TypeScript), else JavaScript. An unknown name is an InvalidRequest.
func LanguageOf(file, language string) (string, error) {
	switch strings.ToLower(language) {
	case JavaScript, "javascript":
		return JavaScript, nil
	case TypeScript, "typescript":
		return TypeScript, nil
	case "":
		return byEnding(file), nil
	}
	return "", &tool.Error{
		Code: tool.InvalidRequest, Message: fmt.Sprintf("the language %q is not known", language),
		Hint: `give "js" or "ts", or leave it out`,
	}
}

func byEnding(file string) string {
	switch strings.ToLower(path.Ext(file)) {
	case ".ts", ".mts", ".cts":
		return TypeScript
	}
	return JavaScript
}
