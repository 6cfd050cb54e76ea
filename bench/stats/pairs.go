package stats

// Pairs holds samples of two contenders that were taken next to each other, so that whatever slows the machine for
// a while slows both. Sample i of one belongs to sample i of the other. The zero value is empty and ready to use.
type Pairs struct {
	Ours, Peer []float64
}

// Add appends as many pairs as both batches hold; what one batch has beyond the other has no partner and is left out.
func (p *Pairs) Add(ours, peer []float64) {
	n := min(len(ours), len(peer))
	p.Ours = append(p.Ours, ours[:n]...)
	p.Peer = append(p.Peer, peer[:n]...)
}

// Ratio is the median of ours/peer over all pairs: below 1 means ours is smaller. NaN when there are no pairs.
func (p *Pairs) Ratio() float64 {
	ratios := make([]float64, len(p.Ours))
	for i := range ratios {
		ratios[i] = p.Ours[i] / p.Peer[i]
	}
	return Median(ratios)
}
