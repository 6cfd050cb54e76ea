package selfimprove

import (
	"fmt"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/compose"
	"example.com/toolsmith/runtime/tool"
)

// findings collects what is wrong with a plan: the first maxFindings things, in general one of each place.
type findings compose.Problems

const maxFindings = 20

const wholeSteps = "/steps" // what is wrong with all steps together says nothing of each

// add adds what is wrong in a place, unless something is there already, or around it.
func (f *findings) add(path, message, hint string) {
	if !f.has(path) {
		f.put(path, message, hint)
	}
}

// put adds what is wrong in a place.
func (f *findings) put(path, message, hint string) {
	if len(*f) < maxFindings {
		*f = append(*f, compose.Problem{Path: path, Message: message, Hint: hint})
	}
}

// has reports whether something is wrong in a place, or around it.
func (f *findings) has(path string) bool {
	return slices.ContainsFunc(*f, func(p compose.Problem) bool {
		return p.Path == path || p.Path != wholeSteps && strings.HasPrefix(path, p.Path+"/")
	})
}

// failure is the findings as the error of an outcome, nil when there are none.
func (f findings) failure() error {
	if len(f) == 0 {
		return nil
	}
	e := &tool.Error{Code: tool.InvalidRequest, Message: f[0].Message, Path: f[0].Path, Hint: f[0].Hint, Cause: compose.Problems(f)}
	if len(f) > 1 {
		e.Message, e.Path, e.Hint = f.message(), "", f.hints()
	}
	return e
}

// message lists the findings with their places.
func (f findings) message() string {
	parts := make([]string, 0, len(f))
	for _, p := range f {
		parts = append(parts, fmt.Sprintf("%s (at %s)", p.Message, p.Path))
	}
	count := fmt.Sprintf("%d problems: ", len(f))
	if len(f) == maxFindings {
		count = "the first " + count
	}
	return count + strings.Join(parts, "; ")
}

// hints lists the hints, each once, with the places that it is for where there are several.
func (f findings) hints() string {
	places := map[string][]string{}
	var hints []string
	for _, p := range f {
		if p.Hint == "" {
			continue
		}
		if places[p.Hint] == nil {
			hints = append(hints, p.Hint)
		}
		places[p.Hint] = append(places[p.Hint], p.Path)
	}
	if len(hints) == 1 {
		return hints[0]
	}
	for i, hint := range hints {
		hints[i] = fmt.Sprintf("%s (%s)", hint, strings.Join(slices.Compact(places[hint]), ", "))
	}
	return strings.Join(hints, "; ")
}

// member is the JSON pointer of a member of an object.
func member(at, name string) string {
	const most = 60 // characters
	return at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(clip(name, most))
}
