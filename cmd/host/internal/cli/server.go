package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/cmd/host/internal/remote"
	"example.com/toolsmith/runtime/tool"
)

// tokenEnv is the variable that holds the key for --server.
const tokenEnv = "TOOLSMITH_TOKEN"

// elsewhere marks a verb that can be done by a host elsewhere.
const elsewhere = "elsewhere"

// canBeElsewhere marks a verb so.
func canBeElsewhere(cmd *cobra.Command) *cobra.Command {
	cmd.Annotations = map[string]string{elsewhere: ""}
	return cmd
}

// serversOwn are flags whose matter is up to the server and the key.
var serversOwn = []string{"tenant", "persona", "judge", "approve-as", "allow-sandbox", "config", "data", "sign"}

// checkServer refuses --server for verbs that it means nothing for, and flags that do not go with it.
func (d *dataFlags) checkServer(cmd *cobra.Command) error {
	if d.server == "" {
		switch {
		case d.insecure:
			return errors.New("--insecure goes with --server")
		case d.ca != "":
			return errors.New("--ca goes with --server")
		}
		return nil
	}
	if _, can := cmd.Annotations[elsewhere]; !can {
		return fmt.Errorf("%s does not take --server: %s", cmd.CommandPath(), whyHere(cmd))
	}
	if session := cmd.Flags().Lookup("session"); session != nil && !session.Changed {
		if err := session.Value.Set(""); err != nil { // it is up to the server which
			return err
		}
	}
	for _, name := range serversOwn {
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed && cmd.Annotations[elsewhere] != name {
			return fmt.Errorf("--%s does not go with --server: it is up to the server, and to the key in %s", name, tokenEnv)
		}
	}
	return nil
}

// whyHere says why a verb cannot be done by a host elsewhere.
func whyHere(cmd *cobra.Command) string {
	verb := cmd
	for verb.HasParent() && verb.Parent().HasParent() {
		verb = verb.Parent()
	}
	switch {
	case slices.Contains([]string{"run", "cases", "policy", "completion"}, verb.Name()) || verb.Name() == "tool" && slices.Contains([]string{"verify", "keygen"}, cmd.Name()):
		return "it asks no host"
	case verb.Name() == "mcp":
		return "clients are served there at /mcp"
	case verb.Name() == "doctor":
		return "it looks at this machine; that a host elsewhere is ready its /readyz says"
	}
	return "no key lets anybody do it, so it is done on the machine of the host"
}

// atDesk does something at the desk that the flags name: that of a host elsewhere, or of one that is opened for it.
func (f *face) atDesk(ctx context.Context, place dataFlags, who callerFlags, judges judgeFlags, do func(desk.Desk) error) error {
	if place.server == "" {
		return f.atOffice(ctx, place, who, judges, func(o *office) error { return do(o.desk()) })
	}
	return f.failed(asConfigured(f.atServer(ctx, place, who.session, do)))
}

// atServer does something at the desk of a host elsewhere.
func (f *face) atServer(ctx context.Context, place dataFlags, session string, do func(desk.Desk) error) error {
	return f.atClient(ctx, place, session, func(c *remote.Client) error { return do(c) })
}

// maxCA bounds a file with certificates, in bytes: the authorities of a whole system are a quarter of that.
const maxCA = 1 << 20

func (f *face) atClient(ctx context.Context, place dataFlags, session string, do func(*remote.Client) error) error {
	opt := remote.Options{URL: place.server, Key: os.Getenv(tokenEnv), Session: session, Insecure: place.insecure}
	if place.ca != "" {
		var err error
		if opt.CA, err = f.read(ctx, place.ca, maxCA, tool.InvalidRequest); err != nil {
			return err
		}
	}
	client, err := remote.New(opt)
	if err != nil {
		return err
	}
	defer client.Close()
	return do(client)
}
