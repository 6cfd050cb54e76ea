package forge

import (
	"context"
	"fmt"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// duplicateThreshold is how much a request may be like a tool that there is, unless Options say otherwise.
const duplicateThreshold = 0.92

// unlike refuses what repeats a tool that the author could call instead. Two requests for the same that come at once may
// both pass.
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
