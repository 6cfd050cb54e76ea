package forge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// FirstSkillVersion is that of a skill which was not written before.
const FirstSkillVersion = "1.0.0"

// Bounds of a skill's front matter, as readers of skills have them.
const (
	maxSkillName        = 64
	maxSkillDescription = 1024 // characters
)

// SkillName is what a tool is called as a skill: in lower case, with single hyphens for all that separates words. The error
// is of code InvalidRequest when that is too long for a skill.
func SkillName(toolName string) (string, error) {
	words := strings.FieldsFunc(strings.ToLower(toolName), func(c rune) bool { return c == '_' || c == '-' })
	name := strings.Join(words, "-")
	if len(name) > maxSkillName {
		return "", &tool.Error{
			Code: tool.InvalidRequest, Path: "/name", Message: fmt.Sprintf("the name %s has %d characters: that of a skill has at most %d", name, len(name), maxSkillName),
			Hint: "forge the tool under a shorter name, and export that",
		}
	}
	return name, nil
}

// skillHead is the front matter of SKILL.md.
type skillHead struct {
	Name            string        `json:"name"`
	Version         string        `json:"version"`
	Description     string        `json:"description"`
	Author          string        `json:"author"`
	Namespace       string        `json:"namespace"`
	Category        string        `json:"category"`
	Tags            []string      `json:"tags"`
	RequiresSecrets []string      `json:"requires_secrets"`
	RequiresTools   []string      `json:"requires_tools"`
	Metadata        skillMetadata `json:"metadata"`
}

type skillMetadata struct {
	AgentOS skillOrigin `json:"agentos"`
}

// skillOrigin says which tool a skill is of.
type skillOrigin struct {
	Tier      tool.Tier `json:"tier"`
	CreatedBy string    `json:"createdBy"`
	CreatedAt tool.Time `json:"createdAt"`
	Mode      tool.Mode `json:"mode"`
	Tool      string    `json:"tool"` // its name, which may not be the skill's
}

// capability is CAPABILITY.yaml.
type capability struct {
	ID              string          `json:"id"`
	Kind            string          `json:"kind"`
	Name            string          `json:"name"`
	DisplayName     string          `json:"displayName"`
	Description     string          `json:"description"`
	Category        string          `json:"category"`
	Tags            []string        `json:"tags"`
	RequiredSecrets []string        `json:"requiredSecrets"`
	RequiredTools   []string        `json:"requiredTools"`
	InputSchema     json.RawMessage `json:"inputSchema"`
	OutputSchema    json.RawMessage `json:"outputSchema"`
	SkillContent    string          `json:"skillContent"`
}

// SkillText is SKILL.md of a tool: front matter, then what a model needs to know of it in Markdown. Code is not part of it,
// whether i has it or not.
func SkillText(r *tool.Record, i tool.Implementation, version string) ([]byte, error) {
	name, err := SkillName(r.Name)
	if err != nil {
		return nil, err
	}
	head, err := yamlOf(skillHead{
		Name: name, Version: version, Description: shortDescription(r.Description), Author: "emergent-engine", Namespace: "emergent", Category: "emergent",
		Tags: skillTags(r, i), RequiresSecrets: []string{}, RequiresTools: stepTools(i),
		Metadata: skillMetadata{skillOrigin{r.Tier, r.CreatedBy, r.CreatedAt, i.Mode, r.Name}},
	})
	if err != nil {
		return nil, err
	}
	body := skillBody{record: r, implementation: i}
	body.write()
	return []byte("---\n" + string(head) + "---\n\n" + body.out.String()), nil
}

// CapabilityText is CAPABILITY.yaml of a tool, which stands beside its SKILL.md.
func CapabilityText(r *tool.Record, i tool.Implementation) ([]byte, error) {
	return yamlOf(capability{
		ID: "tool:" + r.Name, Kind: "tool", Name: r.Name, DisplayName: title(r.Name), Description: r.Description, Category: "emergent",
		Tags: skillTags(r, i), RequiredSecrets: []string{}, RequiredTools: stepTools(i),
		InputSchema: r.InputSchema, OutputSchema: r.OutputSchema, SkillContent: "./SKILL.md",
	})
}

func yamlOf(value any) ([]byte, error) {
	text, err := unescaped(value)
	if err != nil {
		return nil, err
	}
	return wire.JSONToYAML(text)
}

func skillTags(r *tool.Record, i tool.Implementation) []string {
	return []string{"generated", "emergent", string(i.Mode), string(r.Tier)}
}

// stepTools are the tools that a pipeline calls, each once.
func stepTools(i tool.Implementation) []string {
	tools := []string{}
	for _, s := range i.Steps {
		if !slices.Contains(tools, s.Tool) {
			tools = append(tools, s.Tool)
		}
	}
	return tools
}

// shortDescription is a description as front matter may hold it: on one line, and not too long.
func shortDescription(text string) string {
	text = oneLine(text)
	if utf8.RuneCountInString(text) > maxSkillDescription {
		return string([]rune(text)[:maxSkillDescription-1]) + "…"
	}
	return text
}

// title is a tool's name for people: page_outline becomes Page Outline.
func title(name string) string {
	words := strings.FieldsFunc(name, func(c rune) bool { return c == '_' || c == '-' })
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, " ")
}

// oneLine is text with single spaces for all white space, and without what terminals or editors would act on.
func oneLine(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsGraphic(c) {
			return c
		}
		return utf8.RuneError
	}, strings.Join(strings.Fields(text), " "))
}
