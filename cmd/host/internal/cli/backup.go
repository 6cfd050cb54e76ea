package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/toolsmith"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

func (f *face) backupCommand(place *dataFlags) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write all that is kept into one file",
		Long: "Writes all that a data directory keeps, as of one moment: tools with their versions, the audit log and sessions. FILE is written\n" +
			"whole or not at all, readable by the user alone; - is standard output. The keys are not part of it: it is not encrypted, but\n" +
			"sealed sources in it stay sealed.",
		Example: f.examples("host backup toolsmith.backup --force", "host backup - | wc -c"),
		Args:    exactly("one file for the backup"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.failed(f.backup(cmd.Context(), *place, args[0], force))
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace a file that is there")
	return cmd
}

// backupReport is the JSON form of a backup that was written or read.
type backupReport struct {
	File      string `json:"file"`
	Data      string `json:"data"`
	Bytes     int64  `json:"bytes"`
	SourceKey string `json:"sourceKey"` // where the key lies that sources are sealed under
}

func (f *face) backup(ctx context.Context, place dataFlags, file string, force bool) (err error) {
	dir, err := f.dataDir(ctx, place)
	if err != nil {
		return err
	}
	shelf, err := openShelf(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shelf.Close()) }() //nolint:contextcheck,nolintlint // nothing is left to write
	write := func(to io.Writer) error { return tiers.Backup(ctx, shelf.Store(), to) }
	report := backupReport{File: file, Data: dir, SourceKey: sourceKeyPlace(dir)}
	if file == stdin {
		if err := write(f.out); err != nil {
			return err
		}
	} else {
		if report.Bytes, err = writeWhole(file, force, write); err != nil {
			return err
		}
		f.showBackup(report, fmt.Sprintf("%s holds all of %s, %s", file, dir, size(report.Bytes)))
	}
	f.sayf("sealed sources in it can be used only under %s, which is not part of it: keep a copy of the key, apart from the backup", escape(report.SourceKey))
	if os.Getenv(toolsmith.StoreKeyEnv) != "" {
		f.sayf("the backup itself is not encrypted")
	}
	return nil
}

// showBackup prints a report, or says it.
func (f *face) showBackup(r backupReport, text string) {
	if f.format == asJSON {
		f.printJSON(r)
		return
	}
	f.printf("%s\n", escape(text))
}

// sourceKeyPlace is where the key lies that the sources of a data directory are sealed under.
func sourceKeyPlace(dir string) string {
	if os.Getenv(toolsmith.SourceKeyEnv) != "" {
		return toolsmith.SourceKeyEnv
	}
	return filepath.Join(dir, "source.key")
}

func (f *face) restoreCommand(place *dataFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "restore FILE",
		Short: "Fill an empty data directory from a backup",
		Long: "Fills an empty data directory from what backup wrote. A backup that was cut off or changed is refused, and the directory is then\n" +
			"empty still. What a restore left that was killed is cleared first. FILE may be - for standard input. Sealed sources need the key\n" +
			"that they were sealed under: put source.key into the directory before another verb opens it.",
		Example: f.examples("host backup - | host restore - --data \"$(mktemp -d)\""),
		Args:    exactly("one file for the backup"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.failed(f.restore(cmd.Context(), *place, args[0]))
		},
	}
}

func (f *face) restore(ctx context.Context, place dataFlags, file string) error {
	dir, err := f.dataDir(ctx, place)
	if err != nil {
		return err
	}
	opt, err := storeOptions()
	if err != nil {
		return err
	}
	in, total, err := f.openBackup(file)
	if err != nil {
		return err
	}
	defer in.Close()
	defer context.AfterFunc(ctx, func() { _ = in.CloseWithError(ctx.Err()) })()
	bar := newProgress(f.err)
	counted := &countedReader{from: in, seen: func(n int64) { bar.showBytes(n, total) }}
	err = tiers.RestoreDir(ctx, dir, opt, counted)
	bar.clear()
	switch {
	case ctx.Err() != nil:
		return tool.AsError(ctx.Err())
	case err != nil:
		return err
	}
	report := backupReport{File: file, Data: dir, Bytes: counted.n, SourceKey: sourceKeyPlace(dir)}
	f.showBackup(report, fmt.Sprintf("%s holds all of %s now, %s", dir, called(file), size(counted.n)))
	f.sayRestoredKey(dir, report.SourceKey)
	return nil
}

// sayRestoredKey says when the key of the sources is still missing.
func (f *face) sayRestoredKey(dir, place string) {
	if place == toolsmith.SourceKeyEnv {
		f.sayf("sealed sources in it need the key that they were sealed under in %s", place)
	} else if _, err := os.Stat(place); err != nil {
		f.sayf("sealed sources in it need the source.key of the old directory: copy it to %s before another verb uses %s", escape(place), escape(dir))
	}
}

// openBackup opens a backup so that its reading can be ended, even from a pipe that nobody writes to. The size is 0 when it
// is not known.
func (f *face) openBackup(name string) (in *io.PipeReader, total int64, err error) {
	from := f.in
	if name != stdin {
		file, err := os.Open(name)
		if err != nil {
			return nil, 0, unreadable(name, err)
		}
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			total = info.Size()
		}
		from = file
	}
	in, out := io.Pipe()
	go func() {
		_, err := io.Copy(out, from)
		_ = out.CloseWithError(err)
		if file, ok := from.(*os.File); ok && name != stdin {
			_ = file.Close()
		}
	}()
	return in, total, nil
}

// countedReader tells how much was read.
type countedReader struct {
	from io.Reader
	n    int64
	seen func(n int64) // called for each MiB
}

// Read reads, and counts.
func (c *countedReader) Read(p []byte) (int, error) {
	const step = 1 << 20
	n, err := c.from.Read(p)
	before := c.n
	if c.n += int64(n); c.n/step > before/step {
		c.seen(c.n)
	}
	return n, err
}
