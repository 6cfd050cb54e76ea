package model

import (
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Prices holds what models cost, by the name of the model or the beginning of it: the longest that fits counts. A model that
// is not there costs as much as the dearest that is.
type Prices map[string]Price

// Price is in US dollars for a million tokens. Tokens that the provider had kept cost as much as others.
type Price struct{ Input, Output float64 }

func (p Prices) check() error {
	for name, price := range p {
		if !(price.Input >= 0 && price.Output >= 0) { // catches NaN, too
			return tool.Errorf(tool.InvalidRequest, "the price of the model %q is below zero", clip(name))
		}
	}
	return nil
}

// Cost is what a reply costs, in US dollars; 0 without prices.
func (p Prices) Cost(r Reply) float64 {
	price := p.of(r.Model)
	return (price.Input*float64(r.Usage.InputTokens) + price.Output*float64(r.Usage.OutputTokens)) / 1e6
}

// of is the price of a model.
func (p Prices) of(model string) Price {
	found, dearest := "", Price{}
	for name, price := range p {
		dearest = Price{max(dearest.Input, price.Input), max(dearest.Output, price.Output)}
		if strings.HasPrefix(model, name) && len(name) > len(found) {
			found = name
		}
	}
	if found == "" {
		return dearest
	}
	return p[found]
}
