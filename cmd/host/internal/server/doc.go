// Package server is the HTTP face of a host: an API that describes itself with OpenAPI 3.1, server-sent events, and room for MCP
// and metrics beside it. It decides nothing on who may do what: every request is served at a desk, which the bearer key alone
// chooses. What comes in is bounded in size, time and number before anything looks at it, and every failure is a problem
// document (RFC 9457) with a code of toolsmith.
package server
