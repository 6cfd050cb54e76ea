package judge

import (
	"context"
	"regexp"
	"strings"

	"example.com/toolsmith/runtime/model"
)

// ReadScript reads the replies of a judge from a script, as model.ReadScript does, with the purposes creation, safety,
// correctness and agent. The options have these models and nothing else; once a list is used up, everything is rejected. The error
// is InvalidRequest.
func ReadScript(text []byte) (Options, error) {
	models, err := model.ReadScript(text, "creation", "safety", "correctness", "agent")
	if err != nil {
		return Options{}, err
	}
	return Options{
		Creation: Rehearsed(models["creation"]), Safety: Rehearsed(models["safety"]), Correctness: Rehearsed(models["correctness"]),
		Agent: Rehearsed(models["agent"]),
	}, nil
}

// Rehearsed is a model whose replies were written before the prompt was: it adds the canary of the prompt to a reply that
// has none. That takes from it what a canary is for. It is for scripts and tests; a model that reads what a tool's author
// wrote must not be wrapped in it.
func Rehearsed(m model.Model) model.Model { return rehearsed{m} }

type rehearsed struct{ model model.Model }

func (r rehearsed) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	reply, err := r.model.Chat(ctx, req)
	before, after, object := strings.Cut(reply.Text, "{")
	if err != nil || !object || strings.Contains(reply.Text, `"canary"`) {
		return reply, err
	}
	member := `"canary":"` + canaryOf(req) + `"`
	if !strings.HasPrefix(strings.TrimLeft(after, " \t\r\n"), "}") {
		member += ","
	}
	reply.Text = before + "{" + member + after
	return reply, nil
}

var lastLine = regexp.MustCompile(regexp.QuoteMeta(canaryLine) + `([0-9a-f]{32})\s*$`)

// canaryOf is the canary of a prompt of this package, or "".
func canaryOf(req model.Request) string {
	if len(req.Messages) == 0 {
		return ""
	}
	if m := lastLine.FindStringSubmatch(req.Messages[len(req.Messages)-1].Text); m != nil {
		return m[1]
	}
	return ""
}
