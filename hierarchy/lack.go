package hierarchy

import (
	"context"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// Lack is what an agent lists of tools and is not offered.
type Lack struct {
	Agent string   `json:"agent"`
	Tools []string `json:"tools"`
}

// String is a line for the operator.
func (l Lack) String() string { return "no tool " + strings.Join(l.Tools, ", ") + " for " + l.Agent }

// Lacks finds the tools that agents list and are not offered now, the manager acting as c, which is looked up by a function as
// Options.Tools.
func (s Spec) Lacks(
	ctx context.Context, c tool.Caller, offered func(context.Context, tool.Caller, []string) ([]model.ToolSpec, error),
) (list []Lack, err error) {
	manager := Agent{Name: ManagerName, Persona: c.Persona}
	for _, a := range append([]Agent{manager}, s.WithDefaults().Agents...) {
		names := slices.Concat(s.Tools, a.Tools)
		if len(names) == 0 {
			continue
		}
		specs, err := offered(ctx, tool.Caller{Tenant: c.Tenant, Persona: a.Persona, Session: c.Session}, names)
		if err != nil {
			return list, tool.AsError(err)
		}
		names = slices.DeleteFunc(names, func(name string) bool {
			return slices.ContainsFunc(specs, func(s model.ToolSpec) bool { return s.Name == name })
		})
		if len(names) > 0 {
			list = append(list, Lack{a.Name, names})
		}
	}
	return list, nil
}
