package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime/tool"
)

// packageForm is the value of --format.
type packageForm string

const (
	yamlForm  packageForm = "yaml"
	jsonForm  packageForm = "json"
	skillForm packageForm = "skill"
)

// String is empty while the flag is not given.
func (p *packageForm) String() string { return string(*p) }

// Set takes yaml, json or skill.
func (p *packageForm) Set(text string) error { return choose(p, text, yamlForm, jsonForm, skillForm) }

// Type is what help calls the value.
func (p *packageForm) Type() string { return "FORM" }

// exportFlags are the flags of `host tool export`.
type exportFlags struct {
	caller     callerFlags
	out, dir   string
	key        string
	form       packageForm
	withSource bool
	force      bool
}

func (f *face) toolExportCommand(place *dataFlags) *cobra.Command {
	var flags exportFlags
	cmd := canBeElsewhere(&cobra.Command{
		Use:   "export NAME|ID",
		Short: "Pack a tool for another host, or write it as a skill",
		Long: "Writes a version of a tool as a package: YAML, or JSON with --format json. Code is left out unless --with-source is given; what is\n" +
			"left can be reviewed, but not imported. The package holds the digest of the tool and, with --sign, a signature. With --format\n" +
			"skill it becomes a folder below --dir, with SKILL.md and CAPABILITY.yaml, for agents that read skills; code is never part of it.",
		Example: f.examples(
			"host tool export initials --with-source",
			"host tool export initials --with-source --out initials.yaml --force",
			"host tool export initials --format skill --dir skills",
		),
		Args: oneTool,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			if flags.form == skillForm && place.server != "" {
				return errors.New("a skill is written on the machine of the host; --format skill does not go with --server")
			}
			return f.exportTool(cmd.Context(), args[0], *place, flags)
		},
	})
	set := cmd.Flags()
	flags.caller.register(set)
	set.StringVar(&flags.out, "out", stdin, "`FILE` to write; - is standard output")
	set.BoolVar(&flags.force, "force", false, "replace a file that is there")
	set.BoolVar(&flags.withSource, "with-source", false, "put the code of the tool into the package, so that it can be imported")
	set.StringVar(&flags.key, "sign", "", "private key in `KEYFILE` that signs the package; tool keygen makes one")
	set.Var(&flags.form, "format", "yaml, json or skill (default yaml, or json with --output json)")
	set.StringVar(&flags.dir, "dir", "", "`DIR` that the folder of a skill is written into")
	return cmd
}

// check refuses flags that cannot be followed together.
func (flags *exportFlags) check() error {
	skill := flags.form == skillForm
	switch {
	case skill && flags.dir == "":
		return errors.New("say where the skill is to be written: --dir DIR")
	case skill && (flags.out != stdin || flags.key != "" || flags.withSource || flags.force):
		return errors.New("a skill is a folder without code: it does not go with --out, --force, --sign and --with-source")
	case !skill && flags.dir != "":
		return errors.New("--dir is for --format skill; a package goes to --out FILE")
	}
	return nil
}

func (f *face) exportTool(ctx context.Context, which string, place dataFlags, flags exportFlags) error {
	opt := toolsmith.ExportOptions{WithSource: flags.withSource, JSON: flags.form == jsonForm || flags.form == "" && f.format == asJSON}
	if flags.key != "" {
		var err error
		if opt.Key, err = readKey(ctx, f, flags.key, forge.ReadPrivateKey); err != nil {
			return f.failed(err)
		}
	}
	if flags.form == skillForm {
		return f.atOffice(ctx, place, flags.caller, noJudge, func(o *office) error {
			list, err := o.desk().Versions(ctx, which)
			if err != nil {
				return err
			}
			return f.exportSkill(ctx, o, list[0], flags.dir)
		})
	}
	return f.atDesk(ctx, place, flags.caller, noJudge, func(d desk.Desk) error {
		if flags.out != stdin {
			if err := mayWrite(flags.out, flags.force); err != nil {
				return err
			}
		}
		text, err := d.Export(ctx, which, opt)
		if err != nil {
			return err
		}
		return f.writePackage(flags, text)
	})
}

