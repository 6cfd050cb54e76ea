package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// Script is what Command needs of a testscript: *testscript.TestScript is one.
type Script interface {
	ReadFile(name string) string
	MkAbs(name string) string
	Setenv(name, value string)
	Defer(func())
	Fatalf(format string, args ...any)
}

// Command is a command for testscripts,
//
//	model PROVIDER STEPS [REQUESTS]
//
// which starts a server that answers with the steps in a file and makes it the provider (openai, anthropic, ollama) of the
// script; all others are unset. The server lasts until the script ends. The bodies of the requests go to a second file,
// one a line. To have it:
//
//	Cmds: map[string]func(*testscript.TestScript, bool, []string){
//		"model": func(ts *testscript.TestScript, neg bool, args []string) { modeltest.Command(ts, neg, args) },
//	}
func Command(ts Script, neg bool, args []string) {
	providers := []string{"openai", "anthropic", "ollama"}
	if neg || len(args) < 2 || len(args) > 3 || !slices.Contains(providers, args[0]) {
		ts.Fatalf("usage: model openai|anthropic|ollama STEPS [REQUESTS]")
	}
	steps, err := Parse([]byte(ts.ReadFile(args[1])))
	if err != nil {
		ts.Fatalf("%s: %v", args[1], err)
	}
	s := Start(steps...)
	ts.Defer(s.Close)
	if len(args) == 3 {
		if err := s.record(ts.MkAbs(args[2])); err != nil {
			ts.Fatalf("%v", err)
		}
	}
	for _, provider := range providers {
		for name := range s.Env(provider) {
			ts.Setenv(name, s.Env(args[0])[name])
		}
	}
}

// record makes the server write the bodies of the requests to a file.
func (s *Server) record(path string) error {
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return fmt.Errorf("the file for requests: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines bytes.Buffer
	s.note = func(r Request) {
		if json.Compact(&lines, r.Body) == nil { // what is no JSON has been refused
			lines.WriteByte('\n')
			_ = os.WriteFile(path, lines.Bytes(), 0o600)
		}
	}
	return nil
}
