package forge

import (
	"context"
	"fmt"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// duplicateThreshold is how much a request may be like a tool that there is, unless Options say otherwise.
const duplicateThreshold = 0.92

// stillUnlike is unlike for what is about to be registered.
func (j *job) stillUnlike(ctx context.Context) error {
	err := j.unlike(ctx)
	if err == nil {
		j.result.Stage = StageRegister
	}
	return err
}

// notBarred refuses what does just what a suspended tool does; registering decides it again.
func (j *job) notBarred(ctx context.Context) error {
	j.result.Stage = StageDuplicate
	return j.forge.shelf.NotBarred(ctx, j.by.Caller, j.candidate.SourceHash)
}

// unlike refuses what repeats a tool that the author could call instead. It is asked before anything runs, and again when the tool
// is registered: of two requests for the same that come at once, one is refused there.
func (j *job) unlike(ctx context.Context) error {
	if j.forge.opt.AllowDuplicates {
		return nil
	}
	j.result.Stage = StageDuplicate
	found, err := j.forge.sandbox.Similar(ctx, j.by.Caller, j.candidate, j.forge.opt.DuplicateThreshold)
	if err != nil || len(found) == 0 {
		return err
	}
	best := found[0]
	return &tool.Error{
		Code: tool.Collision, Path: "/name",
		Message: fmt.Sprintf("%s repeats the tool %s (%.2f of 1): %s", j.request.Name, best.Name, best.Score, strings.Join(best.Reasons, "; ")),
		Hint: fmt.Sprintf("use this instead: %s, which says of itself %s; a tool that does something else says so in its name and description",
			best.Name, tool.Quote(best.Description)),
	}
}
