package wasmjs

import (
	"context"
	"encoding/json"
)

// API is one capability that is bound inside a tool's realm. Its name and glue are part of the tool's image.
type API struct {
	// Name is the capability as an allowlist names it, such as "fs.readFile".
	Name string
	// Glue is JavaScript, a function expression that takes `native` and defines the globals of the capability.
	// native.call(operation, value, bytes?) asks the host and waits; native.request does the same but returns a
	// promise, and requests run concurrently. When empty, a global asynchronous function called Name is defined
	// (dots make objects) that sends the array of its arguments as the operation Name.
	Glue string
	// Needs are the globals of the web library that the glue uses. They are there even when the tool names none of them.
	Needs []string
}

// Request is what a tool asks of a host function. It is the function's to keep.
type Request struct {
	Value json.RawMessage
	Bytes []byte // nil when the tool sent none
}

// Reply is a host function's answer. When Bytes is not nil, Value must be an object: the tool finds the bytes, as an
// ArrayBuffer, in its member `bytes`. The engine copies both.
type Reply struct {
	Value json.RawMessage // nil means null
	Bytes []byte
}

// Func is a host function. ctx ends with the call, however that ends; a Func must return soon after. An error becomes
// an exception in the tool: a *tool.Error keeps its code and its hint, and uncaught it ends the call with Denied or Limit
// if that is its code. Func may be called from many goroutines at once.
type Func func(ctx context.Context, req Request) (Reply, error)

// code is the API's glue.
func (a API) code() string {
	if a.Glue != "" {
		return a.Glue
	}
	name, _ := json.Marshal(a.Name) // a string always marshals
	return `(function (native) {
  'use strict';
  const path = ` + string(name) + `.split('.'), last = path.pop();
  let at = globalThis;
  for (const key of path) {
    if (!Object.hasOwn(at, key)) Object.defineProperty(at, key, { value: {}, configurable: true, writable: true });
    at = at[key];
  }
  const call = async (...args) => native.request(` + string(name) + `, args);
  Object.defineProperty(at, last, { value: call, configurable: true, writable: true });
})`
}
