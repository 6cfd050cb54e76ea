package builtin

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
)

// Bounds of one template.
const (
	maxTemplate   = 256 << 10 // bytes
	maxBlocks     = 16        // within each other
	maxPathParts  = 16        // of one name
	maxRenderings = 500_000   // parts of templates that are rendered, repeated ones included
	maxTextBytes  = 1 << 20   // of the output
)

const templateDescription = `Fills values into a text template and returns the text.

Arguments: template, values (an object).
In the template: {{name}} is a value, {{a.b}} a member of it and {{list.0}} an item. {{#each list}}...{{/each}} repeats for each item of an array or member of an object; within it {{this}} is the item, {{this.a}} or {{a}} a member of it, {{@index}} its position from 0 and {{@key}} the name of a member; names that the item has not are looked up further out. {{#if name}}...{{else}}...{{/if}} chooses: false, null, 0, "", [], {} and what is missing are no. {{#each}} takes an {{else}} too, for when there are no items. \{{ stands for {{ itself.
Strings are put in as they are, null as nothing, everything else as compact JSON. Nothing is escaped. #if, #each, else and their ends may stand on lines of their own, which then vanish.
Result: text. A value that is missing is an error that names it and its place; put what is optional into {{#if}}.
Limits: 256 KiB of template, 16 blocks within each other, 1 MiB of text.
Example: {"template": "Dear {{name}},{{#each items}} {{@index}}: {{this}};{{/each}}", "values": {"name": "Ada", "items": ["tea", "ink"]}} gives {"text": "Dear Ada, 0: tea; 1: ink;"}`

const templateInput = `{
	"type": "object",
	"properties": {
		"template": {"type": "string", "maxLength": 262144, "description": "The text with its {{tags}}."},
		"values": {"type": "object", "description": "The values by name."}
	},
	"required": ["template", "values"],
	"additionalProperties": false
}`

const templateOutput = `{
	"type": "object",
	"properties": {"text": {"type": "string", "description": "The text with the values filled in."}},
	"required": ["text"],
	"additionalProperties": false
}`

// TextTemplate is the tool text_template: a text with values filled in.
func TextTemplate() runtime.Tool {
	return runtime.Tool{
		Name: "text_template", Description: templateDescription,
		InputSchema: json.RawMessage(templateInput), OutputSchema: json.RawMessage(templateOutput),
		Run: textTemplate,
	}
}

func textTemplate(ctx context.Context, call *runtime.Invocation) (json.RawMessage, error) {
	var ask struct {
		Template string          `json:"template"`
		Values   json.RawMessage `json:"values"`
	}
	if err := read(call.Input, &ask); err != nil {
		return nil, err
	}
	parts, err := parseTemplate(ask.Template)
	if err != nil {
		return nil, err
	}
	values, err := readNode(ask.Values, "/values")
	if err != nil {
		return nil, err
	}
	r := renderer{work: work{ended: ctx.Err, most: maxRenderings, over: tool.Error{
		Code: tool.Limit, Path: "/template", Message: fmt.Sprintf("filling in the template takes more than %d steps", maxRenderings),
		Hint: "repeat less: fewer items, or fewer loops within loops",
	}}}
	if err := r.parts(parts, &scope{this: values}); err != nil {
		return nil, err
	}
	return write(struct {
		Text string `json:"text"`
	}{r.out.String()})
}
