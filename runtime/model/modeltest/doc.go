// Package modeltest is a server for tests that speaks the protocols of chat models: OpenAI's chat completions and Anthropic's
// Messages, at the paths and in the shapes of the real ones. What it answers is a list of steps, faults included; what it was
// asked can be looked at afterwards. It refuses what the real servers refuse: a missing key, loose tool calls, messages
// without text.
//
//	server := modeltest.Start(modeltest.Text("hello"), modeltest.Step{Status: 429, RetryAfter: "1"})
//	defer server.Close()
//	m, err := model.Open(model.Spec{Provider: model.OpenAI, BaseURL: server.URL + "/v1"}, model.Options{Getenv: server.Getenv})
//
// In testscripts a file holds the steps, and Command starts the server that the environment of the script then names:
//
//	model openai steps.json
//	exec host forge request.json
//
// The package imports the standard library only, and not testing. It is safe for concurrent use.
package modeltest
