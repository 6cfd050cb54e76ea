package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/toolsmith/selfimprove"
)

func (f *face) skillCommand(place *dataFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "skill",
		Short: "List skills, and decide what agents may do with them",
		Long: "Skills are folders with a SKILL.md: instructions that agents take up with the tool manage_skills. They are searched for in the\n" +
			"folders that --skills names, in $AGENTOS_SKILLS_DIR, $CODEX_HOME/skills, ~/.codex/skills, and skills in the current folder.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		f.skillListCommand(place), f.skillShowCommand(place), f.skillSearchCommand(place),
		f.skillEnableCommand(place), f.skillDisableCommand(place),
		f.skillApprovalsCommand(place), f.skillApproveCommand(place), f.skillRefuseCommand(place),
		f.skillReportCommand(place), f.skillRetireCommand(place), f.skillRestoreCommand(place),
	)
	return cmd
}

var oneSkill = exactly("one skill, by id or name")

// skillFlags say whose skills are meant, and where they lie.
type skillFlags struct {
	callerFlags
	folders []string
	at      atOffice
}

// atOffice opens the office of a verb: atOffice of a face for one that keeps nothing, or another.
type atOffice func(*face, context.Context, dataFlags, callerFlags, judgeFlags, func(*office) error) error

func (s *skillFlags) register(set *pflag.FlagSet) {
	s.callerFlags.register(set)
	set.StringArrayVar(&s.folders, "skills", nil, "`DIR` with a folder for each skill, searched first; may be repeated")
}

// skillDesk is a desk with the skills that its flags name.
type skillDesk struct {
	*office
	skills *selfimprove.Skills
}

func (f *face) atSkills(ctx context.Context, place dataFlags, flags skillFlags, do func(*skillDesk) error) error {
	if err := f.checkSkillFolders(flags.folders); err != nil {
		return err
	}
	return flags.at(f, ctx, place, flags.callerFlags, noJudge, func(d *office) error {
		rules := d.host.config.EmergentConfig.SelfImprovement.Skills
		return do(&skillDesk{d, selfimprove.NewSkills(d.shelf, selfimprove.SkillsOptions{
			Allowlist: rules.Allowlist, RequireApproval: rules.RequireApprovalForNewCategories,
			Folders: skillFolders(flags.folders),
		})})
	})
}

// checkSkillFolders refuses flags that name no folder, and says when the environment does.
func (f *face) checkSkillFolders(given []string) error {
	isFolder := func(dir string) bool {
		info, err := os.Stat(dir)
		return err == nil && info.IsDir()
	}
	for _, dir := range given {
		if !isFolder(dir) {
			return fmt.Errorf("--skills names %q, which is no folder", dir)
		}
	}
	if dir := os.Getenv(skillsEnv); dir != "" && !isFolder(dir) {
		f.sayf("%s names %s, which is no folder: it is passed over", skillsEnv, escape(dir))
	}
	return nil
}

// skillsEnv is the variable that names a folder of skills.
const skillsEnv = "AGENTOS_SKILLS_DIR"

// skillVerb makes a verb about skills that may be the first to keep something, skillChanger one that changes what is kept, and
// skillReader one that keeps nothing.
func (f *face) skillVerb(place *dataFlags, cmd *cobra.Command, do func(context.Context, *skillDesk, []string) error) *cobra.Command {
	return f.skillCommandAt((*face).atNewOffice, place, cmd, do)
}

func (f *face) skillChanger(place *dataFlags, cmd *cobra.Command, do func(context.Context, *skillDesk, []string) error) *cobra.Command {
	return f.skillCommandAt((*face).atStore, place, cmd, do)
}

func (f *face) skillReader(place *dataFlags, cmd *cobra.Command, do func(context.Context, *skillDesk, []string) error) *cobra.Command {
	return f.skillCommandAt((*face).atOffice, place, cmd, do)
}

