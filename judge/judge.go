package judge

import (
	"context"
	"crypto/rand"
	"io"
	"sync"
	"time"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// Judge reviews tools. The actor is who asks. The error is a *tool.Error of code Canceled or Timeout, for the end of the
// context; everything else is told by the verdict. Implementations are safe for concurrent use.
type Judge interface {
	// Review says whether a candidate may become a tool.
	Review(ctx context.Context, by tool.Actor, c tool.Candidate) (tool.CreationVerdict, error)
	// Panel says whether a tool may rise a tier. The implementation is that of the record, with its code.
	Panel(ctx context.Context, by tool.Actor, r *tool.Record, whole tool.Implementation) (tool.PromotionVerdict, error)
}

var (
	_ Judge = (*Models)(nil)
	_ Judge = (*Human)(nil)
)

// Options say which models judge, and when they are believed. The zero value rejects everything.
type Options struct {
	Creation    model.Model // reviews candidates
	Safety      model.Model // the panel's security auditor
	Correctness model.Model // the panel's reviewer of correctness
	Agent       model.Model // reviews specialists

	MinConfidence float64       // of a review, 0 to 1; 0 is 0.5
	MinPanel      float64       // of each member of the panel, 0 to 1; 0 is 0.7
	Timeout       time.Duration // of one call; 0 is 2 minutes, at most model.MaxWait
	// Price is what a reply cost in US dollars; with nil nothing costs anything.
	Price func(r model.Reply) float64

	Now    func() time.Time // nil means time.Now
	Random io.Reader        // of markers and canaries; nil means crypto/rand
}

// The bounds of a review.
const (
	MaxSourceBytes = 256 << 10 // of the source that is shown
	MaxPromptBytes = 1 << 20   // of all that a model or a person is shown
	MaxReplyBytes  = 64 << 10  // of what a model answers
)

const defaultTimeout = 2 * time.Minute

// Models is a judge that asks chat models.
type Models struct {
	opt    Options
	random sync.Mutex // of opt.Random
}

// New makes a judge of models. The error is InvalidRequest, for an option out of its range.
func New(opt Options) (*Models, error) {
	for _, least := range []*float64{&opt.MinConfidence, &opt.MinPanel} {
		if !(*least >= 0 && *least <= 1) { // catches NaN, too
			e := tool.Errorf(tool.InvalidRequest, "the least confidence of a judge is from 0 to 1, not %v", *least)
			e.Hint = "leave it out for the default"
			return nil, e
		}
	}
	if opt.Timeout < 0 || opt.Timeout > model.MaxWait {
		e := tool.Errorf(tool.InvalidRequest, "the time limit of a judge is from 0 to %s, not %s", model.MaxWait, opt.Timeout)
		e.Hint = "leave it out for the default"
		return nil, e
	}
	opt.MinConfidence = orDefault(opt.MinConfidence, 0.5)
	opt.MinPanel = orDefault(opt.MinPanel, 0.7)
	opt.Timeout = orDefault(opt.Timeout, defaultTimeout)
	if opt.Price == nil {
		opt.Price = func(model.Reply) float64 { return 0 }
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Random == nil {
		opt.Random = rand.Reader
	}
	return &Models{opt: opt}, nil
}

func orDefault[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}
