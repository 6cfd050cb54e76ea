package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime/tool"
)

func (f *face) toolPromoteCommand(place *dataFlags) *cobra.Command {
	var who callerFlags
	var judges judgeFlags
	var to higherTier
	var approver string
	cmd := canBeElsewhere(&cobra.Command{
		Use:   "promote NAME|ID --to agent|shared --approved-by WHO",
		Short: "Let a tool rise by one tier, because a person says so",
		Long: "Lets a tool rise from its session to all sessions of its persona (agent), or from there to every persona (shared). For the shared\n" +
			"tier the promotion panel is asked first and has to agree: the configured model, or who --judge or --approve-as names. The person\n" +
			"who approves for the shared tier is not the tool's owner, and a person who is the panel is neither of the two.",
		Example: f.examples(
			"host tool promote initials --to agent --approved-by grace",
			"host tool promote initials --to shared --approved-by grace --approve-as linus",
		),
		Args: oneTool,
		RunE: func(cmd *cobra.Command, args []string) error {
			if to == "" {
				return errors.New("say how far the tool is to rise: --to agent or --to shared")
			}
			if to == higherTier(tool.AgentTier) && (cmd.Flags().Changed("judge") || cmd.Flags().Changed("approve-as")) {
				return errors.New("--judge and --approve-as name the panel, which is asked for the shared tier alone: to the agent tier, say who approves with --approved-by")
			}
			return f.atDesk(cmd.Context(), *place, who, judges, func(d desk.Desk) error {
				risen, verdict, err := d.Promote(cmd.Context(), args[0], tool.Tier(to), approver)
				if err != nil {
					return err
				}
				f.showChanged(risen, promoted(risen, verdict))
				return nil
			})
		},
	})
	who.register(cmd.Flags())
	judges.register(cmd.Flags())
	cmd.Flags().Var(&to, "to", "agent or shared")
	cmd.Flags().StringVar(&approver, "approved-by", "", "`WHO` approves, by name")
	return cmd
}

// promoted says how far a tool rose, and who let it.
func promoted(r *tool.Record, verdict *tool.PromotionVerdict) string {
	text := fmt.Sprintf("is of the %s tier now, approved by %s", r.Tier, orPanel(r.PromotedBy))
	if verdict != nil && r.PromotedBy != "" {
		text += fmt.Sprintf(" and the panel (%sconfidence %.2f)", from(verdict.JudgeModel, tool.Time{}), verdict.Confidence)
	}
	return text
}
