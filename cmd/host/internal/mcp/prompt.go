package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// ForgeExample is the request that the prompt shows. It passes every gate.
const ForgeExample = `{
  "name": "word_frequency",
  "description": "Counts how often each word occurs in a text, whatever its case. Takes text and how many words to return; returns the most frequent words, each with its count, the most frequent first.",
  "inputSchema": {
    "type": "object",
    "properties": {
      "text": {"type": "string", "maxLength": 100000},
      "top": {"type": "integer", "minimum": 1, "maximum": 100}
    },
    "required": ["text", "top"],
    "additionalProperties": false
  },
  "outputSchema": {
    "type": "object",
    "properties": {
      "words": {
        "type": "array",
        "items": {
          "type": "object",
          "properties": {"word": {"type": "string"}, "count": {"type": "integer"}},
          "required": ["word", "count"],
          "additionalProperties": false
        }
      }
    },
    "required": ["words"],
    "additionalProperties": false
  },
  "implementation": {
    "mode": "sandbox",
    "code": "function execute(input) {\n  const counts = new Map();\n  for (const word of input.text.toLowerCase().match(/[a-z0-9']+/g) || []) {\n    counts.set(word, (counts.get(word) || 0) + 1);\n  }\n  const words = [];\n  for (const [word, count] of counts) {\n    words.push({ word: word, count: count });\n  }\n  words.sort((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1));\n  return { words: words.slice(0, input.top) };\n}",
    "allowlist": []
  },
  "testCases": [
    {"input": {"text": "To be, or not to be", "top": 2}, "expectedOutput": {"words": [{"word": "be", "count": 2}, {"word": "to", "count": 2}]}},
    {"input": {"text": "One one ONE two", "top": 5}, "expectedOutput": {"words": [{"word": "one", "count": 3}, {"word": "two", "count": 1}]}},
    {"input": {"text": "", "top": 3}, "expectedOutput": {"words": []}}
  ]
}`

const forgeLesson = `You are about to write the arguments of forge_tool. A good request passes at the first try. This is how it looks:

1. Search first. Call search_tools with what you need; a tool that repeats one you can call is refused.
2. One tool does one thing. Its name says what it does: letters, digits, underscores.
3. The description is what other models read when they choose: what it does, what it takes, what it returns. If the code uses fetch, fs.readFile or crypto, say so there and name it in allowlist; else leave allowlist [].
4. inputSchema and outputSchema are JSON Schema with properties, required and "additionalProperties": false. Bound what can grow: maxLength, maxItems, maximum.
5. The code is plain JavaScript with function execute(input). No import, require, export or eval. It returns exactly what outputSchema declares. Same input, same output: no clock, no randomness unless that is the point.
6. When existing tools do it together, use mode "compose" with steps instead of code.
7. Give at least two test cases with different inputs, and an edge: an empty list, a zero, text in another script. Work out expectedOutput yourself; every case is run.

When it is refused, the result says where and how to mend it. Change that, and nothing else.

An example that passes:

` + ForgeExample

// lesson is the prompt that there is.
var lesson = sdk.Prompt{
	Name: "write_forge_request", Title: "Write a forge request",
	Description: "Teaches how to write a request for forge_tool that passes, with an example.",
	Arguments:   []*sdk.PromptArgument{{Name: "task", Description: "What the tool is to do."}},
}

func (s *seat) addPrompts() {
	prompt := lesson
	s.server.AddPrompt(&prompt, func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		text := forgeLesson
		const most = 4000
		if task := []rune(req.Params.Arguments["task"]); len(task) > 0 {
			text += "\n\nNow write the request for a tool that does this:\n\n" + string(task[:min(len(task), most)])
		}
		return &sdk.GetPromptResult{
			Description: prompt.Description, Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}},
		}, nil
	})
}
