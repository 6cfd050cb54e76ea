package builtin_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/builtin"
	"example.com/toolsmith/runtime/tool"
)

func TestTextTemplate(t *testing.T) {
	t.Parallel()
	const values = `{
		"name": "Ada <a@b>", "n": 1.50, "big": 12345678901234567890, "yes": true, "no": false, "nothing": null, "zero": -0.0e5, "empty": "",
		"user": {"name": "Alan", "tags": ["x", "y"], "first-name": "A", "é": 1}, "items": [{"name": "tea", "n": [1, 2]}, {"name": "ink", "n": []}],
		"list": ["a", 2, null], "none": [], "{{name}}": 1, "tag": "{{name}}", "map": {"b": 1, "a": 2}, "q\"": {"\"": 1}
	}`
	for template, want := range map[string]string{
		``:                           ``,
		`text`:                       `text`,
		`{{name}}`:                   `Ada <a@b>`,
		`{{ name }}, {{user.name}}!`: `Ada <a@b>, Alan!`,
		`{{n}} {{big}} {{yes}} {{nothing}}|{{empty}}|`: `1.50 12345678901234567890 true ||`,
		`{{user.tags.1}}{{list.0}}{{items.1.name}}`:    `yaink`,
		`{{user.first-name}}{{user.é}}`:                `A1`,
		`{{user.tags}} {{map}}`:                        `["x","y"] {"b":1,"a":2}`,
		`{{tag}}`:                                      `{{name}}`,
		`\{{name}} {{name}} \\ }} { {`:                 `{{name}} Ada <a@b> \\ }} { {`,
		`\{{`:                                          `{{`,
		`{{this.name}}`:                                `Ada <a@b>`,
		`{{#each list}}{{@index}}={{this}};{{/each}}`:  `0=a;1=2;2=;`,
		`{{#each map}}{{@key}}{{this}}{{/each}}`:       `b1a2`,
		`{{#each user.tags}}{{name}}{{/each}}`:         `Ada <a@b>Ada <a@b>`,
		`{{#each items}}{{name}}{{this.name}} {{#each n}}{{this}}{{name}}{{@index}}{{else}}none{{/each}};{{/each}}`:                 `teatea 1tea02tea1;inkink none;`,
		`{{#each none}}a{{else}}b{{/each}}{{#each none}}a{{/each}}`:                                                                 `b`,
		`{{#if yes}}a{{else}}b{{/if}}{{#if no}}a{{else}}b{{/if}}`:                                                                   `ab`,
		`{{#if zero}}a{{/if}}{{#if n}}b{{/if}}{{#if empty}}c{{/if}}{{#if none}}d{{/if}}{{#if nothing}}e{{/if}}{{#if map}}f{{/if}}`:  `bf`,
		`{{#if missing}}a{{/if}}{{#if user.missing.too}}b{{/if}}{{#if name.x}}c{{/if}}{{#if @index}}d{{/if}}{{#if list.7}}e{{/if}}`: ``,
		`{{#if yes}}{{#if no}}a{{else}}b{{/if}}{{else}}c{{/if}}`:                                                                    `b`,
		"a\n  {{#if yes}}\n  b\n  {{/if}}\nc":                                                                                       "a\n  b\nc",
		"{{#each list}}\n- {{this}}\n{{/each}}\n":                                                                                   "- a\n- 2\n- \n",
		"{{#each none}}\r\na\r\n{{else}}\r\nb\r\n{{/each}}\r\nc":                                                                    "b\r\nc",
		"{{#if yes}}\n{{#if yes}}\nx\n{{/if}}\n{{/if}}":                                                                             "x\n",
		"a {{#if yes}}\nb{{/if}}\n":                                                                                                 "a \nb\n",
		"  {{name}}\n":                                                                                                              "  Ada <a@b>\n",
	} {
		t.Run(template, func(t *testing.T) {
			t.Parallel()
			got, e := call(t, builtin.TextTemplate(), nil, `{"values": `+values+`, "template": `+encode(t, template)+`}`)
			row{output: `{"text": ` + encode(t, want) + `}`}.check(t, got, e)
		})
	}
}

