package selfimprove

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/toolsmith/runtime/tool"
)

// ReadSkill reads a SKILL.md that lies in a folder of a name. What it cannot read becomes the skill's Problem: it never fails.
// Keys of the front matter that it does not know are passed over.
func ReadSkill(dir string, text []byte) Skill {
	k := Skill{Name: dir, Category: Uncategorized, UserInvocable: true, ModelInvocable: true}
	if err := k.readText(text); err != nil {
		k.Problem = problemText(err)
	}
	if k.SkillID == "" {
		k.SkillID = skillID(k.Name)
	}
	if k.Problem == "" && (k.SkillID == "" || len(k.SkillID) > maxSkillName) {
		k.Problem = fmt.Sprintf("%s makes no id of 1 to %d letters, digits and hyphens", tool.Quote(k.Name), maxSkillName)
	}
	k.SkillID = k.SkillID[:min(len(k.SkillID), maxSkillName)] // which is ASCII
	return k
}

// readText puts front matter and body into the skill.
func (k *Skill) readText(text []byte) error {
	if len(text) > MaxSkillBytes {
		return tool.Errorf(tool.InvalidRequest, "the file is longer than %d bytes", MaxSkillBytes)
	}
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return tool.Errorf(tool.InvalidRequest, "the file is not UTF-8 text")
	}
	head, body, err := splitSkill(string(text))
	k.FrontMatter, k.Content = head, strings.TrimSpace(body)
	if err == nil {
		err = k.readHead(head)
	}
	if k.Description == "" {
		k.Description = firstParagraph(k.Content)
	}
	return err
}

// splitSkill parts front matter from the body.
func splitSkill(text string) (head, body string, err error) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\uFEFF"), "\r\n", "\n")
	const fence = "---"
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != fence {
		return "", text, nil
	}
	at := 0
	for line := range strings.Lines(rest) {
		if strings.TrimRight(line, " \t\n") == fence {
			return rest[:at], rest[at+len(line):], nil
		}
		at += len(line)
	}
	return "", text, tool.Errorf(tool.InvalidRequest, "the front matter has no end: a line with only --- is missing")
}

// problemText words an error with its place.
func problemText(err error) string {
	e := tool.AsError(err)
	if e.Line > 0 {
		return fmt.Sprintf("front matter, line %d: %s", e.Line, e.Message)
	}
	return e.Message
}

// skillHead is front matter, or an object within it.
type skillHead map[string]json.RawMessage

// readHead puts front matter into the skill.
func (k *Skill) readHead(text string) error {
	head, err := headMembers(text)
	if err != nil {
		return err
	}
	metadata, err := head.metadata()
	if err != nil {
		return err
	}
	r := &skillHeadReader{}
	if name := r.line(head, "name", 2*maxSkillName); name != "" {
		k.Name = name
	}
	k.Description = r.line(head, "description", maxDescription)
	for _, from := range []skillHead{metadata, head} {
		if category := r.line(from, "category", maxSkillName); category != "" {
			k.Category = category
		}
	}
	k.SkillID = skillID(r.line(metadata, "skillKey", 2*maxSkillName))
	k.Emoji, k.Homepage = r.line(metadata, "emoji", maxSkillName), r.line(metadata, "homepage", maxDescription)
	k.UserInvocable = r.truth(head, true, "user-invocable", "userInvocable")
	k.ModelInvocable = !r.truth(head, false, "disable-model-invocation", "disableModelInvocation")
	k.Requires = r.requirements(metadata)
	return r.err
}

// metadata is the object that says what the skill needs: the first of three that there is within the member metadata, that
// member itself, or the front matter.
func (h skillHead) metadata() (skillHead, error) {
	raw := h["metadata"]
	if empty(raw) {
		return h, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	var all skillHead
	if err := json.Unmarshal(raw, &all); err != nil || all == nil {
		return nil, tool.Errorf(tool.InvalidRequest, "metadata is no object")
	}
	for _, key := range []string{"openclaw", "wunderland", "agentos"} {
		var sub skillHead
		if !empty(all[key]) && json.Unmarshal(all[key], &sub) == nil {
			return sub, nil
		}
	}
	return all, nil
}

func empty(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// skillHeadReader reads members, and keeps the first mistake.
type skillHeadReader struct{ err error }

func (r *skillHeadReader) read(h skillHead, key, what string, into any) {
	if raw := h[key]; !empty(raw) && json.Unmarshal(raw, into) != nil && r.err == nil {
		r.err = tool.Errorf(tool.InvalidRequest, "%s is no %s", key, what)
	}
}

// line reads text, with all space in it single and no longer than so many characters.
func (r *skillHeadReader) line(h skillHead, key string, most int) string {
	var text string
	r.read(h, key, "text", &text)
	return clip(strings.Join(strings.Fields(text), " "), most)
}

// truth reads a boolean, or one of the words for it, under the first key that is given.
func (r *skillHeadReader) truth(h skillHead, otherwise bool, keys ...string) bool {
	for _, key := range keys {
		switch text := strings.ToLower(strings.Trim(string(h[key]), `" `)); text {
		case "true", "false":
			return text == "true"
		case "", "null":
		default:
			r.read(h, key, "true or false", &otherwise)
		}
	}
	return otherwise
}

func (r *skillHeadReader) list(h skillHead, key string) (list []string) {
	r.read(h, key, "list of texts", &list)
	return list
}

func (r *skillHeadReader) requirements(h skillHead) SkillRequirements {
	requires := skillHead{}
	r.read(h, "requires", "object", &requires)
	need := SkillRequirements{
		OS: r.list(h, "os"), Bins: r.list(requires, "bins"), AnyBins: r.list(requires, "anyBins"), Env: r.list(requires, "env"),
		Config: r.list(requires, "config"), PrimaryEnv: r.line(h, "primaryEnv", maxSkillName),
	}
	r.read(h, "always", "true or false", &need.Always)
	return need
}

// skillID makes an id of a name: lower case, with a hyphen for all that is neither letter nor digit.
func skillID(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') })
	return strings.Join(words, "-")
}

// firstParagraph describes a skill that does not describe itself: by what its body says first, below headings.
func firstParagraph(body string) string {
	const most = 200
	for paragraph := range strings.SplitSeq(body, "\n\n") {
		var lines []string
		for line := range strings.Lines(paragraph) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
		if len(lines) > 0 {
			return strings.TrimSuffix(clip(strings.Join(lines, " "), most), "…")
		}
	}
	return ""
}
