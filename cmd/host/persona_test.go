package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/selfimprove"
)

// adapt [TENANT:]PERSONA/SESSION TRAIT DELTA WHY changes a trait in the store in $TOOLSMITH_DATA, yesterday, as the persona would.
func adapt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: adapt [TENANT:]PERSONA/SESSION TRAIT DELTA WHY")
	}
	delta, err := strconv.ParseFloat(args[2], 64)
	ts.Check(err)
	persona, session, _ := strings.Cut(args[0], "/")
	tenant := "local"
	if of, name, ok := strings.Cut(persona, ":"); ok {
		tenant, persona = of, name
	}
	shelf := openShelf(ts)
	defer func() { ts.Check(shelf.Close()) }()
	p := selfimprove.NewPersonality(shelf, selfimprove.PersonalityOptions{
		MaxDelta: 1, PersistWithDecay: true, Reload: true, Now: func() time.Time { return time.Now().Add(-24 * time.Hour) },
	})
	_, err = p.Adapt(context.Background(), tool.Caller{Tenant: tenant, Persona: persona, Session: session}, args[1], delta, args[3])
	ts.Check(err)
}

// tomorrow lets the traits in the store in $TOOLSMITH_DATA fade as they will tomorrow.
func tomorrow(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: tomorrow")
	}
	shelf := openShelf(ts)
	defer func() { ts.Check(shelf.Close()) }()
	p := selfimprove.NewPersonality(shelf, selfimprove.PersonalityOptions{
		MaxDelta: 1, PersistWithDecay: true, Reload: true, DecayRate: 0.5, Now: func() time.Time { return time.Now().Add(24 * time.Hour) },
	})
	_, err := p.DecayAll(context.Background(), tool.Actor{Caller: tool.Caller{Tenant: "local", Persona: "host", Session: "host"}, Name: "host"}, "local")
	ts.Check(err)
}
