package toolsmith

import (
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// declared is the persona whose rights another one has: its own, when the configuration declares it, and those of its manager
// for a specialist; "" for one that has the default.
func (h *Host) declared(persona string) string {
	root := tool.Root(persona)
	if _, there := h.opt.Config.Personas[root]; there {
		return root
	}
	return ""
}

// permits reports whether a caller may call a tool at all: a specialist only what its manager may, too.
func (h *Host) permits(c tool.Caller, name string) bool {
	if h.opt.Permit == nil {
		return true
	}
	for at := range c.Persona {
		if strings.HasPrefix(c.Persona[at:], tool.RoleMark) {
			above := c
			above.Persona = c.Persona[:at]
			if !h.opt.Permit(above, name) {
				return false
			}
		}
	}
	return h.opt.Permit(c, name)
}
