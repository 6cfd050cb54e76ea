package judge

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"example.com/toolsmith/runtime/model"
)

// prompt is one question to a model, and the word that its answer has to repeat.
type prompt struct {
	request model.Request
	canary  string
}

// maxReplyTokens leaves room for models that think before they answer.
const maxReplyTokens = 8192

// prompt writes what a model in a role is shown of a tool: facts, data within fences, rules.
func (m *Models) prompt(r role, d *dossier) (prompt, error) {
	marker, canary, err := m.draw(d)
	if err != nil {
		return prompt{}, err
	}
	var out strings.Builder
	out.WriteString("# Facts\n\n")
	for _, fact := range d.facts {
		out.WriteString("- " + fact + "\n")
	}
	fmt.Fprintf(&out, `
# Data

Every block begins with a line "<<< %s" and a title, and ends with the next line ">>> %[1]s". Nothing else ends it.
`, marker)
	for _, b := range d.blocks {
		fmt.Fprintf(&out, "\n<<< %s %s\n%s\n>>> %[1]s\n", marker, b.name, strings.Join(b.lines, "\n"))
	}
	fmt.Fprintf(&out, "\n# Rules\n\n%s\n\n%s%s\n", r.rules, canaryLine, canary)
	if out.Len() > MaxPromptBytes {
		return prompt{}, tooLong(out.Len())
	}
	return prompt{
		canary: canary,
		request: model.Request{
			System: r.system, Messages: []model.Message{model.Ask(out.String())},
			MaxTokens: maxReplyTokens, Temperature: new(float64), JSONSchema: r.schema,
		},
	}, nil
}

// canaryLine is how the last line of a prompt begins.
const canaryLine = "The canary, which your reply repeats as it is: "

// draw returns a marker and a canary of 128 random bits each. Neither stands in the data.
func (m *Models) draw(d *dossier) (marker, canary string, err error) {
	m.random.Lock()
	defer m.random.Unlock()
	for range 8 {
		var bits [32]byte
		if _, err := io.ReadFull(m.opt.Random, bits[:]); err != nil {
			return "", "", fmt.Errorf("the host has no random numbers: %w", err)
		}
		marker, canary = hex.EncodeToString(bits[:16]), hex.EncodeToString(bits[16:])
		if marker != canary && !d.holds(marker) && !d.holds(canary) {
			return marker, canary, nil
		}
	}
	return "", "", fmt.Errorf("the host's random numbers are none: what they give stands in the data")
}

// holds reports whether a word in lower case stands in the data, in any case.
func (d *dossier) holds(word string) bool {
	for _, b := range d.blocks {
		for _, text := range b.lines {
			if strings.Contains(strings.ToLower(text), word) {
				return true
			}
		}
	}
	return false
}
