package policy

import "example.com/toolsmith/runtime/tool"

// wrong is a mistake in the value at a path below what is checked.
func wrong(path, message string) error {
	return &tool.Error{Code: tool.InvalidRequest, Message: message, Path: "/" + path}
}

// missing is a mistake by omission.
func missing(name, hint string) error {
	return &tool.Error{Code: tool.InvalidRequest, Message: name + " is missing", Hint: hint}
}
