package forge

import "context"

// stagesKey is the key under which a context says who is told of stages.
type stagesKey struct{}

// WithStages returns a context in which a request that is forged or imported tells of the stages that take time, as it comes
// to them, with the name of the tool. The function must return soon; it is called by one goroutine per request. Who was told before is
// told still.
func WithStages(ctx context.Context, tell func(name string, stage Stage)) context.Context {
	if before := stagesOf(ctx); before != nil {
		after := tell
		tell = func(name string, stage Stage) { before(name, stage); after(name, stage) }
	}
	return context.WithValue(ctx, stagesKey{}, tell)
}

func stagesOf(ctx context.Context) func(string, Stage) {
	tell, _ := ctx.Value(stagesKey{}).(func(string, Stage))
	return tell
}

// enter takes a job to a stage that takes time.
func (j *job) enter(ctx context.Context, stage Stage) {
	j.result.Stage = stage
	if tell := stagesOf(ctx); tell != nil {
		tell(j.request.Name, stage)
	}
}
