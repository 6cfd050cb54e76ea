package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/toolsmith/selfimprove"
)

func (f *face) skillReportCommand(place *dataFlags) *cobra.Command {
	return f.skillReader(place, &cobra.Command{
		Use:   "report",
		Short: "Tell skills that are broken, say the same, or were never used",
		Long: "Looks over the skills that a persona can see: those that cannot be used, pairs that say the same or nearly, and those that no\n" +
			"persona ever enabled.",
		Example: f.examples("host skill report --skills examples/skills"),
		Args:    noArguments,
	}, func(ctx context.Context, d *skillDesk, _ []string) error {
		report, err := d.skills.Report(ctx, d.by.Tenant, d.by.Persona)
		switch {
		case err != nil:
			return err
		case f.format == asJSON:
			f.printJSON(report)
		default:
			f.showSkillReport(report)
		}
		return nil
	})
}

func (f *face) showSkillReport(r selfimprove.SkillReport) {
	f.printf("%d skills, %d broken, %d pairs that say the same, %d never used\n", r.Skills, len(r.Broken), r.Pairs, len(r.Unused))
	for _, k := range r.Broken {
		f.printf("broken     %s\n", escape(k.SourcePath+": "+k.Problem))
	}
	for _, pair := range r.Duplicates {
		f.printf("duplicate  %s\n", escape(fmt.Sprintf("%s and %s: %s, %.2f alike", pair.SkillID, pair.Other, pair.Same, pair.Score)))
	}
	if more := r.Pairs - len(r.Duplicates); more > 0 {
		f.printf("duplicate  and %d pairs more\n", more)
	}
	for _, k := range r.Unused {
		f.printf("unused     %s\n", escape(k.SkillID))
	}
}

func (f *face) skillRetireCommand(place *dataFlags) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "retire SKILL [--reason TEXT]",
		Short: "Take a skill out of what a persona sees",
		Long: "Takes a skill out of what the persona that --persona names sees, at once and in all of its sessions. The folder stays as it is;\n" +
			"restore undoes it.",
		Example: f.examples("host skill retire read-invoices --skills examples/skills --reason 'nobody reads invoices'"),
		Args:    oneSkill,
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`TEXT` that says why; it stands in the audit log")
	return f.skillVerb(place, cmd, func(ctx context.Context, d *skillDesk, args []string) error {
		k, err := d.skills.Retire(ctx, d.by, d.by.Persona, args[0], strings.TrimSpace(reason))
		if err == nil {
			f.showRetired(d, k.SkillID, "retired")
		}
		return err
	})
}

func (f *face) skillRestoreCommand(place *dataFlags) *cobra.Command {
	return f.skillChanger(place, &cobra.Command{
		Use:     "restore SKILL",
		Short:   "Bring back a skill that was retired",
		Long:    "Brings back a skill that was retired for the persona that --persona names.",
		Example: f.examples("host skill restore read-invoices"),
		Args:    oneSkill,
	}, func(ctx context.Context, d *skillDesk, args []string) error {
		err := d.skills.Restore(ctx, d.by, d.by.Persona, args[0])
		if err == nil {
			f.showRetired(d, args[0], "restored")
		}
		return err
	})
}

// retiredReport is the JSON form of a skill's end, or of its return.
type retiredReport struct {
	OK      bool   `json:"ok"`
	SkillID string `json:"skillId"`
	Persona string `json:"persona"`
	State   string `json:"state"` // retired or restored
}

func (f *face) showRetired(d *skillDesk, id, state string) {
	if f.format == asJSON {
		f.printJSON(retiredReport{true, id, d.by.Persona, state})
		return
	}
	f.printf("%s is %s for %s\n", escape(id), state, escape(d.by.Persona))
}