// writePackage writes a package where it belongs, and says what it is.
func (f *face) writePackage(flags exportFlags, text []byte) error {
	p, err := forge.ReadPackage(text)
	if err != nil {
		return err
	}
	if !p.Portability.Portable {
		f.sayf("the source of %s was left out: the package cannot be imported; --with-source puts it in", escape(p.Tool.Name))
	}
	if flags.out == stdin {
		if text[0] == '{' {
			text = escapeJSON(text) // YAML has such characters as escapes already
		}
		_, _ = f.out.Write(text)
		return nil
	}
	if _, err := writeWhole(flags.out, flags.force, func(to io.Writer) error { _, err := to.Write(text); return err }); err != nil {
		return err
	}
	return f.showPackage(flags.out, p, forge.Trust{})
}

// readKey reads a key in a file.
func readKey[K any](ctx context.Context, f *face, name string, parse func([]byte) (K, error)) (K, error) {
	text, err := f.read(ctx, name, forge.MaxKeyBytes, tool.InvalidRequest)
	if err != nil {
		var none K
		return none, err
	}
	return parse(text)
}

// trustFlags say whose packages are taken.
type trustFlags struct {
	keys    []string
	require bool
}

func (t *trustFlags) register(set *pflag.FlagSet) {
	set.StringArrayVar(&t.keys, "trust", nil, "public key in `PUBKEYFILE` of somebody who is trusted; may be given several times")
	set.BoolVar(&t.require, "require-signature", false, "refuse a package that is not signed by a trusted key")
}

func (f *face) trust(ctx context.Context, flags trustFlags) (forge.Trust, error) {
	trust := forge.Trust{RequireSignature: flags.require}
	if flags.require && len(flags.keys) == 0 {
		return trust, errors.New("--require-signature needs somebody to trust: --trust PUBKEYFILE")
	}
	for _, name := range flags.keys {
		key, err := readKey(ctx, f, name, forge.ReadPublicKey)
		if err != nil {
			return trust, err
		}
		trust.Keys = append(trust.Keys, key)
	}
	return trust, nil
}

func (f *face) toolImportCommand(place *dataFlags) *cobra.Command {
	var flags forgeFlags
	var trusted trustFlags
	cmd := canBeElsewhere(&cobra.Command{
		Use:   "import FILE",
		Short: "Forge the tool of a package here: check, try and judge it anew",
		Long: "Takes the tool of a package through all gates, as if the session had asked for it. What the package says of tiers, owners, uses and\n" +
			"verdicts counts for nothing here. A package that was changed since it was packed is refused; so is, with --trust, one that is\n" +
			"signed by somebody else. FILE is YAML or JSON; - is standard input.",
		Example: f.examples(
			`host tool import examples/packages/slugify.yaml --allow-sandbox --approve-as "$USER" --call '{"text":"Ada & Alan"}'`,
		),
		Args: exactly("one package"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(args[0], *place); err != nil {
				return err
			}
			trust, err := f.trust(cmd.Context(), trusted)
			if err != nil {
				return f.failed(err)
			}
			return f.importTool(cmd.Context(), args[0], *place, flags, trust)
		},
	})
	flags.register(cmd.Flags())
	trusted.register(cmd.Flags())
	return cmd
}

func (f *face) importTool(ctx context.Context, file string, place dataFlags, flags forgeFlags, trust forge.Trust) error {
	read := func() ([]byte, error) { return f.readText(ctx, file, forge.MaxPackageBytes, tool.InvalidRequest) }
	return f.forgeBy(ctx, place, flags, read, func(_ *openedHost, d desk.Desk, text []byte) (*forge.Result, error) {
		result, err := d.Import(ctx, text, trust)
		if _, unread := forge.ReadPackage(text); unread != nil && err != nil && tool.AsError(err).Line > 0 {
			err = &fileError{file, string(text), true, err} // the place is one in the package, not in the code of its tool
		}
		return result, err
	})
}

func (f *face) toolVerifyCommand() *cobra.Command {
	var trusted trustFlags
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Say whether a package is whole, who signed it, and what is in it",
		Long: "Reads a package as import does, and takes nothing from it: the digest must be that of the tool, and a signature one by a trusted\n" +
			"key when --trust names any. The exit status is 4 when it is not. FILE is YAML or JSON; - is standard input.",
		Example: f.examples("host tool verify examples/packages/slugify.yaml", "host tool verify examples/packages/slugify.yaml --output json"),
		Args:    exactly("one package"),
		RunE: func(cmd *cobra.Command, args []string) error {
			trust, err := f.trust(cmd.Context(), trusted)
			if err == nil {
				err = f.verifyPackage(cmd.Context(), args[0], trust)
			}
			return f.failed(err)
		},
	}
	trusted.register(cmd.Flags())
	return cmd
}

