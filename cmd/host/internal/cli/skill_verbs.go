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
	reads   bool // the verb keeps nothing
}

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
	open := f.atNewOffice
	if flags.reads {
		open = f.atOffice
	}
	return open(ctx, place, flags.callerFlags, noJudge, func(d *office) error {
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

// skillVerb makes a verb about skills that may keep something, skillReader one that does not.
func (f *face) skillVerb(place *dataFlags, cmd *cobra.Command, do func(context.Context, *skillDesk, []string) error) *cobra.Command {
	return f.skillCommandOf(place, cmd, &skillFlags{}, do)
}

func (f *face) skillReader(place *dataFlags, cmd *cobra.Command, do func(context.Context, *skillDesk, []string) error) *cobra.Command {
	return f.skillCommandOf(place, cmd, &skillFlags{reads: true}, do)
}

func (f *face) skillCommandOf(
	place *dataFlags, cmd *cobra.Command, flags *skillFlags, do func(context.Context, *skillDesk, []string) error,
) *cobra.Command {
	flags.register(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return f.atSkills(cmd.Context(), *place, *flags, func(d *skillDesk) error { return do(cmd.Context(), d, args) })
	}
	return cmd
}

// skillRow is a skill, with what a session and a machine have to say about it.
type skillRow struct {
	selfimprove.Skill
	Active   bool     `json:"active"`
	Disabled bool     `json:"disabled"`
	Missing  []string `json:"missing,omitempty"` // of what it requires
}

func (r *skillRow) state() string {
	switch {
	case r.Problem != "":
		return r.Problem
	case !r.ModelInvocable:
		return "not for agents"
	case len(r.Missing) > 0:
		return "needs " + strings.Join(r.Missing, "; ")
	case r.Active:
		return "enabled"
	case r.Disabled:
		return "disabled"
	}
	return ""
}

func (f *face) skillListCommand(place *dataFlags) *cobra.Command {
	return f.skillReader(place, &cobra.Command{
		Use:     "list",
		Short:   "Print the skills that a persona can see, and which its session has enabled",
		Long:    "Prints the skills that a persona can see: those of the folders, and its own proposals that were approved. What cannot be used says why.",
		Example: f.examples("host skill list --skills examples/skills", "host skill list --skills examples/skills --output json"),
		Args:    noArguments,
	}, func(ctx context.Context, d *skillDesk, _ []string) error {
		rows, err := d.rows(ctx)
		if err == nil {
			f.showSkills(rows)
		}
		return err
	})
}

func (d *skillDesk) rows(ctx context.Context) ([]skillRow, error) {
	all, err := d.skills.Catalogue(ctx, d.by.Tenant, d.by.Persona)
	if err != nil {
		return nil, err
	}
	has, err := d.skills.List(ctx, d.by.Caller)
	if err != nil {
		return nil, err
	}
	state := map[string]string{}
	for _, k := range has.Skills {
		state[k.SkillID] = "active"
	}
	for _, k := range has.Disabled {
		state[k.SkillID] = "disabled"
	}
	rows := make([]skillRow, 0, len(all))
	for _, k := range all {
		row := skillRow{Skill: k}
		if k.Problem == "" {
			row.Active, row.Disabled, row.Missing = state[k.SkillID] == "active", state[k.SkillID] == "disabled", d.skills.Missing(k)
		}
		rows = append(rows, row)
	}
	return rows, nil
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
		Use:     "show SKILL",
		Short:   "Show a skill with its content",
		Long:    "Shows a skill that a persona can see, with its content. What an author wrote is escaped.",
		Example: f.examples("host skill show read-invoices --skills examples/skills"),
		Args:    oneSkill,
	}, func(ctx context.Context, d *skillDesk, args []string) error {
		k, err := d.skills.Show(ctx, d.by.Tenant, d.by.Persona, args[0])
		if err != nil {
			return err
		}
		row := skillRow{Skill: k, Missing: d.skills.Missing(k)}
		if f.format == asJSON {
			f.printJSON(k)
			return nil
		}
		f.printf("%s, %s, of the category %s\n", escape(k.SkillID), escape(k.Name), escape(k.Category))
		for _, fact := range [][2]string{{"description", k.Description}, {"lies in", k.SourcePath}, {"state", row.state()}, {"homepage", k.Homepage}, {"approved as", k.ApprovalID()}} {
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
