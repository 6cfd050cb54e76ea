package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"example.com/toolsmith/runtime/policy"
)

// Persona is an agent that the operator declares. One that is only named by a caller has the zero value.
type Persona struct {
	Instructions string             `json:"instructions"`        // at most 64 KiB
	Model        string             `json:"model"`               // in agencies that name none; "" is the manager's or the provider's
	Policy       string             `json:"policy"`              // name under policies, or of a preset; "" is default
	Traits       map[string]float64 `json:"traits" range:"0..1"` // by the names of Traits; one that is missing is 0.5
}

// Traits are the names of the traits that a persona has.
func Traits() []string {
	return []string{"openness", "conscientiousness", "emotionality", "extraversion", "agreeableness", "honesty"}
}

const maxInstructions = 64 << 10

// name is that of a persona or a policy.
var name = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)

func checkName(kind, text string) error {
	if !name.MatchString(text) {
		return wrong(fmt.Sprintf("%.80q is not a name", text), "a letter or digit, then letters, digits, dots, underscores or hyphens, at most 200 in all", kind, text)
	}
	return nil
}

func (c *Config) checkPersonas() error {
	for _, id := range slices.Sorted(maps.Keys(c.Personas)) {
		p := c.Personas[id]
		if err := checkName("personas", id); err != nil {
			return err
		}
		if len(p.Instructions) > maxInstructions {
			return wrong(fmt.Sprintf("instructions have %d bytes", len(p.Instructions)), fmt.Sprintf("write at most %d", maxInstructions), "personas", id, "instructions")
		}
		if _, known := c.Policies[p.Policy]; p.Policy != "" && !known && !preset(p.Policy) {
			return wrong(fmt.Sprintf("there is no policy %.80q", p.Policy), "name one under policies, or default or open", "personas", id, "policy")
		}
		for _, trait := range slices.Sorted(maps.Keys(p.Traits)) {
			if !slices.Contains(Traits(), trait) {
				return wrong(fmt.Sprintf("%.80q is not a trait", trait), fmt.Sprintf("the traits are %v", Traits()), "personas", id, "traits", trait)
			}
		}
	}
	return nil
}

func preset(name string) bool { return name == policy.DefaultName || name == policy.OpenName }
