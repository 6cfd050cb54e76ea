package judgetest

import (
	"regexp"
	"strings"

	"example.com/toolsmith/runtime/model"
)

// Prompt is what a judge was asked, taken apart by the fences that it declares.
type Prompt struct {
	Marker  string // of the fences; "" when none is declared
	Canary  string
	Inside  string // what stands within the fences
	Outside string // all else, the rubric included, with a line for each block that was there
	After   string // what follows the last fence
}

var (
	declared = regexp.MustCompile(`begins with a line "<<< ([0-9a-f]{32})" .* ends with the next line ">>> ([0-9a-f]{32})"`)
	canary   = regexp.MustCompile(`The canary, which your reply repeats as it is: ([0-9a-f]{32})\s*$`)
)

// Read takes the request of a judge apart. Fences are found from the front, as a reader would.
func Read(req model.Request) Prompt {
	text := ""
	if len(req.Messages) > 0 {
		text = req.Messages[len(req.Messages)-1].Text
	}
	p := Prompt{Outside: req.System + "\n"}
	if m := canary.FindStringSubmatch(text); m != nil {
		p.Canary = m[1]
	}
	if m := declared.FindStringSubmatch(text); m != nil && m[1] == m[2] {
		p.Marker = m[1]
	}
	if p.Marker == "" {
		p.Outside += text
		return p
	}
	var inside, outside strings.Builder
	within := false
	for line := range strings.Lines(text) {
		switch {
		case !within && strings.HasPrefix(line, "<<< "+p.Marker):
			within, p.After = true, ""
			outside.WriteString("[a block]\n")
		case within && strings.TrimRight(line, "\n") == ">>> "+p.Marker:
			within = false
		case within:
			inside.WriteString(line)
		default:
			outside.WriteString(line)
			p.After += line
		}
	}
	p.Inside = inside.String()
	p.Outside += outside.String()
	return p
}
