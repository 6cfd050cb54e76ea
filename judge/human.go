package judge

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// HumanOptions say where a person sits.
type HumanOptions struct {
	In  io.Reader // answers, a line each; once something was asked, it is read as they come
	Out io.Writer // what there is to decide
	// Asking is held while a question is open, so that whoever else writes to Out can wait for its end; nil: nobody does.
	Asking sync.Locker
	// Ask asks a person elsewhere than at In and Out, and may be called by several goroutines at once; nil: there. The error is
	// the context's end; that nobody answers is no approval, with that for a reason.
	Ask func(ctx context.Context, by tool.Actor, question, sheet string) (approved bool, reason string, err error)
	// ApproveAs names a person who has seen what is to be judged and approves it. Then nothing is asked.
	ApproveAs string
	OSUser    string           // who the operating system says it is
	Now       func() time.Time // nil means time.Now
}

// Human is a judge at a terminal. It shows one tool at a time, all of it, and asks.
type Human struct {
	opt   HumanOptions
	turn  chan struct{} // holds one token: who has it may ask
	typed chan typed    // what In has, in order; closed at its end. nil until something is asked
	late  bool          // a question was given up: what comes until the next one is asked is meant for it
}

// typed is a line of a person; not there is one that is too long for an answer.
type typed struct {
	text  string
	there bool
}

