package measures

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"example.com/toolsmith/bench/programs"
	"example.com/toolsmith/bench/report"
	"example.com/toolsmith/runtime/tool"
)

const (
	forgeNames   = 500  // names that requests take in turn: each makes a new tool first, and later the next version of it
	forgeSession = 5000 // requests that one session makes
)

// forge measures a request with four test cases on its way through all gates to the shelf on disk. The judge's model is a
// stub, so that what it takes is not measured.
func forge(ctx context.Context, s *Session) (results []report.Result, err error) {
	smith, err := openSmith(ctx, s.Cache)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, smith.close()) }()
	i := 0
	samples, err := s.sample(ctx, s.budget(), func() error {
		i++
		return smith.forge(ctx, i)
	})
	if err != nil {
		return nil, err
	}
	return []report.Result{{Measure: s.now.Name, Unit: report.Nanoseconds, Ours: report.Describe(samples)}}, nil
}

// forge makes request number i.
func (s *smith) forge(ctx context.Context, i int) error {
	c := tool.Caller{Tenant: "acme", Persona: "ann", Session: strconv.Itoa(i / forgeSession)}
	text, err := request(fmt.Sprintf("slug_%d", i%forgeNames), programs.Slug.Variant(strconv.Itoa(i)))
	if err != nil {
		return err
	}
	_, err = s.Forge(ctx, c, text)
	return err
}
