// Package model asks chat models: one interface, and behind it every server that speaks OpenAI's protocol (OpenAI, Ollama,
// Groq, OpenRouter and their like), Anthropic's Messages, and a script for tests and rehearsals. A Meter counts what each
// label spends and stops it at its cap.
//
// A call ends with its context and after MaxWait at the latest. Requests and replies have a largest size. A server that is
// busy or broken (429, 5xx) is asked again up to three times, as late as it says and never beyond the context; nothing else
// is repeated. Redirects are refused and the proxies of the environment are not used. What a model says is data: text is
// passed on as it came, and the arguments of a tool call are valid JSON or marked as malformed.
//
// Every error is a *tool.Error of code Unavailable, OverQuota, Timeout, Canceled or InvalidRequest, short and without keys
// or pages of the provider. The package imports runtime/tool; everything in it is safe for concurrent use. Package modeltest
// is a server for tests that speaks both protocols.
package model
