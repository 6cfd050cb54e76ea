package cli

import (
	"context"
	"fmt"
	"os"

	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// checkHost looks at what a host stands on. It changes nothing.
func (f *face) checkHost(ctx context.Context, place dataFlags) []check {
	c, err := f.config(ctx, place)
	if err != nil {
		return []check{broken("config", err, tool.AsError(err).Hint)}
	}
	checks := []check{{Name: "config", OK: true, Detail: "it can be read"}, checkLog(c.Log)}
	s, found := checkData(ctx, c.Data)
	checks = append(checks, found...)
	if s != nil {
		checks = append(checks, checkListen(ctx, c.Listen, s))
	}
	return append(checks, checkQuotas(c, s), checkTraces(ctx, os.Getenv), checkJudge(c))
}

// checkLog says what servers tell.
func checkLog(l config.Log) check {
	if l.Level == "off" {
		return check{Name: "log", OK: true, Detail: "nothing is logged", Hint: "log.level in the configuration can be warn, to be told what goes wrong"}
	}
	return check{Name: "log", OK: true, Detail: fmt.Sprintf("%s and worse, as %s, on standard error of what serves", l.Level, l.Format)}
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
