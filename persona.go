package toolsmith

import (
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// roleMark stands in the name of a specialist's persona between that of its manager and its role. No persona that is declared
// has one.
const roleMark = "/"

// declared is the persona whose rights another one has: its own, when the configuration declares it, and those of its manager
// for a specialist; "" for one that has the default.
func (h *Host) declared(persona string) string {
	manager, _, _ := strings.Cut(persona, roleMark)
	if _, there := h.opt.Config.Personas[manager]; there {
		return manager
	}
	return ""
}

// permits reports whether a caller may call a tool at all: a specialist only what its manager may, too.
func (h *Host) permits(c tool.Caller, name string) bool {
	if h.opt.Permit == nil {
		return true
	}
	for at := range c.Persona {
		if strings.HasPrefix(c.Persona[at:], roleMark) {
			above := c
			above.Persona = c.Persona[:at]
			if !h.opt.Permit(above, name) {
				return false
			}
		}
	}
	return h.opt.Permit(c, name)
}
