package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/toolsmith/selfimprove"
)

func (f *face) skillEnableCommand(place *dataFlags) *cobra.Command {
	return f.skillVerb(place, &cobra.Command{
		Use:   "enable SKILL",
		Short: "Enable a skill in a session, as its agent would",
		Long: "Enables a skill in a session by the rules that hold for its agent: what the configuration does not allow waits for approval, or is\n" +
			"refused.",
		Example: f.examples("host skill enable read-invoices --skills examples/skills"),
		Args:    oneSkill,
	}, func(ctx context.Context, d *skillDesk, args []string) error {
		done, err := d.skills.Enable(ctx, d.by, args[0], "")
		if err == nil {
			f.showSkillChange(done)
		}
		return err
	})
}

func (f *face) skillDisableCommand(place *dataFlags) *cobra.Command {
	return f.skillChanger(place, &cobra.Command{
		Use:     "disable SKILL",
		Short:   "Disable a skill in a session",
		Long:    "Disables a skill that is enabled in a session. The agent is told not to rely on it; it can enable it again.",
		Example: f.examples("host skill disable read-invoices --skills examples/skills"),
		Args:    oneSkill,
	}, func(ctx context.Context, d *skillDesk, args []string) error {
		done, err := d.skills.Disable(ctx, d.by, args[0])
		if err == nil {
			f.showSkillChange(done)
		}
		return err
	})
}

// showSkillChange says what became of a request.
func (f *face) showSkillChange(c selfimprove.SkillChange) {
	switch {
	case f.format == asJSON:
		c.Content = ""
		f.printJSON(c)
	case c.Skill != nil:
		f.printf("%s is %s\n", escape(c.Skill.SkillID), c.Status)
	default:
		f.printf("%s\n", escape(fmt.Sprintf("%s waits for a decision, as %s", c.SkillID, c.ApprovalID)))
	}
}