func TestTextTemplateMistakes(t *testing.T) {
	t.Parallel()
	const values = `{"name": "Ada", "user": {"mail": 1, "tags": []}, "list": [1]}`
	for template, c := range map[string]row{
		"é\né{{nam}}":                           {message: `there is no value "nam", at line 2, column 2 `, hint: "the names here are name, user, list; for what is optional use {{#if}}"},
		`{{user.name}}`:                         {message: `"user.name"`, hint: "user is an object: the names here are mail, tags"},
		`{{name.first}}`:                        {message: `"name.first"`, hint: "name is a string: it has no members"},
		`{{user.tags.0}}`:                       {message: `"user.tags.0"`, hint: "user.tags is an array: it has 0 items"},
		`{{list.-1}}`:                           {message: `"list.-1"`, hint: "it has 1 items"},
		`{{list.01}}`:                           {message: `"list.01"`, hint: "it has 1 items"},
		`{{@index}}`:                            {message: "@index", hint: "{{#each}}"},
		`{{#each list}}{{@key}}{{/each}}`:       {message: "@key", hint: "@index"},
		`{{#each missing}}{{/each}}`:            {message: `"missing", at line 1, column 1 `},
		`{{#each name}}{{/each}}`:               {message: "is a string, and #each takes", hint: "array"},
		`{{name`:                                {message: "no }}, at line 1, column 1 "},
		`{{}}`:                                  {message: "{{}} is not a tag", hint: "the tags are"},
		`{{{name}}}`:                            {message: "is not a tag"},
		`{{first name}}`:                        {message: "is not a tag"},
		`{{a..b}}`:                              {message: "is not a tag"},
		`{{printf "%999d" 1}}`:                  {message: "is not a tag"},
		`{{#if}}`:                               {message: "is not a tag"},
		`{{#with user}}{{/with}}`:               {message: "{{#with user}} is not a tag"},
		`{{@root}}`:                             {message: "is not a tag"},
		`{{a.@index}}`:                          {message: "is not a tag"},
		`{{#if name}}`:                          {message: "no {{/if}}, at line 1, column 1 "},
		`{{#if name}}a{{else}}`:                 {message: "no {{/if}}"},
		`{{#if name}}{{/each}}`:                 {message: "{{/each}} stands where the block of line 1, column 1 wants {{/if}}, at line 1, column 13 "},
		`{{#if a}}{{else}}{{else}}{{/if}}`:      {message: "{{else}} stands where"},
		"\n{{/if}}":                             {message: "{{/if}} has no block", hint: "the tags are"},
		`{{else}}`:                              {message: "{{else}} has no block"},
		`{{` + strings.Repeat("a.", 16) + `b}}`: {message: "more than 16 parts"},
		strings.Repeat("{{#if name}}", 17) + strings.Repeat("{{/if}}", 17): {message: "more than 16 deep, at line 1, column 193 "},
	} {
		c.code, c.path = tool.InvalidInput, "/template"
		got, e := call(t, builtin.TextTemplate(), nil, `{"values": `+values+`, "template": `+encode(t, template)+`}`)
		t.Run(template, func(t *testing.T) {
			t.Parallel()
			c.check(t, got, e)
		})
	}
}

func TestTextTemplateLimits(t *testing.T) {
	t.Parallel()
	hundred := "[" + strings.Repeat("1,", 99) + "1]"
	for name, c := range map[string]struct {
		template, values string
		row
	}{
		"steps":             {`{{#each a}}{{#each a}}{{#each a}}{{/each}}{{/each}}{{/each}}`, `{"a": ` + hundred + `}`, row{code: tool.Limit, message: "500000 steps", path: "/template"}},
		"long keys":         {`{{#each a}}{{#each a}}{{#each o}}{{/each}}{{/each}}{{/each}}`, `{"a": ` + hundred + `, "o": {"` + strings.Repeat("k", 500_000) + `": 1}}`, row{code: tool.Limit, message: "steps", path: "/template"}},
		"output":            {`{{#each a}}{{#each a}}{{t}}{{/each}}{{/each}}`, `{"a": ` + hundred + `, "t": "` + strings.Repeat("t", 105) + `"}`, row{code: tool.OutputTooLarge, message: "1048576 bytes", path: "/template"}},
		"as deep as can be": {strings.Repeat("{{#if a}}", 16) + "x" + strings.Repeat("{{/if}}", 16), `{"a": 1}`, row{output: `{"text": "x"}`}},
		"as long as can be": {"{{t}}", `{"t": "` + strings.Repeat("t", 1<<20) + `"}`, row{output: `{"text": "` + strings.Repeat("t", 1<<20) + `"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, e := call(t, builtin.TextTemplate(), nil, `{"values": `+c.values+`, "template": `+encode(t, c.template)+`}`)
			c.check(t, got, e)
		})
	}
	_, err := builtin.TextTemplate().Run(t.Context(), &runtime.Invocation{Input: json.RawMessage(`{"template": "` + strings.Repeat("a", 1<<18+1) + `", "values": {}}`)})
	if e := tool.AsError(err); e == nil || e.Code != tool.InvalidInput || e.Path != "/template" {
		t.Errorf("got %v", err)
	}
}

// FuzzTextTemplate: never a panic, and always soon a text of bounded size or an error that says where; a template without
// braces is its own text.
func FuzzTextTemplate(f *testing.F) {
	for _, template := range []string{
		"Dear {{name}},\n{{#each items}}\n- {{@index}} {{@key}} {{this.a}}{{b}}\n{{else}}\nnone\n{{/each}}\n", `\{{ {{ #if a.0 }}x{{else}}y{{ /if }}`, "{{", "}}", "{{#if a}}", "{{/if}}", "{{{a}}}", "{{a.@key}}",
		"{{#each a}}{{#each a}}{{#each a}}{{this}}{{/each}}{{/each}}{{/each}}", "\\{{#if a}}\r\n{{/if}}", "  {{else}}  \n",
	} {
		f.Add(template, []byte(`{"name": "\ud800", "items": [{"a": 1, "b": null}], "a": [1, {"k": []}], "b": 1e5}`))
	}
	f.Fuzz(func(t *testing.T, template string, values []byte) {
		if !json.Valid(values) {
			values = []byte(`{"a": ` + encode(t, string(values)) + `}`)
		}
		start := time.Now()
		output, err := builtin.TextTemplate().Run(t.Context(), &runtime.Invocation{Input: json.RawMessage(`{"values": ` + string(values) + `, "template": ` + encode(t, template) + `}`)})
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("it took %v", d)
		}
		var got struct{ Text string }
		if err == nil && (json.Unmarshal(output, &got) != nil || len(got.Text) > 1<<20) {
			t.Errorf("got %.200s", output)
		}
		if e, typed := errors.AsType[*tool.Error](err); err != nil && (!typed || e.Code == tool.Internal || e.Path == "" || e.Hint == "") {
			t.Errorf("got %v", err)
		}
		if !strings.Contains(template, "{") && utf8.ValidString(template) && len(template) < 1<<18 && err == nil && got.Text != template {
			t.Errorf("%q became %q", template, got.Text)
		}
	})
}
