package measures

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/toolsmith/bench/report"
)

// Measure is one thing that is measured.
type Measure struct {
	Name   string
	Budget time.Duration // about how long it samples in a quick run
	take   func(context.Context, *Session) ([]report.Result, error)
}

// all lists the measures in the order in which they are taken and shown.
var all = []Measure{
	{"hermetic_call", 3 * time.Second, hermeticCall},
	{"warm_call", time.Second, warmCall},
	{"compute", 6 * time.Second, compute},
	{"metering", 2 * time.Second, metering},
	{"overrun", 11 * time.Second, overrun},
	{"density", 2 * time.Second, density},
	{"throughput", 2 * time.Second, throughput},
	{"cold_start", 2 * time.Second, coldStart},
	{"forge", time.Second, forge},
	{"call_path", time.Second, callPath},
	{"audit_append", time.Second / 2, auditAppend},
	{"list", time.Second / 2, list},
}

// asked lists those that are taken only when they are named: what they measure is no speed of the engine.
var asked = []Measure{{"judge", 20 * time.Second, verdicts}, {"http", 12 * time.Second, overHTTP}}

// Names returns the names of all measures.
func Names() []string {
	var names []string
	for _, m := range slices.Concat(all, asked) {
		names = append(names, m.Name)
	}
	return names
}

// Select returns the measures of those names in the usual order; without names, all but those that have to be asked for.
func Select(names []string) ([]Measure, error) {
	if len(names) == 0 {
		return all, nil
	}
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[name] = true
	}
	var selected []Measure
	for _, m := range slices.Concat(all, asked) {
		if wanted[m.Name] {
			selected = append(selected, m)
			delete(wanted, m.Name)
		}
	}
	for name := range wanted {
		return nil, fmt.Errorf("there is no measure %q; there are %s", name, strings.Join(Names(), ", "))
	}
	return selected, nil
}
