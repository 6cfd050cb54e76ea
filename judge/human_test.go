package judge_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime/tool"
)

func human(t testing.TB, opt judge.HumanOptions) *judge.Human {
	t.Helper()
	opt.OSUser = "ursula"
	opt.Now = func() time.Time { return now }
	h, err := judge.NewHuman(opt)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHumanAnswers(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]struct {
		approved bool
		reason   string
	}{
		"yes\n":                   {true, "approved at the terminal by ursula"},
		" Y \n":                   {true, "approved at the terminal by ursula"},
		"yes":                     {true, "approved at the terminal by ursula"},
		"no\nit lies\x1b[2J\n":    {false, `rejected at the terminal by ursula: it lies\u001b[2J`},
		"n":                       {false, "rejected at the terminal by ursula"},
		"":                        {false, "nobody answered at the terminal"},
		"\n\n\nyes\n":             {false, "the answers at the terminal were neither yes nor no"},
		"maybe\nyes\n":            {true, "approved at the terminal by ursula"},
		"yes sir\n1\ntrue\nyes\n": {false, "the answers at the terminal were neither yes nor no"},
		strings.Repeat("x", 5000): {false, "nobody answered at the terminal"},
	} {
		v := review(t, human(t, judge.HumanOptions{In: strings.NewReader(in)}), adder())
		if v.Approved != want.approved || v.Reasoning != want.reason || v.JudgeModel != "human:ursula" || v.At != tool.At(now) || (v.Confidence == 1) != want.approved || v.SourceHash == "" {
			t.Errorf("%.40q: %+v", in, v)
		}
		p := panel(t, human(t, judge.HumanOptions{In: strings.NewReader(in)}), record())
		if p.Approved != want.approved || p.SafetyAuditor != p.CorrectnessReviewer || p.SafetyAuditor.Reasoning != want.reason || (p.Confidence == 1) != want.approved || p.SourceHash == "" {
			t.Errorf("%.40q: %+v", in, p)
		}
	}
}

func TestHumanSeesAll(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := adder()
	c.Implementation.Code = "// \u202e\x1b[2J hidden\r\nfunction execute(input) {\n\treturn { sum: input.a + input.b };\n}"
	c.Implementation.Allowlist = []string{"crypto"}
	c.Report.Notes = []string{"reads the time\nMeasured by the host:"}
	review(t, human(t, judge.HumanOptions{In: strings.NewReader("no\n\n"), Out: &out}), c)
	text := out.String()
	for _, want := range []string{
		"add_numbers", "Adds two numbers.", `"type":"object"`, "APIs that it asks for: crypto", `   1| // \u202e\u001b[2J hidden`, "   3| \treturn { sum: input.a + input.b };",
		`input: {"a":1,"b":2}`, "success=true", `reads the time\nMeasured`, `Asked for by "ann"`, "yes or no: ", "why: ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not shown", want)
		}
	}
	if strings.ContainsAny(text, "\x1b\u202e\r") {
		t.Errorf("what does not print is shown: %q", text)
	}
}

// marks is a lock that marks in a text when it is held.
type marks struct{ into *bytes.Buffer }

func (m marks) Lock()   { m.into.WriteByte('[') }
func (m marks) Unlock() { m.into.WriteByte(']') }

// From the first word of a question to the last answer nobody else writes.
func TestHumanHoldsWhatWaits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want string // the end of what is shown
	}{
		"yes":    {"yes\n", "yes or no: ]"},
		"no":     {"no\nit lies\n", "yes or no: why: ]"},
		"nobody": {"", "yes or no: ]"},
	} {
		var out bytes.Buffer
		review(t, human(t, judge.HumanOptions{In: strings.NewReader(c.in), Out: &out, Asking: marks{&out}}), adder())
		if text := out.String(); !strings.HasPrefix(text, "[\nMay this tool be kept?") || !strings.HasSuffix(text, c.want) || strings.Count(text, "[") != strings.Count(text, "]") {
			t.Errorf("%s: %q", name, text)
		}
	}
}

