package cli

import (
	"context"
	"fmt"

	"example.com/toolsmith/runtime/tool"
)

// exportSkill writes a tool as a skill, and says where.
func (f *face) exportSkill(ctx context.Context, d *office, r *tool.Record, dir string) error {
	written, err := d.host.ExportSkill(ctx, d.by, r.ID, dir)
	if err != nil {
		return err
	}
	if f.format == asJSON {
		f.printJSON(written)
		return nil
	}
	what := "is written to"
	if !written.Changed {
		what = "stands already in"
	}
	f.printf("%s\n", escape(fmt.Sprintf("the skill %s, version %s, of the tool %s %s %s", written.Name, written.Version, r.Name, what, written.Files[0])))
	return nil
}
