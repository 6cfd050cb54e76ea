package compose

import "strings"

// maxNameBytes bounds the names of steps and tools.
const maxNameBytes = 200

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// nameMistake says why a name is none for a step; the rule is that of tools.
func nameMistake(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case !strings.Contains(alphabet, name[:1]):
		return "it does not begin with a letter"
	case strings.Trim(name, alphabet+"0123456789_-") != "":
		return "it has other characters than letters, digits, _ and -"
	case len(name) > maxNameBytes:
		return "it is longer than 200 characters"
	}
	return ""
}

// meta are the tools that change an agent. A pipeline that called them would let a tool that was reviewed once change what it
// was not reviewed for.
var meta = map[string]bool{
	"forge_tool": true, "create_workflow": true, "adapt_personality": true, "manage_skills": true, "self_evaluate": true,
	"spawn_specialist": true,
}

// Meta reports whether a tool changes the agent itself or hands work to another. No pipeline may contain it.
func Meta(name string) bool { return meta[name] || strings.HasPrefix(name, "delegate_to_") }
