package forge

import (
	"encoding/json"
	"strconv"

	"example.com/toolsmith/runtime/tool"
)

// steps reads the steps of a composed tool. Whether they mean anything is for the pipeline to say.
func (r *requestReader) steps(value json.RawMessage) {
	const at = "/implementation/steps"
	list, ok := r.want('[', value, at)
	if !ok {
		return
	}
	items := itemsOf(list)
	if len(items) > r.rules.MaxSteps {
		r.problems.add(at, "make several tools of it", "there are %d steps: maxStepsPerTool is %d", len(items), r.rules.MaxSteps)
		return
	}
	steps := make([]tool.Step, len(items))
	taken := map[string]bool{}
	for i, item := range items {
		steps[i] = r.step(item, pointer(at, strconv.Itoa(i)))
		taken[steps[i].Name] = true
	}
	for i := range steps {
		r.nameStep(&steps[i], taken)
	}
	if len(steps) > 0 {
		r.request.Implementation.Steps = steps
	}
}

func (r *requestReader) step(value json.RawMessage, at string) tool.Step {
	s := tool.Step{InputMapping: map[string]json.RawMessage{}}
	object, ok := r.want('{', value, at)
	if !ok {
		return s
	}
	m := r.members(object, at, stepWords)
	s.Name, s.Tool, s.Condition = r.text(m["name"], at+"/name"), r.text(m["tool"], at+"/tool"), r.text(m["condition"], at+"/condition")
	if s.Tool == "" && !r.problems.within(at+"/tool") {
		r.problems.add(at+"/tool", "give the name of a registered tool", "the step names no tool")
	}
	if mapping := m["inputMapping"]; mapping != nil {
		if object, ok := r.want('{', mapping, at+"/inputMapping"); ok {
			_ = json.Unmarshal(object, &s.InputMapping)
		}
	}
	return s
}

// nameStep names a step that has no name after its tool: fetch_page, fetch_page_2.
func (r *requestReader) nameStep(s *tool.Step, taken map[string]bool) {
	if s.Name != "" || s.Tool == "" {
		return
	}
	s.Name = s.Tool
	for n := 2; taken[s.Name]; n++ {
		s.Name = s.Tool + "_" + strconv.Itoa(n)
	}
	taken[s.Name] = true
	r.note("a step without a name is called %s", shorten(s.Name, shown))
}