func (f *face) verifyPackage(ctx context.Context, file string, trust forge.Trust) error {
	text, err := f.readText(ctx, file, forge.MaxPackageBytes, tool.InvalidRequest)
	if err != nil {
		return err
	}
	p, err := forge.ReadPackage(text)
	if err != nil {
		return &fileError{file, string(text), true, err}
	}
	return f.showPackage(file, p, trust)
}

// packageReport is the JSON form of what a package is.
type packageReport struct {
	OK        bool      `json:"ok"`
	File      string    `json:"file"`
	Name      string    `json:"name"`
	Mode      tool.Mode `json:"mode"`
	ToolID    string    `json:"originalToolId"`
	Digest    string    `json:"digest"`
	Sealed    bool      `json:"sealed"`          // it says its digest, and that is right
	KeyID     string    `json:"keyId,omitempty"` // of whoever says to have signed it
	Trusted   bool      `json:"trusted"`         // the signature is good, and by a trusted key
	Portable  bool      `json:"portable"`
	TestCases int       `json:"testCases"`
}

// showPackage says what a package is. The error is that of its signature.
func (f *face) showPackage(file string, p *forge.Package, trust forge.Trust) error {
	keyID, err := p.Verify(trust)
	if err != nil {
		return err
	}
	_, _, unportable := p.Request()
	r := packageReport{
		OK: true, File: file, Name: p.Tool.Name, Mode: p.Tool.Implementation.Mode, ToolID: p.Tool.OriginalToolID, Digest: p.Digest(),
		Sealed: p.Integrity != nil, Trusted: keyID != "", Portable: unportable == nil, TestCases: len(p.Tool.TestCases),
	}
	if r.Sealed && p.Integrity.Signature != nil {
		r.KeyID = p.Integrity.Signature.KeyID
	}
	if f.format == asJSON {
		f.printJSON(r)
		return nil
	}
	f.printf("%s\n", escape(fmt.Sprintf("%s holds %s, mode %s, %d test cases, packed of %s", called(file), r.Name, r.Mode, r.TestCases, r.ToolID)))
	f.printf("digest: %s, %s\n", r.Digest, map[bool]string{true: "which is the one it was packed with", false: "with none in the package to compare"}[r.Sealed])
	f.printf("signature: %s\n", r.signature())
	if unportable != nil {
		f.printf("%s\n", escape(plain(unportable)))
	}
	return nil
}

func (r *packageReport) signature() string {
	switch {
	case r.Trusted:
		return "good, by the trusted key " + r.KeyID
	case r.KeyID != "":
		return "by the key " + r.KeyID + ", not checked: no key is trusted"
	}
	return "none"
}

func (f *face) toolKeygenCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "keygen FILE",
		Short: "Make a pair of keys for signing packages",
		Long: "Makes an Ed25519 key for tool export --sign and writes it to FILE, readable by the user alone, and the public key, which others\n" +
			"trust, to FILE.pub. Both are PEM. Files that are there are not replaced.",
		Example: f.examples(`host tool keygen "$(mktemp -d)/release.key"`),
		Args:    exactly("one file for the key"),
		RunE:    func(_ *cobra.Command, args []string) error { return f.failed(f.makeKey(args[0])) },
	}
}

// keyReport is the JSON form of a new pair of keys.
type keyReport struct {
	Private string `json:"private"`
	Public  string `json:"public"`
	KeyID   string `json:"keyId"`
}

func (f *face) makeKey(file string) error {
	private, public, err := forge.NewKey(rand.Reader)
	if err != nil {
		return err
	}
	if err := mayWrite(file+".pub", false); err != nil {
		return err
	}
	for name, text := range map[string][]byte{file: private, file + ".pub": public} {
		if _, err := writeWhole(name, false, func(to io.Writer) error { _, err := to.Write(text); return err }); err != nil {
			return err
		}
	}
	key, err := forge.ReadPublicKey(public)
	if err != nil {
		return err
	}
	r := keyReport{file, file + ".pub", forge.KeyID(key)}
	if f.format == asJSON {
		f.printJSON(r)
		return nil
	}
	f.printf("%s\n", escape(fmt.Sprintf("%s is the key %s that signs; others trust %s", r.Private, r.KeyID, r.Public)))
	return nil
}