// NewHuman makes a judge of a person. The error is that of tool.CheckPersonName.
func NewHuman(opt HumanOptions) (*Human, error) {
	for _, name := range []string{opt.ApproveAs, opt.OSUser} {
		if name == "" {
			continue
		}
		if err := tool.CheckPersonName(name); err != nil {
			return nil, err
		}
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	opt.OSUser = orDefault(opt.OSUser, "unknown")
	if opt.In == nil {
		opt.In = strings.NewReader("")
	}
	if opt.Out == nil {
		opt.Out = io.Discard
	}
	h := &Human{opt: opt, turn: make(chan struct{}, 1)}
	h.turn <- struct{}{}
	return h, nil
}

// Review implements Judge. Scores follow what was measured; the decision is the person's.
func (h *Human) Review(ctx context.Context, by tool.Actor, c tool.Candidate) (tool.CreationVerdict, error) {
	v := tool.CreationVerdict{At: tool.At(h.opt.Now()), JudgeModel: h.model()}
	hash, d, err := open(c)
	if err != nil {
		v.Reasoning = notJudged(err)
		return v, nil
	}
	v.SourceHash = hash
	if v.Approved, v.Reasoning, err = h.decide(ctx, "May this tool be kept?", by, d); err != nil {
		return tool.CreationVerdict{}, err
	}
	if v.Approved {
		v.Confidence, v.Safety, v.Correctness, v.Determinism, v.Bounded = 1, 1, 1, 1, 1
		v.Concerns = capScores(&v, c)
	}
	return v, nil
}

// Panel implements Judge. The person is both members of the panel.
func (h *Human) Panel(ctx context.Context, by tool.Actor, r *tool.Record, whole tool.Implementation) (tool.PromotionVerdict, error) {
	v := tool.PromotionVerdict{At: tool.At(h.opt.Now()), JudgeModel: h.model()}
	var review tool.Review
	d, err := aboutRecord(r, whole)
	if err == nil {
		v.SourceHash, err = sameSource(whole, r.SourceHash)
	}
	if err != nil {
		review.Reasoning = notJudged(err)
	} else if review.Approved, review.Reasoning, err = h.decide(ctx, "May this tool rise a tier?", by, d); err != nil {
		return tool.PromotionVerdict{}, err
	}
	if review.Approved {
		review.Confidence = 1
	}
	v.Approved, v.Confidence, v.SafetyAuditor, v.CorrectnessReviewer = review.Approved, review.Confidence, review, review
	return v, nil
}

func (h *Human) model() string { return tool.JudgedByPerson + orDefault(h.opt.ApproveAs, h.opt.OSUser) }

// decide shows a dossier and brings back what the person says, with the reason. The error is the end of the context.
func (h *Human) decide(ctx context.Context, question string, by tool.Actor, d *dossier) (approved bool, reason string, err error) {
	if err := ctx.Err(); err != nil {
		return false, "", tool.AsError(err)
	}
	if h.opt.ApproveAs != "" {
		return true, fmt.Sprintf("approved as %s, who has seen it, by the operating-system user %s", h.opt.ApproveAs, h.opt.OSUser), nil
	}
	text := sheet(question, by, d)
	if len(text) > MaxPromptBytes {
		return false, notJudged(tooLong(len(text))), nil
	}
	if h.opt.Ask != nil {
		return h.opt.Ask(ctx, by, question, text)
	}
	select {
	case <-h.turn:
		defer func() { h.turn <- struct{}{} }()
	case <-ctx.Done():
		return false, "", tool.AsError(ctx.Err())
	}
	if h.opt.Asking != nil {
		h.opt.Asking.Lock()
		defer h.opt.Asking.Unlock()
	}
	h.listen()
	if _, err := io.WriteString(h.opt.Out, text); err != nil {
		return false, notJudged(fmt.Errorf("the terminal cannot be written to: %w", err)), nil
	}
	return h.ask(ctx)
}

// sheet is a dossier for a person.
func sheet(question string, by tool.Actor, d *dossier) string {
	var out strings.Builder
	fmt.Fprintf(&out, "\n%s Asked for by %s.\n\nMeasured by the host:\n", question, quoted(by.String()))
	for _, fact := range d.facts {
		out.WriteString("- " + fact + "\n")
	}
	out.WriteString("\nWritten by the author or the tool, each line behind a bar:\n")
	for _, b := range d.blocks {
		out.WriteString("\n" + b.name + "\n" + strings.Join(b.lines, "\n") + "\n")
	}
	out.WriteString("\n" + question + "\n")
	return out.String()
}

// maxTries is how often an answer that is neither yes nor no is asked for again.
const maxTries = 3

func (h *Human) ask(ctx context.Context) (approved bool, reason string, err error) {
	for range maxTries {
		said, there, err := h.read(ctx, "yes or no: ")
		if err != nil {
			return false, "", err
		}
		switch strings.ToLower(said) {
		case "yes", "y":
			return true, "approved at the terminal by " + h.opt.OSUser, nil
		case "no", "n":
			reason, _, err := h.read(ctx, "why: ")
			return false, strings.TrimSuffix("rejected at the terminal by "+h.opt.OSUser+": "+reason, ": "), err
		case "":
			if !there {
				return false, "nobody answered at the terminal", nil
			}
		}
	}
	return false, "the answers at the terminal were neither yes nor no", nil
}

// maxLine bounds a line of a person, in bytes.
const maxLine = 4 << 10

// ahead is how many lines may be typed before they are asked for.
const ahead = 16

// listen begins to take in what is typed, and drops what came too late for the question before.
func (h *Human) listen() {
	if h.typed == nil {
		h.typed = make(chan typed, ahead)
		go hear(h.opt.In, h.typed)
	}
	for h.late {
		select {
		case _, more := <-h.typed:
			h.late = more
		default:
			h.late = false
		}
	}
}

// hear takes in lines until the end of the input.
func hear(in io.Reader, into chan<- typed) {
	defer close(into)
	lines := bufio.NewReaderSize(in, maxLine)
	for {
		text, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull): // no answer is that long
			into <- typed{}
			continue
		case err == nil, len(text) > 0:
			into <- typed{string(text), true}
		}
		if err != nil {
			return
		}
	}
}

// read asks for a line. there is false at the end of the input. The error is the end of the context; an answer that comes
// after it is dropped.
func (h *Human) read(ctx context.Context, prompt string) (said string, there bool, err error) {
	if _, err := io.WriteString(h.opt.Out, prompt); err != nil {
		return "", false, nil //nolint:nilerr // nobody saw the question, so nobody answers it
	}
	select {
	case a := <-h.typed:
		return line(a.text, maxReasoning), a.there, nil
	case <-ctx.Done():
		h.late = true
		return "", false, tool.AsError(ctx.Err())
	}
}

// Sheet is what a person is shown of a tool before it rises. The implementation is that of the record, with its code.
func Sheet(question string, by tool.Actor, r *tool.Record, whole tool.Implementation) (string, error) {
	d, err := aboutRecord(r, whole)
	if err == nil {
		_, err = sameSource(whole, r.SourceHash)
	}
	if err != nil {
		return "", &tool.Error{Code: tool.Rejected, Message: notJudged(err), Hint: "a person has to see the whole of a tool", Cause: err}
	}
	return sheet(question, by, d), nil
}