func (f *face) skillCommandAt(
	at atOffice, place *dataFlags, cmd *cobra.Command, do func(context.Context, *skillDesk, []string) error,
) *cobra.Command {
	flags := skillFlags{at: at}
	flags.register(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return f.atSkills(cmd.Context(), *place, flags, func(d *skillDesk) error { return do(cmd.Context(), d, args) })
	}
	return cmd
}

func (f *face) skillListCommand(place *dataFlags) *cobra.Command {
	return f.skillReader(place, &cobra.Command{
		Use:   "list",
		Short: "Print the skills that a persona can see, and which its session has enabled",
		Long: "Prints the skills that a persona can see: those of the folders, and its own proposals that were approved. What cannot be used, or\n" +
			"was refused, says why.",
		Example: f.examples("host skill list --skills examples/skills", "host skill list --skills examples/skills --output json"),
		Args:    noArguments,
	}, func(ctx context.Context, d *skillDesk, _ []string) error {
		all, err := d.skills.Catalogue(ctx, d.by.Tenant, d.by.Persona)
		if err != nil {
			return err
		}
		rows, err := d.rows(ctx, all...)
		if err == nil {
			f.showSkills(rows)
		}
		return err
	})
}

func (f *face) showSkills(skills []skillRow) {
	if f.format == asJSON {
		f.printJSON(skills)
		return
	}
	if len(skills) == 0 {
		f.sayf("no skills")
		return
	}
	rows := make([][]string, 0, len(skills))
	for _, k := range skills {
		rows = append(rows, []string{k.SkillID, k.Category, k.state(), excerpt(k.Description)})
	}
	f.printTable([]string{"SKILL", "CATEGORY", "STATE", "DESCRIPTION"}, rows)
}

func (f *face) skillShowCommand(place *dataFlags) *cobra.Command {
	return f.skillReader(place, &cobra.Command{
		Use:   "show SKILL",
		Short: "Show a skill with its content",
		Long: "Shows a skill that a persona can see, with its content, whether its session has it, and the request by which a person decides on\n" +
			"it as it is now. What an author wrote is escaped.",
		Example: f.examples("host skill show read-invoices --skills examples/skills"),
		Args:    oneSkill,
	}, func(ctx context.Context, d *skillDesk, args []string) error {
		k, err := d.skills.Show(ctx, d.by.Tenant, d.by.Persona, args[0])
		if err != nil {
			return err
		}
		rows, err := d.rows(ctx, k)
		if err != nil {
			return err
		}
		row := rows[0]
		if f.format == asJSON {
			f.printJSON(row)
			return nil
		}
		f.printf("%s, %s, of the category %s\n", escape(k.SkillID), escape(k.Name), escape(k.Category))
		for _, fact := range [][2]string{{"description", k.Description}, {"lies in", k.SourcePath}, {"state", row.state()}, {"homepage", k.Homepage}, {"request", k.ApprovalID()}} {
			if fact[1] != "" {
				f.printf("  %-12s %s\n", fact[0], escape(fact[1]))
			}
		}
		f.showBlock("content", k.Content)
		return nil
	})
}

func (f *face) skillSearchCommand(place *dataFlags) *cobra.Command {
	return f.skillReader(place, &cobra.Command{
		Use:     "search WORD…",
		Short:   "Find skills as an agent finds them",
		Long:    "Finds skills that an agent can enable and did not disable in its session: all words stand in name, category or description.",
		Example: f.examples("host skill search invoices --skills examples/skills"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("give the words to search for")
			}
			return nil
		},
	}, func(ctx context.Context, d *skillDesk, args []string) error {
		hits, err := d.skills.Search(ctx, d.by.Caller, strings.Join(args, " "))
		switch {
		case err != nil:
			return err
		case f.format == asJSON:
			f.printJSON(hits)
		case hits.Count == 0:
			f.sayf("no skills")
		default:
			rows := make([][]string, 0, len(hits.Results))
			for _, k := range hits.Results {
				rows = append(rows, []string{strconv.Itoa(k.Number), k.SkillID, k.Category, excerpt(k.Description)})
			}
			f.printTable([]string{"", "SKILL", "CATEGORY", "DESCRIPTION"}, rows)
		}
		return nil
	})
}
