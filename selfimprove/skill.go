package selfimprove

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// Skill is a skill of a catalogue: instructions that an agent may take up.
type Skill struct {
	SkillID     string `json:"skillId"`
	Name        string `json:"name"`
	Category    string `json:"category"`
	Description string `json:"description"`
	Content     string `json:"content,omitempty"`     // Markdown; only where it was asked for
	FrontMatter string `json:"frontMatter,omitempty"` // YAML, as it is written; only with the content
	SourcePath  string `json:"sourcePath,omitempty"`  // of its SKILL.md; "" for one that the persona proposed
	SHA256      string `json:"sha256,omitempty"`      // of its SKILL.md, in hexadecimal digits

	Emoji          string            `json:"emoji,omitempty"`
	Homepage       string            `json:"homepage,omitempty"`
	UserInvocable  bool              `json:"userInvocable"`
	ModelInvocable bool              `json:"modelInvocable"` // else no agent can enable it
	Requires       SkillRequirements `json:"requires,omitzero"`
	// Problem says why the skill cannot be used; "" for one that can be read.
	Problem string `json:"problem,omitempty"`

	folder, dir string // where it lies: a search folder, and the name within
}

// Uncategorized is the category of skills that name none. They have nothing in common: it makes no skill a neighbour of another.
const Uncategorized = "uncategorized"

// is reports whether a skill is meant by a folded id or name.
func (k *Skill) is(folded string) bool {
	return folded != "" && (foldSkill(k.SkillID) == folded || foldSkill(k.Name) == folded)
}

// Text is the skill as a SKILL.md has it, where the content was asked for.
func (k *Skill) Text() string { return skillText(k.FrontMatter, k.Content) }

func skillText(head, body string) string {
	if head = strings.Trim(head, "\n"); head != "" {
		head += "\n"
	}
	return "---\n" + head + "---\n\n" + body + "\n"
}

// ApprovalID is the id under which a person decides whether the skill may be enabled, as it is now: what it says is part of it.
func (k *Skill) ApprovalID() string {
	return fmt.Sprintf("%s-%s-%s", EnableSkill, k.SkillID, k.SHA256[:min(len(k.SHA256), shownDigits)])
}

// digest is the SHA-256 of a text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// shownDigits is how much of a digest stands in ids.
const shownDigits = 12

// withoutText leaves out what a list of skills does not have.
func (k Skill) withoutText() Skill {
	k.Content, k.FrontMatter = "", ""
	return k
}

// brief is a skill as lists of agents have it.
func (k *Skill) brief() SkillBrief {
	return SkillBrief{SkillID: k.SkillID, Name: k.Name, Category: k.Category, Description: clip(k.Description, maxSkillExcerpt)}
}

// SkillBrief is a skill in a few words.
type SkillBrief struct {
	SkillID     string `json:"skillId"`
	Name        string `json:"name"`
	Category    string `json:"category"`
	Description string `json:"description,omitempty"`
}

// foldSkill is what the ways to write a skill's id or name have in common: case and a leading "skill:" do not matter.
func foldSkill(which string) string {
	folded := strings.ToLower(strings.TrimSpace(which))
	return strings.TrimSpace(strings.TrimPrefix(folded, "skill:"))
}

// Bounds of skills.
const (
	MaxSkillBytes      = 256 << 10 // of a SKILL.md
	MaxSkills          = 1000      // of a catalogue
	MaxSessionSkills   = 50        // that a session has enabled
	MaxProposalBytes   = 64 << 10  // of the content of a proposal
	MaxProposals       = 100       // of a persona, approved or waiting
	MaxPendingDrafts   = 20        // of a persona
	MaxRefusedDrafts   = 20        // proposals of a persona that are remembered once they are refused
	MaxSkillReason     = 1000      // bytes, or characters of an agent's request
	maxSkillName       = 64        // bytes, of ids and categories, too
	maxSkillExcerpt    = 300       // characters of a description in a list
	maxDescription     = 1024      // characters
	maxSkillQueryBytes = 1 << 10
	maxSkillResults    = 20
)

// skillsFresh is how long a catalogue counts as what lies in the folders.
const skillsFresh = 5 * time.Second

// SkillsOptions say which skills there are, and who may enable them. The zero value has none and permits none.
type SkillsOptions struct {
	// Allowlist holds what may be enabled without asking: ids or names, "category:NAME", or "*".
	Allowlist []string
	// RequireApproval makes a request of what is not allowed, for a person to decide on; else it is refused.
	RequireApproval bool
	// Folders are searched for skills, a folder each with SKILL.md; of two with one id or name the first counts.
	Folders []string
	// Active are ids or names of skills that every session begins with.
	Active []string
	// Locked are active, and cannot be disabled or edited by an agent.
	Locked []string
	// Have answers what skills require; nil functions ask the machine.
	Have SkillLookups
	Now  func() time.Time // nil is time.Now
}

// Skills has manage_skills, and what persons decide about skills. It is safe for concurrent use.
type Skills struct {
	shelf Shelf
	opt   SkillsOptions

	mu     sync.Mutex
	read   []Skill // what lies in the folders, without contents
	readAt time.Time
}

// NewSkills makes the skills of all personas on a shelf. The caller must not change the options' lists afterwards.
func NewSkills(shelf Shelf, opt SkillsOptions) *Skills {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	opt.Have = opt.Have.orReal()
	return &Skills{shelf: shelf, opt: opt}
}

func (s *Skills) now() tool.Time { return tool.Time{Time: s.opt.Now()} }

// meansSkill reports whether a list of ids and names has a skill.
func meansSkill(list []string, k *Skill) bool {
	for _, which := range list {
		if k.is(foldSkill(which)) {
			return true
		}
	}
	return false
}

// clip cuts text to a number of characters.
func clip(text string, most int) string {
	n := 0
	for at := range text {
		if n == most {
			return text[:at] + "…"
		}
		n++
	}
	return text
}

// Catalogue returns the skills that a persona can see, without their contents, in the order in which they are found: its own
// proposals that were approved, then those of the folders. Those that cannot be used are there with their problem.
func (s *Skills) Catalogue(ctx context.Context, tenant, persona string) ([]Skill, error) {
	v, err := s.view(ctx, tool.Caller{Tenant: tenant, Persona: persona})
	if err != nil {
		return nil, err
	}
	list := make([]Skill, 0, len(v.skills))
	for _, k := range v.skills {
		list = append(list, k.withoutText())
	}
	return list, nil
}

// Show returns a skill that a persona can see, with its content.
func (s *Skills) Show(ctx context.Context, tenant, persona, which string) (Skill, error) {
	v, err := s.view(ctx, tool.Caller{Tenant: tenant, Persona: persona})
	if err != nil {
		return Skill{}, err
	}
	k, err := v.find(which)
	if err != nil {
		return Skill{}, err
	}
	return k.load()
}

// Refusals returns the requests to enable skills that a person refused a persona, by the id of the skill. Such a refusal holds
// whatever the skill says by now.
func (s *Skills) Refusals(ctx context.Context, tenant, persona string) (map[string]SkillDraft, error) {
	v, err := s.view(ctx, tool.Caller{Tenant: tenant, Persona: persona})
	if err != nil {
		return nil, err
	}
	refused := map[string]SkillDraft{}
	for _, d := range v.drafts {
		if last := v.decision(d.SkillID); last != nil && last.State == DraftRefused {
			refused[d.SkillID] = *last
		}
	}
	return refused, nil
}

// Missing returns what a skill requires and this machine lacks, in words.
func (s *Skills) Missing(k Skill) []string { return k.Requires.Missing(s.opt.Have) }
