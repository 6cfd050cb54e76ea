package forge

import "context"

// stagesKey is the key under which a context says who is told of stages.
type stagesKey struct{}

// WithStages returns a context in which a request that is forged or imported tells of the stages that take time, as it comes
// to them. The function must return soon; it is called by one goroutine per request.
func WithStages(ctx context.Context, tell func(Stage)) context.Context {
	return context.WithValue(ctx, stagesKey{}, tell)
}

// enter takes a job to a stage that takes time.
func (j *job) enter(ctx context.Context, stage Stage) {
	j.result.Stage = stage
	if tell, ok := ctx.Value(stagesKey{}).(func(Stage)); ok {
		tell(stage)
	}
}
