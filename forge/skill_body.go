package forge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// skillBody writes the Markdown of a skill. What an author wrote cannot leave its place: it is escaped, or code.
type skillBody struct {
	record         *tool.Record
	implementation tool.Implementation
	out            strings.Builder
}

func (b *skillBody) write() {
	b.printf("# %s\n", title(b.record.Name))
	b.printf("\n## Purpose\n\n%s\n", inline(b.record.Description))
	b.printf("\n## Usage\n\n")
	if b.implementation.Mode == tool.ComposeMode {
		b.pipeline()
	} else {
		b.sandbox()
	}
	b.parameters()
	b.output()
	b.steps()
	b.provenance()
}

func (b *skillBody) printf(format string, args ...any) { fmt.Fprintf(&b.out, format, args...) }

func (b *skillBody) pipeline() {
	chain := make([]string, 0, len(b.implementation.Steps))
	for _, s := range b.implementation.Steps {
		chain = append(chain, codeSpan(s.Tool))
	}
	unit := "steps"
	if len(chain) == 1 {
		unit = "step"
	}
	b.printf("Call the tool %s. It is a pipeline of %d %s: %s.\n", codeSpan(b.record.Name), len(chain), unit, strings.Join(chain, " → "))
}

func (b *skillBody) sandbox() {
	b.printf("Call the tool %s. It is code that runs in a sandbox, ", codeSpan(b.record.Name))
	if apis := b.implementation.Allowlist; len(apis) > 0 {
		spans := make([]string, 0, len(apis))
		for _, api := range apis {
			spans = append(spans, codeSpan(api))
		}
		b.printf("with these APIs of the host: %s.\n", strings.Join(spans, ", "))
	} else {
		b.printf("without any API of the host.\n")
	}
	b.printf("\nSandbox source code is redacted: the tool runs on the host that forged it, or on one that imported its package.\n")
}

func (b *skillBody) parameters() {
	var schema struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if json.Unmarshal(b.record.InputSchema, &schema) != nil || !bytes.HasPrefix(schema.Properties, []byte("{")) {
		return
	}
	properties := membersOf(schema.Properties)
	if len(properties) == 0 {
		return
	}
	required := map[string]string{}
	for _, name := range schema.Required {
		required[name] = "Yes"
	}
	b.printf("\n## Parameters\n\n| Parameter | Type | Required | Description |\n| --- | --- | --- | --- |\n")
	for _, p := range properties {
		kind, description := declaredType(p.value)
		must := required[p.key]
		if must == "" {
			must = "No"
		}
		b.printf("| %s | %s | %s | %s |\n", inline(p.key), inline(kind), must, inline(description))
	}
}

// declaredType returns the type that a schema names, or several, and its description.
func declaredType(schema json.RawMessage) (kind, description string) {
	var s struct {
		Type        json.RawMessage `json:"type"`
		Description string          `json:"description"`
	}
	_ = json.Unmarshal(schema, &s) // true and false declare nothing
	var kinds []string
	if isText(s.Type) {
		kinds = []string{textOf(s.Type)}
	} else if len(s.Type) > 0 {
		_ = json.Unmarshal(s.Type, &kinds)
	}
	if len(kinds) == 0 {
		kinds = []string{"unknown"}
	}
	return strings.Join(kinds, " or "), s.Description
}

func (b *skillBody) output() {
	var indented bytes.Buffer
	empty := map[string]bool{"": true, "{}": true, "true": true, "null": true}
	if err := json.Indent(&indented, b.record.OutputSchema, "", "  "); err != nil || empty[indented.String()] {
		return
	}
	b.printf("\n## Output\n\n```json\n%s\n```\n", indented.String())
}

func (b *skillBody) steps() {
	if b.implementation.Mode != tool.ComposeMode {
		return
	}
	b.printf("\n## Pipeline Steps\n\n")
	for i, s := range b.implementation.Steps {
		b.printf("%d. **%s** calls %s\n", i+1, inline(s.Name), codeSpan(s.Tool))
		if s.Condition != "" {
			b.printf("   - Condition: %s\n", codeSpan(s.Condition))
		}
		if len(s.InputMapping) > 0 {
			mapping, err := tool.Canonical(s.InputMapping)
			if err != nil {
				mapping = []byte("{}")
			}
			b.printf("   - Input: %s\n", codeSpan(string(mapping)))
		}
	}
}

func (b *skillBody) provenance() {
	u := b.record.UsageStats
	const percent = 100
	b.printf("\n## Provenance\n\n- **Source:** %s\n- **Tier:** %s\n- **Total uses:** %d\n- **Success rate:** %.1f%%\n- **Confidence:** %.2f\n",
		inline(b.record.Source), b.record.Tier, u.TotalUses, percent*u.SuccessRate(), u.ConfidenceScore)
}

// inline is text of somebody else within a line of Markdown, where it means itself: no heading, table, link, image or HTML.
func inline(text string) string {
	text = markup.Replace(oneLine(text))
	if text != "" && strings.ContainsRune("#>+-=~*:", rune(text[0])) {
		text = `\` + text
	}
	return text
}

var markup = strings.NewReplacer(`\`, `\\`, "`", "\\`", "|", `\|`, "[", `\[`, "]", `\]`, "<", "&lt;", "&", "&amp;")

// codeSpan is text in code style, whatever backticks it has itself.
func codeSpan(text string) string {
	text = oneLine(text)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		text = " " + text + " "
	}
	return fence + text + fence
}
