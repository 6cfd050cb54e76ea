package selfimprove

import (
	"context"
	"encoding/json"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// SkillTool is the name of the tool by which an agent has skills.
const SkillTool = "manage_skills"

const skillSchema = `{
  "type": "object",
  "properties": {
    "action": {
      "type": "string", "enum": ["enable", "disable", "search", "list", "propose"],
      "description": "enable or disable a skill in this session; search for skills by words; list those that are enabled and disabled; propose a new skill, or an edit of one, for a person to approve"
    },
    "skillId": {"type": "string", "minLength": 1, "maxLength": 200, "description": "id or name of the skill to enable, disable or edit"},
    "query": {"type": "string", "minLength": 1, "maxLength": 1024, "description": "of search: words that the name, category or description has"},
    "name": {"type": "string", "minLength": 1, "maxLength": 64, "description": "of propose: name of a new skill, in lower case letters, digits and single hyphens"},
    "description": {"type": "string", "maxLength": 1024, "description": "of propose: what the skill is for, in one sentence"},
    "content": {"type": "string", "maxLength": 65536, "description": "of propose: the whole text of the skill, as Markdown"},
    "reason": {"type": "string", "maxLength": 1000, "description": "of enable and propose: why you need it, for the person who decides"}
  },
  "required": ["action"],
  "additionalProperties": false
}`

// skillRequest is the input of the tool.
type skillRequest struct {
	Action      string `json:"action"`
	SkillID     string `json:"skillId"`
	Query       string `json:"query"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Content     string `json:"content"`
	Reason      string `json:"reason"`
}

// Tool returns manage_skills.
func (s *Skills) Tool() Tool {
	return Tool{
		Name: SkillTool,
		Description: "Skills are instructions for kinds of tasks. Searches for them, enables and disables them in this session, and proposes new ones. " +
			"Some need a person's approval: the answer says requires_approval then, and the skill can be enabled later.",
		InputSchema: json.RawMessage(skillSchema),
		Run: func(ctx context.Context, c tool.Caller, input json.RawMessage) (json.RawMessage, error) {
			var r skillRequest
			if err := wire.JSON(input, &r); err != nil {
				return nil, err
			}
			result, err := s.act(ctx, tool.Actor{Caller: c}, r)
			if err != nil {
				return nil, tool.AsError(err)
			}
			return json.Marshal(result)
		},
	}
}

// act does what a request asks for.
func (s *Skills) act(ctx context.Context, by tool.Actor, r skillRequest) (any, error) {
	switch r.Action {
	case "enable":
		return s.Enable(ctx, by, r.SkillID, r.Reason)
	case "disable":
		return s.Disable(ctx, by, r.SkillID)
	case "search":
		return s.Search(ctx, by.Caller, r.Query)
	case "list":
		return s.List(ctx, by.Caller)
	case "propose":
		return s.Propose(ctx, by, SkillProposal{SkillID: r.SkillID, Name: r.Name, Description: r.Description, Content: r.Content, Reason: r.Reason})
	}
	return nil, &tool.Error{
		Code: tool.InvalidInput, Path: "/action", Message: "there is no action " + tool.Quote(r.Action), Hint: "enable, disable, search, list or propose",
	}
}
