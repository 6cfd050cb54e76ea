package forge

import "encoding/json"

// Definition is how a tool presents itself to models and clients.
type Definition struct {
	ID             string          `json:"id"`
	Name           string          `json:"name"`
	DisplayName    string          `json:"displayName"`
	Description    string          `json:"description"`
	Category       string          `json:"category"`
	HasSideEffects bool            `json:"hasSideEffects"`
	InputSchema    json.RawMessage `json:"inputSchema"`
}

// ToolDefinition is that of forge_tool, through which agents ask for tools. Its arguments are what Read takes; they are
// read before they are held against the schema, which says what is best written, not all that is understood.
func ToolDefinition() Definition {
	return Definition{
		ID: "com.framers.emergent.forge-tool", Name: "forge_tool", DisplayName: "Forge Tool", Category: "emergent", HasSideEffects: true,
		Description: forgeDescription, InputSchema: json.RawMessage(forgeSchema),
	}
}

const forgeDescription = `Create a new tool when no existing capability fits the task. Either compose existing tools into a pipeline ` +
	`(mode "compose"), or write a small, pure function in JavaScript that runs in a sandbox (mode "sandbox"). The tool is checked, run on your ` +
	`test cases and reviewed before you can call it; when it is refused, the result says what to mend.`

const forgeSchema = `{
  "type": "object",
  "required": ["name", "description", "inputSchema", "implementation", "testCases"],
  "properties": {
    "name": {
      "type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_-]*$", "maxLength": 200,
      "description": "What the tool is called by: a letter, then letters, digits, underscores and hyphens."
    },
    "description": {
      "type": "string", "minLength": 1, "maxLength": 4096,
      "description": "What the tool does, what it takes and what it returns. Name every API that it uses."
    },
    "inputSchema": {
      "type": "object",
      "description": "JSON Schema (2020-12) of the input: an object with properties, required and additionalProperties: false."
    },
    "outputSchema": {
      "type": "object",
      "description": "JSON Schema of the result. Left out, it is inferred from the expected outputs."
    },
    "implementation": {
      "oneOf": [
        {
          "type": "object",
          "required": ["mode", "steps"],
          "properties": {
            "mode": {"const": "compose"},
            "steps": {
              "type": "array", "minItems": 1,
              "description": "Run in order; the output of the last one is the tool's.",
              "items": {
                "type": "object",
                "required": ["name", "tool", "inputMapping"],
                "properties": {
                  "name": {"type": "string", "description": "Unique within the tool; later steps refer to it."},
                  "tool": {"type": "string", "description": "The name of an existing tool that you may call."},
                  "inputMapping": {
                    "type": "object",
                    "description": "Argument name to value: a literal, or a reference such as $input.url, $prev.text, $steps[0].id, $steps.<name>.id."
                  },
                  "condition": {"type": "string", "description": "The step runs when this holds, such as $prev.count > 0."}
                }
              }
            }
          }
        },
        {
          "type": "object",
          "required": ["mode", "code", "allowlist"],
          "properties": {
            "mode": {"const": "sandbox"},
            "code": {
              "type": "string",
              "description": "Plain JavaScript with a top-level function execute(input), which may be async. No TypeScript syntax. Braces around the body of every if, else, for and while. No declaration as the body of an arrow function. No import, require, export or eval. Return exactly what outputSchema declares, no other members."
            },
            "allowlist": {
              "type": "array", "uniqueItems": true, "items": {"enum": ["fetch", "fs.readFile", "crypto"]},
              "description": "The APIs that the code uses; everything else is absent. Most tools need none: []."
            },
            "language": {"enum": ["js", "ts"], "description": "ts when the code is TypeScript; js otherwise."},
            "timeoutMs": {"type": "integer", "minimum": 1, "maximum": 60000},
            "memoryMB": {"type": "integer", "minimum": 4, "maximum": 1024}
          }
        }
      ]
    },
    "testCases": {
      "type": "array", "minItems": 1, "maxItems": 100,
      "description": "At least two, with different inputs. Every one is run, and has to give what it expects.",
      "items": {
        "type": "object",
        "required": ["input"],
        "properties": {
          "input": {"type": "object", "description": "Real values for the fields of inputSchema."},
          "expectedOutput": {"description": "Exactly what the tool returns for this input."},
          "partial": {"type": "boolean", "description": "The result may have members that expectedOutput lacks."}
        }
      }
    }
  }
}`
