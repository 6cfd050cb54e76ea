package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// checkHost looks at what a host stands on: its configuration, its data, its judge. It changes nothing.
func (f *face) checkHost(ctx context.Context, place dataFlags) []check {
	c, err := f.config(ctx, place)
	if err != nil {
		return []check{broken("config", err, tool.AsError(err).Hint)}
	}
	return []check{{Name: "config", OK: true, Detail: "it can be read"}, checkData(ctx, c.Data), checkJudge(c)}
}

func checkData(ctx context.Context, dir string) check {
	if dir == config.Memory {
		return check{Name: "data", OK: true, Detail: "nothing is kept"}
	}
	shelf, err := openShelf(ctx, dir)
	switch {
	case errors.Is(err, tool.NotFound):
		return check{Name: "data", OK: true, Detail: dir + ", which is made with the first tool"}
	case err != nil:
		return broken("data", err, tool.AsError(err).Hint)
	}
	tenants, err := shelf.Tenants(ctx)
	if err = errors.Join(err, shelf.Close()); err != nil { //nolint:contextcheck,nolintlint // what was opened is closed
		return broken("data", err, "")
	}
	return check{Name: "data", OK: true, Detail: fmt.Sprintf("%s, tenants: %d", dir, len(tenants))}
}

// checkJudge says who would review. That nobody does is no fault: everything is then rejected.
func checkJudge(c config.Config) check {
	spec, configured, err := c.Model(config.JudgeModel, os.Getenv)
	if err == nil && configured {
		_, err = model.Open(spec, model.Options{})
	}
	switch {
	case err != nil:
		return broken("judge", err, tool.AsError(err).Hint)
	case !configured:
		return check{
			Name: "judge", OK: true, Detail: "no model is configured: every forge is rejected, unless a person approves",
			Hint: "set OPENAI_API_KEY, ANTHROPIC_API_KEY or OLLAMA_HOST, or models.judge in the configuration",
		}
	}
	name := spec.Model
	if name == "" {
		name = "its usual model"
	}
	return check{Name: "judge", OK: true, Detail: spec.Provider + ", " + name + "; it was not asked"}
}
