package selfimprove

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// SkillProposal is a skill that an agent drafts, or an edit of one that there is.
type SkillProposal struct {
	SkillID     string // the skill to edit; "" makes a new one
	Name        string // of a new skill: lower case letters, digits and single hyphens
	Description string // "" of an edit leaves it as it is
	Content     string // Markdown, all of it
	Reason      string
}

func (p SkillProposal) check() error {
	wrong := func(path, message, hint string) error {
		return &tool.Error{Code: tool.InvalidInput, Path: path, Message: message, Hint: hint}
	}
	switch {
	case strings.TrimSpace(p.Content) == "":
		return wrong("/content", "content is required", "write the whole text of the skill, as Markdown")
	case len(p.Content) > MaxProposalBytes:
		return wrong("/content", fmt.Sprintf("the content is longer than %d bytes", MaxProposalBytes), "say it in fewer words")
	case !utf8.ValidString(p.Content + p.Description + p.Reason):
		return wrong("/content", "the text is not UTF-8", "write plain text")
	case strings.ContainsRune(p.Content+p.Description+p.Reason, 0):
		return wrong("/content", "the text has a character U+0000", "write plain text")
	case hasHead(p.Content):
		return wrong("/content", "the content has front matter", "leave it out: that of an edit stays as it is, and name and description are members of their own")
	case utf8.RuneCountInString(p.Description) > maxDescription:
		return wrong("/description", fmt.Sprintf("the description is longer than %d characters", maxDescription), "say in one sentence what the skill is for")
	case len(p.Reason) > MaxSkillReason:
		return wrong("/reason", fmt.Sprintf("the reason is longer than %d bytes", MaxSkillReason), "say it in one sentence")
	case p.SkillID != "" && p.Name != "":
		return wrong("/name", "there is both a skillId and a name", "give skillId for an edit, or name for a new skill")
	case p.SkillID != "":
		return nil
	case p.Name != skillID(p.Name) || p.Name == "" || len(p.Name) > maxSkillName:
		return wrong("/name", fmt.Sprintf("%s is no name of a skill", tool.Quote(p.Name)), "lower case letters, digits and single hyphens, at most 64: parse-invoices")
	case strings.TrimSpace(p.Description) == "":
		return wrong("/description", "description is required of a new skill", "say in one sentence what the skill is for")
	}
	return nil
}

// hasHead reports whether a text begins with front matter.
func hasHead(text string) bool {
	head, _, err := splitSkill(strings.TrimSpace(text))
	return err == nil && head != ""
}

// Propose drafts a skill, or an edit of one, for a person to decide on. Nothing changes until then.
func (s *Skills) Propose(ctx context.Context, by tool.Actor, p SkillProposal) (SkillChange, error) {
	if err := p.check(); err != nil {
		return SkillChange{}, err
	}
	v, err := s.view(ctx, by.Caller)
	if err != nil {
		return SkillChange{}, err
	}
	d, err := s.proposal(&v, p)
	if err != nil {
		return SkillChange{}, err
	}
	if err := v.refusedBefore(d); err != nil {
		return SkillChange{}, err
	}
	proposals := slices.DeleteFunc(slices.Clone(v.drafts), func(d SkillDraft) bool {
		_, gone := v.retired[d.SkillID]
		return gone || d.Kind != ProposeSkill || d.State == DraftRefused
	})
	if len(proposals) >= MaxProposals {
		return SkillChange{}, tooMany(fmt.Sprintf("there are %d proposals already", len(proposals)), "have the operator retire skills that are no longer needed")
	}
	return s.ask(ctx, by, v.drafts, d, "a person decides on it; until then nothing changes")
}

// refusedBefore returns nil unless a person refused the same proposal, word for word.
func (v *skillView) refusedBefore(d SkillDraft) error {
	at := slices.IndexFunc(v.drafts, func(old SkillDraft) bool { return old.State == DraftRefused && old.same(d) })
	if at < 0 {
		return nil
	}
	message := "a person refused this proposal"
	if why := v.drafts[at].Why; why != "" {
		message += ", saying " + tool.Quote(why)
	}
	return &tool.Error{Code: tool.Denied, Path: "/content", Message: message, Hint: "propose something else, or do without"}
}

func tooMany(message, hint string) error {
	return &tool.Error{Code: tool.Limit, Message: message, Hint: hint}
}

