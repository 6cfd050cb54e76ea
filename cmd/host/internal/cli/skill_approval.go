package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/selfimprove"
)

func (f *face) skillApprovalsCommand(place *dataFlags) *cobra.Command {
	return f.skillReader(place, &cobra.Command{
		Use:   "approvals",
		Short: "Show what agents ask for, of all personas",
		Long: "Shows the requests and proposals that wait for a decision, of all personas: what is to be enabled as it is, a proposal as its\n" +
			"difference from the skill that there is. What an agent wrote is escaped. Where the skill is not at hand, or has changed since,\n" +
			"it says so: then it cannot be approved. So does an edit of a skill that was refused: approving it does not permit the skill.",
		Example: f.examples("host skill approvals --skills examples/skills"),
		Args:    noArguments,
	}, func(ctx context.Context, d *skillDesk, _ []string) error {
		waits, err := d.skills.Approvals(ctx, d.by.Tenant)
		switch {
		case err != nil:
			return err
		case f.format == asJSON:
			f.printJSON(waits)
		case len(waits) == 0:
			f.sayf("nothing waits")
		}
		if f.format != asJSON {
			for _, one := range waits {
				f.showApproval(one)
			}
		}
		return nil
	})
}

// showApproval prints a draft for the person who decides on it.
func (f *face) showApproval(a selfimprove.SkillApproval) {
	f.printf("%s\n", escape(a.ID))
	facts := [][2]string{
		{"persona", a.Persona},
		{"session", a.Session},
		{"asked", moment(&a.At)},
		{"category", a.Category},
		{"reason", a.Reason},
		{"lies in", a.SourcePath},
		{"sha256", a.SHA256},
		{"beware", a.Problem},
		{"beware", a.Beware},
	}
	for _, fact := range facts {
		if fact[1] != "" {
			f.printf("  %-12s %s\n", fact[0], escape(fact[1]))
		}
	}
	if a.Kind == selfimprove.EnableSkill {
		f.showBlock("enable "+escape(a.SkillID), currentText(a.Current))
		return
	}
	proposed := strings.TrimSpace(a.Text())
	lines := mark("+", strings.Split(proposed, "\n"))
	if a.Current != nil {
		lines = diffLines(currentText(a.Current), proposed)
	}
	f.showBlock("propose "+escape(a.SkillID), strings.Join(lines, "\n"))
}

// currentText is a skill as its SKILL.md has it; nil is none.
func currentText(k *selfimprove.Skill) string {
	if k == nil {
		return ""
	}
	return strings.TrimSpace(k.Text())
}

func (f *face) skillApproveCommand(place *dataFlags) *cobra.Command {
	return f.skillDecision(place, true, &cobra.Command{
		Use:   "approve ID [--reason TEXT]",
		Short: "Grant what an agent asks for",
		Long: "Grants a request of the persona that --persona names: it may enable the skill from then on, or has the skill that it proposed.\n" +
			"approvals shows what waits. What is granted is the text that the id stands for: the skill has to be at hand, and one that changes\n" +
			"asks anew. The digits at the end of the id may be left out where the rest means one request; with them it is the text that you\n" +
			"have seen, whatever is asked for meanwhile. skill show prints the id of a skill for which nobody has asked.",
		Example: f.examples("host skill approve enable-read-invoices-f8711ad288a1 --skills examples/skills"),
		Args:    exactly("the id of one request"),
	})
}

func (f *face) skillRefuseCommand(place *dataFlags) *cobra.Command {
	return f.skillDecision(place, false, &cobra.Command{
		Use:   "refuse ID [--reason TEXT]",
		Short: "Refuse what an agent asks for",
		Long: "Refuses a request of the persona that --persona names, also one that was approved: the skill is disabled in all of its sessions,\n" +
			"and it cannot enable it from then on, whatever the skill becomes and whatever the configuration allows. The digits at the end of\n" +
			"the id may be left out. A proposal that is refused cannot be proposed again as it is.",
		Example: f.examples("host skill refuse enable-read-invoices --skills examples/skills --reason 'not needed'"),
		Args:    exactly("the id of one request"),
	})
}

func (f *face) skillDecision(place *dataFlags, approved bool, cmd *cobra.Command) *cobra.Command {
	var reason string
	cmd.Flags().StringVar(&reason, "reason", "", "`TEXT` that says why; it stands in the audit log")
	return f.skillChanger(place, cmd, func(ctx context.Context, d *skillDesk, args []string) error {
		if !cmd.Flags().Changed("persona") {
			if err := d.checkPersona(ctx, args[0]); err != nil {
				return err
			}
		}
		draft, err := d.skills.Decide(ctx, d.by, d.by.Tenant, d.by.Persona, args[0], approved, reason)
		switch {
		case err != nil:
			return err
		case f.format == asJSON:
			f.printJSON(draft)
		default:
			f.printf("%s of %s is %s\n", escape(draft.ID), escape(draft.Persona), draft.State)
		}
		return nil
	})
}

// checkPersona refuses a request that does not wait for the persona which nobody named, and waits for others.
func (d *skillDesk) checkPersona(ctx context.Context, id string) error {
	waits, err := d.skills.Approvals(ctx, d.by.Tenant)
	if err != nil {
		return err
	}
	var others []string
	for _, a := range waits {
		switch {
		case !a.Means(id):
		case a.Persona == d.by.Persona:
			return nil
		case !slices.Contains(others, a.Persona):
			others = append(others, a.Persona)
		}
	}
	if len(others) == 0 {
		return nil
	}
	const most = 5
	return &tool.Error{
		Code: tool.InvalidRequest, Message: fmt.Sprintf("%s does not wait for the persona %s, but for %s", id, d.by.Persona, strings.Join(others[:min(len(others), most)], ", ")),
		Hint: fmt.Sprintf("name whose request it is: --persona %s, or --persona %s to decide before it is asked", others[0], d.by.Persona),
	}
}
