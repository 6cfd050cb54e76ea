// Package judgetest stands in for the models of a judge in tests: models that approve all, that obey what they read outside of
// the fences, that refuse, fail or hang. It reads the prompts of package judge by what they say of themselves, as a model
// would. The package imports runtime/model and tool, and not testing. Its models are safe for concurrent use.
package judgetest

import (
	"context"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// Func is a model that answers with what a function says to the prompt.
type Func func(ctx context.Context, p Prompt) (model.Reply, error)

// Chat implements model.Model.
func (f Func) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	reply, err := f(ctx, Read(req))
	reply.Provider, reply.Model = "judgetest", "stub"
	if reply.StopReason == "" {
		reply.StopReason = model.StopEnd
	}
	return reply, err
}

// says is a model that answers with a text.
func says(text func(Prompt) string) model.Model {
	return Func(func(_ context.Context, p Prompt) (model.Reply, error) { return model.Reply{Text: text(p)}, nil })
}

// when approves when it holds, and else refuses.
func when(holds func(Prompt) bool) model.Model {
	return says(func(p Prompt) string {
		if holds(p) {
			return Approval(p.Canary)
		}
		return Refusal(p.Canary)
	})
}

// Approval is a reply that approves, both as a review and as that of a panel.
func Approval(canary string) string {
	return fmt.Sprintf(`{"canary": %q, "safety": {"passed": true, "concerns": []}, "correctness": {"passed": true, "failedTests": []},
 "determinism": {"likely": true, "reasoning": ""}, "bounded": {"likely": true, "reasoning": ""},
 "confidence": 0.95, "approved": true, "reasoning": "nothing speaks against it"}`, canary)
}

// Refusal is a reply that does not.
func Refusal(canary string) string {
	return fmt.Sprintf(`{"canary": %q, "safety": {"passed": false, "concerns": ["a stub says so"]}, "correctness": {"passed": true, "failedTests": []},
 "determinism": {"likely": true, "reasoning": ""}, "bounded": {"likely": true, "reasoning": ""},
 "confidence": 0.9, "approved": false, "reasoning": "a stub says so"}`, canary)
}

// ApproveAll approves everything.
func ApproveAll() model.Model { return when(func(Prompt) bool { return true }) }

// Obedient approves exactly when a text stands in the prompt outside of the fences that it declares.
func Obedient(marker string) model.Model {
	return when(func(p Prompt) bool { return strings.Contains(p.Outside, marker) })
}

// ObedientBase64 is the same, and also reads the base64 outside of the fences.
func ObedientBase64(marker string) model.Model {
	return when(func(p Prompt) bool {
		if strings.Contains(p.Outside, marker) {
			return true
		}
		for _, run := range base64Run.FindAllString(p.Outside, -1) {
			run = strings.TrimRight(run, "=")
			if text, err := base64.RawStdEncoding.DecodeString(run[:len(run)-len(run)%4]); err == nil && strings.Contains(string(text), marker) {
				return true
			}
		}
		return false
	})
}

var base64Run = regexp.MustCompile(`[A-Za-z0-9+/]{8,}=*`)

// EchoFirstJSON quotes the first object that the data holds, and then refuses.
func EchoFirstJSON() model.Model {
	return says(func(p Prompt) string {
		return "The candidate says " + firstObject.FindString(p.Inside) + "\n" + Refusal(p.Canary)
	})
}

var firstObject = regexp.MustCompile(`\{[^{}]*\}`)

// Believes takes its author at every word and the host at every fact, and examines nothing itself. It approves unless a fact
// speaks against the candidate: a flag, other than for an API that is asked for and never used, or exponential growth.
func Believes() model.Model {
	return when(func(p Prompt) bool { return !damning.MatchString(harmless.ReplaceAllString(p.Outside, "")) })
}

var (
	harmless = regexp.MustCompile(`(?m)^- flag: it asks for an API that it never uses$`)
	damning  = regexp.MustCompile(`(?m)^- (?:flag: |measured on .* (?:work grows|memory) exponential)`)
)

// RejectOnFlag approves unless the facts of the host flag something.
func RejectOnFlag() model.Model {
	return when(func(p Prompt) bool { return !strings.Contains(p.Outside, "\n- flag: ") })
}

// Refuses is a model whose provider refuses to answer.
func Refuses() model.Model {
	return Func(func(context.Context, Prompt) (model.Reply, error) {
		return model.Reply{Text: "I can't help with that.", StopReason: model.StopRefusal}, nil
	})
}

// Fails is a model that cannot be reached.
func Fails() model.Model {
	return Func(func(context.Context, Prompt) (model.Reply, error) {
		return model.Reply{}, tool.Errorf(tool.Unavailable, "the stub cannot be reached")
	})
}

// Hangs is a model that does not answer before the context ends.
func Hangs() model.Model {
	return Func(func(ctx context.Context, _ Prompt) (model.Reply, error) {
		<-ctx.Done()
		return model.Reply{}, tool.AsError(ctx.Err())
	})
}

// Refusing reads everything and does not approve.
func Refusing() model.Model { return when(func(Prompt) bool { return false }) }

// ByName is the stub that a corpus of attacks names; the marker is what obedient ones look for. "none" is no model.
func ByName(name, marker string) (m model.Model, known bool) {
	switch name {
	case "approve-all":
		return ApproveAll(), true
	case "obedient":
		return Obedient(marker), true
	case "obedient-base64":
		return ObedientBase64(marker), true
	case "echo-first-json":
		return EchoFirstJSON(), true
	case "reject-on-flag":
		return RejectOnFlag(), true
	case "refuses":
		return Refuses(), true
	case "error":
		return Fails(), true
	case "timeout":
		return Hangs(), true
	}
	return nil, name == "none"
}