// proposal makes a draft of a proposal that was checked.
func (s *Skills) proposal(v *skillView, p SkillProposal) (SkillDraft, error) {
	d := SkillDraft{
		Kind: ProposeSkill, SkillID: p.Name, Name: p.Name, Category: Uncategorized, Reason: p.Reason,
		Description: strings.Join(strings.Fields(p.Description), " "), Content: strings.TrimSpace(p.Content),
	}
	named := d.Name + "\x00" + d.Description + "\x00" + d.Content
	if p.SkillID != "" {
		if err := s.edit(v, p.SkillID, &d); err != nil {
			return d, err
		}
		named = d.Name + "\x00" + d.Text() + "\x00" + d.SHA256
	} else if err := v.free(p.Name); err != nil {
		return d, err
	}
	d.ID = fmt.Sprintf("%s-%s-%s", ProposeSkill, d.SkillID, digest(named)[:shownDigits])
	return d, nil
}

// free returns nil when a new skill can have a name.
func (v *skillView) free(name string) error {
	if _, gone := v.retired[name]; gone {
		return &tool.Error{Code: tool.Collision, Path: "/name", Message: fmt.Sprintf("the skill %s was retired", tool.Quote(name)), Hint: "choose another name"}
	}
	if _, err := v.find(name); err == nil {
		return &tool.Error{
			Code: tool.Collision, Path: "/name", Message: fmt.Sprintf("there is a skill %s already", tool.Quote(name)),
			Hint: "give it as skillId, without a name, to propose an edit of it; or choose another name",
		}
	}
	return nil
}

// edit makes a draft an edit of a skill, whose front matter it keeps but for the description.
func (s *Skills) edit(v *skillView, which string, d *SkillDraft) error {
	k, err := v.find(which)
	if err != nil {
		return err
	}
	refused := func(code tool.Code, message, hint string) error {
		return &tool.Error{Code: code, Path: "/skillId", Message: fmt.Sprintf("the skill %s %s", tool.Quote(k.SkillID), message), Hint: hint}
	}
	switch {
	case meansSkill(s.opt.Locked, k):
		return refused(tool.Denied, "is locked", "propose a skill of another name")
	case k.Problem != "":
		return refused(tool.Rejected, "cannot be edited, since it cannot be read: "+k.Problem, "have the operator mend it")
	}
	current, err := k.load()
	if err != nil {
		return err
	}
	d.SkillID, d.Name, d.Category, d.Description = current.SkillID, current.Name, current.Category, cmp.Or(d.Description, current.Description)
	d.SHA256, d.SourcePath = current.SHA256, current.SourcePath
	if d.Content == current.Content && d.Description == current.Description {
		return &tool.Error{Code: tool.InvalidInput, Path: "/content", Message: "the skill says that already", Hint: "propose what is to change"}
	}
	if d.FrontMatter, err = described(current.FrontMatter, d.Description); err != nil {
		return err
	}
	if made := d.skill(); made.Problem != "" {
		return refused(tool.Rejected, "cannot become that: "+made.Problem, "propose less")
	}
	return nil
}

// described is front matter with another description, and else what it was: where possible line by line.
func described(head, description string) (string, error) {
	before, err := headMembers(head)
	if err != nil {
		return "", err
	}
	want, _ := json.Marshal(description) // text is always JSON
	if string(before["description"]) == string(want) {
		return head, nil
	}
	lines := strings.Split(head, "\n")
	at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "description:") })
	to := at + 1
	for at >= 0 && to < len(lines) && (strings.HasPrefix(lines[to], " ") || strings.HasPrefix(lines[to], "\t")) {
		to++
	}
	changed := strings.Join(slices.Replace(lines, max(at, 0), to, "description: "+string(want)), "\n")
	before["description"] = want
	if after, err := headMembers(changed); err == nil && reflect.DeepEqual(before, after) {
		return changed, nil
	}
	whole, err := json.Marshal(before)
	return string(whole) + "\n", err
}

// headMembers are the members of front matter.
func headMembers(head string) (skillHead, error) {
	members := skillHead{}
	if strings.TrimSpace(head) == "" {
		return members, nil
	}
	asJSON, err := wire.YAMLToJSON([]byte(head))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(asJSON, &members); err != nil || members == nil {
		return nil, tool.Errorf(tool.InvalidRequest, "the front matter is no object")
	}
	return members, nil
}
