package programs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/toolsmith/bench/programs"
)

func TestProgramsAreWhole(t *testing.T) {
	all := append(programs.Compute(), programs.Adversarial()...)
	all = append(all, programs.Slug, programs.DeepRecursion)
	seen := map[string]bool{}
	for _, p := range all {
		if seen[p.Name] {
			t.Errorf("two programs are called %q", p.Name)
		}
		seen[p.Name] = true
		if !strings.Contains(p.Source, "function execute(") {
			t.Errorf("%s does not define execute", p.Name)
		}
		if !json.Valid([]byte(p.Input)) {
			t.Errorf("the input of %s is not JSON", p.Name)
		}
	}
}

func TestComputeProgramsSayWhatTheyReturn(t *testing.T) {
	for _, p := range programs.Compute() {
		if !json.Valid([]byte(p.Want)) {
			t.Errorf("%s wants %q, which is not JSON", p.Name, p.Want)
		}
	}
}

func TestVariantsDiffer(t *testing.T) {
	a, b := programs.Slug.Variant("1"), programs.Slug.Variant("2")
	if a.Source == b.Source || a.Source == programs.Slug.Source {
		t.Error("variants have equal sources")
	}
	if a.Input != programs.Slug.Input || a.Want != programs.Slug.Want {
		t.Error("a variant differs in more than its source")
	}
}
