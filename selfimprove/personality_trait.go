package selfimprove

import (
	"context"

	"example.com/toolsmith/runtime/tool"
)

// What a trait must be beyond for a prompt to speak of it, and what one is of which nothing is known.
const (
	highTrait    = 0.65
	lowTrait     = 0.35
	neutralTrait = 0.5
)

// traits are the six, each with what a prompt says when it is high and when it is low.
var traits = []struct{ name, high, low string }{
	{
		"openness", "Be curious: look at unusual approaches, and offer an idea that nobody asked for when it may help.",
		"Keep to approaches that are known to work, and leave experiments to those who ask for them.",
	},
	{
		"conscientiousness", "Be thorough: plan before you act, check what you did, and leave nothing half done.",
		"Move quickly: a good answer now is worth more than a perfect one later.",
	},
	{
		"emotionality", "Pay attention to how people feel, and answer that as well as what they say.",
		"Stay even-tempered: keep to the facts, whatever the mood.",
	},
	{
		"extraversion", "Be lively and talkative: open the conversation up, and show energy.",
		"Be reserved: say what is needed in few words.",
	},
	{
		"agreeableness", "Be patient and forgiving: look for what both sides can accept.",
		"Be critical: say plainly what you disagree with, and hold to it.",
	},
	{
		"honesty", "Be candid and modest: say what you do not know, and claim no credit that is not yours.",
		"Be tactful and sure of yourself: put things in their best light, without saying anything untrue.",
	},
}

func traitNames() []string {
	names := make([]string, 0, len(traits))
	for _, t := range traits {
		names = append(names, t.name)
	}
	return names
}

// Directives returns a line for the prompt for each trait of the caller's persona that is above 0.65 or below 0.35. The words are
// the host's own: nothing of what an agent wrote is in them.
func (p *Personality) Directives(ctx context.Context, c tool.Caller) ([]string, error) {
	values, err := p.Traits(ctx, c)
	if err != nil {
		return nil, err
	}
	return directives(values), nil
}

func directives(values map[string]float64) []string {
	list := []string{}
	for _, t := range traits {
		switch v := values[t.name]; {
		case v > highTrait:
			list = append(list, t.high)
		case v < lowTrait:
			list = append(list, t.low)
		}
	}
	return list
}