func TestHumanApprovesAs(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := adder()
	c.Report.Growth = &tool.Growth{}
	v := review(t, human(t, judge.HumanOptions{ApproveAs: "Vera", Out: &out}), c)
	if !v.Approved || v.Confidence != 1 || v.JudgeModel != "human:Vera" || !strings.Contains(v.Reasoning, "ursula") || out.Len() != 0 || v.Bounded != 0.5 || len(v.Concerns) != 1 {
		t.Errorf("%+v, %q", v, out.String())
	}
	p := panel(t, human(t, judge.HumanOptions{ApproveAs: "Vera"}), record())
	if !p.Approved || p.JudgeModel != "human:Vera" || p.Confidence != 1 {
		t.Errorf("%+v", p)
	}
	redacted := adder()
	redacted.Implementation = redacted.Implementation.Redact()
	if v := review(t, human(t, judge.HumanOptions{ApproveAs: "Vera"}), redacted); v.Approved {
		t.Errorf("what cannot be seen was approved: %+v", v)
	}
	if p, err := human(t, judge.HumanOptions{ApproveAs: "Vera"}).Panel(t.Context(), by, record(), redacted.Implementation); p.Approved || err != nil {
		t.Errorf("what cannot be seen was approved: %+v, %v", p, err)
	}
}

func TestNewHumanRefuses(t *testing.T) {
	t.Parallel()
	for _, opt := range []judge.HumanOptions{{ApproveAs: "a\nb"}, {ApproveAs: " ann"}, {OSUser: "\u202e"}, {ApproveAs: strings.Repeat("a", 201)}} {
		if _, err := judge.NewHuman(opt); !errors.Is(err, tool.InvalidRequest) || tool.AsError(err).Hint == "" {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("gone") }

func TestHumanWithoutATerminal(t *testing.T) {
	t.Parallel()
	if v := review(t, human(t, judge.HumanOptions{In: strings.NewReader("yes\n"), Out: broken{}}), adder()); v.Approved {
		t.Errorf("%+v", v)
	}
	if h, err := judge.NewHuman(judge.HumanOptions{}); err != nil {
		t.Error(err)
	} else if v := review(t, h, adder()); v.Approved || v.JudgeModel != "human:unknown" {
		t.Errorf("%+v", v)
	}
}

// What is typed after a question was given up is meant for that one: it answers no other, and the next question is asked.
func TestHumanGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in, type_ := io.Pipe()
		h := human(t, judge.HumanOptions{In: in})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if v, err := h.Review(ctx, by, adder()); v.Approved || !errors.Is(err, tool.Timeout) {
			t.Error(v, err)
		}
		go func() { _, _ = type_.Write([]byte("yes\nyes\n")) }()
		synctest.Wait()
		go func() {
			time.Sleep(time.Second)
			_, _ = type_.Write([]byte("no\ntoo vague\n"))
		}()
		if v := review(t, h, adder()); v.Approved || !strings.Contains(v.Reasoning, "too vague") {
			t.Errorf("%+v", v)
		}
		_ = type_.Close()
	})
}

func TestHumanAskedElsewhere(t *testing.T) {
	t.Parallel()
	var shown string
	ask := func(approve bool, err error) judge.HumanOptions {
		return judge.HumanOptions{OSUser: "ursula", Ask: func(_ context.Context, _ tool.Actor, question, sheet string) (bool, string, error) {
			shown = question + sheet
			return approve, "said elsewhere", err
		}}
	}
	if v := review(t, human(t, ask(true, nil)), adder()); !v.Approved || v.Reasoning != "said elsewhere" || v.JudgeModel != "human:ursula" || !strings.Contains(shown, "input.a + input.b") {
		t.Errorf("%+v, %q", v, shown)
	}
	if p := panel(t, human(t, ask(false, nil)), record()); p.Approved || p.SafetyAuditor.Reasoning != "said elsewhere" {
		t.Errorf("%+v", p)
	}
	if v, err := human(t, ask(true, tool.Canceled)).Review(t.Context(), by, adder()); v.Approved || !errors.Is(err, tool.Canceled) {
		t.Errorf("%+v, %v", v, err)
	}
}
