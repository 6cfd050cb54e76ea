package measures

import (
	"context"
	"maps"
	"slices"
	"strings"

	"example.com/toolsmith/bench/report"
	"example.com/toolsmith/bench/stats"
)

// contest compares ours with every peer by samples that alternate: ours, a peer, ours, the next peer, and so on. Ours
// runs next to each peer, so there are more samples of it.
type contest struct {
	peers []string
	// sample takes a batch of samples of one contender.
	sample func(ctx context.Context, contender string) ([]float64, error)

	ours   []float64
	pairs  map[string]*stats.Pairs
	faults map[string]string // peers that dropped out, and why
}

// ours is the name of our contender.
const ours = "ours"

func newContest(names []string, sample func(context.Context, string) ([]float64, error)) *contest {
	return &contest{peers: names, sample: sample, pairs: map[string]*stats.Pairs{}, faults: map[string]string{}}
}

// round takes one batch of every peer that is left, each beside one of ours. Its error is one of ours; a peer that
// fails drops out.
func (c *contest) round(ctx context.Context) error {
	if len(c.faults) == len(c.peers) {
		_, err := c.sampleOurs(ctx)
		return err
	}
	for _, peer := range c.peers {
		if c.faults[peer] != "" {
			continue
		}
		mine, err := c.sampleOurs(ctx)
		if err != nil {
			return err
		}
		theirs, err := c.sample(ctx, peer)
		if err != nil {
			c.drop(peer, err)
			continue
		}
		if c.pairs[peer] == nil {
			c.pairs[peer] = &stats.Pairs{}
		}
		c.pairs[peer].Add(mine, theirs)
	}
	return nil
}

func (c *contest) sampleOurs(ctx context.Context) ([]float64, error) {
	batch, err := c.sample(ctx, ours)
	c.ours = append(c.ours, batch...)
	return batch, err
}

// drop takes a peer out of the contest.
func (c *contest) drop(peer string, why error) { c.faults[peer] = why.Error() }

// result sums the contest up.
func (c *contest) result(measure string, unit report.Unit) report.Result {
	result := report.Result{Measure: measure, Unit: unit, Ours: report.Describe(c.ours), Note: missing(c.faults)}
	for peer, pairs := range c.pairs {
		result.Compare(peer, pairs)
	}
	return result
}

// missing tells which peers dropped out, and why.
func missing(faults map[string]string) string {
	var parts []string
	for _, peer := range slices.Sorted(maps.Keys(faults)) {
		parts = append(parts, "dropped out: "+faults[peer])
	}
	return strings.Join(parts, "; ")
}
