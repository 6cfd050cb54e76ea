package compose

import "slices"

// Circle returns the chain of tools, from self back to self, that a pipeline named self closes when it calls tools; nil when
// there is none. toolsOf returns what a composed tool calls, and nothing for any other.
func Circle(self string, tools []string, toolsOf func(name string) []string) []string {
	seen := map[string]bool{}
	chains := [][]string{{self}}
	for next := tools; ; next = toolsOf(chains[0][len(chains[0])-1]) {
		for _, name := range next {
			chain := append(slices.Clone(chains[0]), name)
			if name == self {
				return chain
			}
			if !seen[name] {
				seen[name] = true
				chains = append(chains, chain)
			}
		}
		if chains = chains[1:]; len(chains) == 0 {
			return nil
		}
	}
}
