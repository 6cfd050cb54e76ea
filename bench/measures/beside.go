package measures

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"example.com/toolsmith/bench/load"
	"example.com/toolsmith/bench/programs"
	"example.com/toolsmith/bench/report"
	"example.com/toolsmith/bench/stats"
)

// inProcess is the peer of a call over HTTP: the same call by the library.
const inProcess = "in_process"

// beside measures a call of the small tool over HTTP, beside the same call within this process.
func (s *Session) beside(ctx context.Context, measure string, at *server) (result report.Result, err error) {
	smith, err := openSmith(ctx, s.Cache)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, smith.close()) }()
	calls, err := smith.calls(ctx)
	if err != nil {
		return result, err
	}
	client := load.NewClient(at.address)
	defer func() { err = errors.Join(err, client.Close()) }()
	request := at.call("slug", at.keys[0], programs.Slug.Input)
	ways := map[string]func() error{inProcess: calls[ours], ours: func() error {
		status, body, err := client.Ask(ctx, request)
		if err == nil && !bytes.Contains(body, []byte(programs.Slug.Want)) {
			err = fmt.Errorf("over HTTP: status %d: %s", status, body)
		}
		return err
	}}
	c := newContest([]string{inProcess}, func(_ context.Context, contender string) ([]float64, error) { return timed(8, 1, ways[contender]) })
	if err := s.repeat(ctx, s.loadTime(), c.round); err != nil {
		return result, err
	}
	result = c.result(measure, report.Nanoseconds)
	if pairs := c.pairs[inProcess]; pairs != nil {
		over, within := stats.Percentile(pairs.Ours, 0.95), stats.Percentile(pairs.Peer, 0.95)
		result.Note = fmt.Sprintf("p95 over HTTP %s, in process %s: %.1f times", report.Nanoseconds.Show(over), report.Nanoseconds.Show(within), over/within)
	}
	return result, nil
}
