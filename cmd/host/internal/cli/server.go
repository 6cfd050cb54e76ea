package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/cmd/host/internal/remote"
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
		if d.insecure {
			return errors.New("--insecure goes with --server")
		}
		return nil
	}
	if _, can := cmd.Annotations[elsewhere]; !can {
		return fmt.Errorf("%s is done on the machine of the host; it does not take --server", cmd.CommandPath())
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

// atDesk does something at the desk that the flags name: that of a host elsewhere, or of one that is opened for it.
func (f *face) atDesk(ctx context.Context, place dataFlags, who callerFlags, judges judgeFlags, do func(desk.Desk) error) error {
	if place.server == "" {
		return f.atOffice(ctx, place, who, judges, func(o *office) error { return do(o.desk()) })
	}
	return f.failed(asConfigured(atServer(place, who.session, do)))
}

// atServer does something at the desk of a host elsewhere.
func atServer(place dataFlags, session string, do func(desk.Desk) error) error {
	return atClient(place, session, func(c *remote.Client) error { return do(c) })
}

func atClient(place dataFlags, session string, do func(*remote.Client) error) error {
	client, err := remote.New(remote.Options{URL: place.server, Key: os.Getenv(tokenEnv), Session: session, Insecure: place.insecure})
	if err != nil {
		return err
	}
	defer client.Close()
	return do(client)
}
