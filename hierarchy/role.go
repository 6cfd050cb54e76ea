package hierarchy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// The names of the tools that a manager has by itself.
const (
	SpawnTool      = "spawn_specialist"
	DelegatePrefix = "delegate_to_" // the name of a member follows
	ManagerName    = "manager"      // what the manager is called in records; no member is
	UserName       = "user"         // the same of whoever wrote the prompt
)

// reserved are roles that would be taken for something else.
var reserved = []string{SpawnTool, "delegate_to_self", "final_answer", "plan", ManagerName, UserName, "judge", "system"}

var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

const roleHint = "an ASCII letter, then letters, digits, underscores or hyphens, at most 52 in all; upper and lower case count as the same"

// RoleProblem says what is wrong with the name of a member or the role of a specialist; "" when nothing is.
func RoleProblem(role string) string {
	folded := tool.FoldName(role)
	switch {
	case slices.Contains(reserved, folded):
		return fmt.Sprintf("the role %s is reserved", tool.Quote(role))
	case strings.HasPrefix(folded, DelegatePrefix):
		return fmt.Sprintf("the role %s is reserved: it begins with %s", tool.Quote(role), DelegatePrefix)
	case !identifier.MatchString(role), len(role) > MaxRoleBytes:
		return fmt.Sprintf("the role %s is not an identifier of at most %d characters", tool.Quote(role), MaxRoleBytes)
	}
	return ""
}
