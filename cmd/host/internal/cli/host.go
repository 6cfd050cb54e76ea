package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"

	"github.com/spf13/pflag"

	"example.com/toolsmith"
	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/selfimprove"
	"example.com/toolsmith/wasmjs"
)

// judgeFlags say who judges.
type judgeFlags struct{ judge, approveAs string }

func (j *judgeFlags) register(set *pflag.FlagSet) {
	set.StringVar(&j.judge, "judge", "auto", "who reviews: auto (the model that is configured), human (asks on the terminal), none, or script:`FILE`")
	set.StringVar(&j.approveAs, "approve-as", "", "`NAME` of the person who has seen it and approves: their verdict counts once every gate has passed")
}

// reviewer is the judge that the flags name; nil is the configured model.
func (f *face) reviewer(ctx context.Context, flags judgeFlags) (judge.Judge, error) {
	scheme, file := flags.judge, ""
	const script = "script:"
	if len(scheme) > len(script) && scheme[:len(script)] == script {
		scheme, file = script, scheme[len(script):]
	}
	switch {
	case flags.approveAs != "" && scheme != "auto" && scheme != "human":
		return nil, fmt.Errorf("--approve-as is a person's judgement; it does not go with --judge %s", flags.judge)
	case scheme == "human" && flags.approveAs == "" && !f.askable():
		return nil, errors.New("--judge human asks at a terminal, and standard input is none: a person who has seen it can be named with --approve-as NAME")
	case scheme == "human" || flags.approveAs != "":
		return f.person(flags.approveAs)
	case scheme == "auto":
		return nil, nil //nolint:nilnil // no judge of ours is the configured one
	case scheme == "none":
		return judge.New(judge.Options{})
	case scheme == script:
		text, err := f.read(ctx, file, maxScript, tool.InvalidRequest)
		if err != nil {
			return nil, err
		}
		opt, err := judge.ReadScript(text)
		if err != nil {
			return nil, err
		}
		return judge.New(opt)
	}
	return nil, fmt.Errorf("there is no judge %q: auto, human, none or script:FILE", flags.judge)
}

// person is a judge of the person at the terminal, or of one who has seen it.
func (f *face) person(approveAs string) (*judge.Human, error) {
	return judge.NewHuman(judge.HumanOptions{In: f.in, Out: f.err, Asking: &f.asking, ApproveAs: approveAs, OSUser: osUser()})
}

// maxScript bounds a script of verdicts.
const maxScript = 1 << 20

func osUser() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return os.Getenv("USER")
}

// openedHost is a host with the sandbox that was opened for it.
type openedHost struct {
	*toolsmith.Host
	config config.Config
	judge  judge.Judge // nil: that of the configuration
	box    *runtime.Sandbox
}

// Close waits for the calls in flight, and writes what is not written yet.
func (h *openedHost) Close() error { return errors.Join(h.Host.Close(), h.box.Close()) }

// openHost opens the host that the flags name, after change. The caller closes it.
func (f *face) openHost(ctx context.Context, place dataFlags, flags judgeFlags, change func(*config.Config)) (*openedHost, error) {
	c, err := f.config(ctx, place)
	if err != nil {
		return nil, err
	}
	if change != nil {
		change(&c)
	}
	reviewer, err := f.reviewer(ctx, flags)
	if err != nil {
		return nil, err
	}
	box, err := f.openSandbox(ctx, wasmjs.Options{})
	if err != nil {
		return nil, err
	}
	h, err := toolsmith.Open(ctx, c.Data, toolsmith.Options{Config: &c, Judge: reviewer, Sandbox: box, SkillFolders: skillFolders(nil)})
	if err != nil {
		return nil, errors.Join(err, box.Close()) //nolint:contextcheck,nolintlint // nothing runs in it
	}
	return &openedHost{h, c, reviewer, box}, nil
}

// skillFolders are the folders that are searched for skills: those that are given, then the usual ones.
func skillFolders(given []string) []string {
	home, _ := os.UserHomeDir() // where there is none, there are none in it
	current, _ := os.Getwd()
	return selfimprove.SkillFolders(given, os.Getenv, home, current)
}
