package judge

import (
	"context"
	"fmt"
	"strings"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// answer is what came of asking a model.
type answer struct {
	reply object // nil when there is none that counts
	why   string // then, why not
	none  bool   // no reply came at all
	text  string // what the model said, whether it counts or not
	model string // provider/model
	spent tool.Spent
}

const notConfigured = "LLM call failed: no model is configured to judge. Set OPENAI_API_KEY, ANTHROPIC_API_KEY or OLLAMA_HOST, or name one under models " +
	"in the configuration file; or let a person decide: --judge human, or --approve-as NAME for one who has seen it"

// unreadable begins the reasoning when a reply is none.
const unreadable = "Failed to parse the reply of the judge: "

// ask puts a prompt to a model. The error is the end of the context; whatever else goes wrong is an answer without reply.
func (m *Models) ask(ctx context.Context, of model.Model, p prompt) (answer, error) {
	if of == nil {
		return answer{why: notConfigured, none: true}, nil
	}
	limited, cancel := context.WithTimeout(ctx, m.opt.Timeout)
	defer cancel()
	reply, err := of.Chat(limited, p.request)
	a := answer{spent: tool.Spent{Calls: 1, InputTokens: reply.Usage.InputTokens, OutputTokens: reply.Usage.OutputTokens, CostUSD: m.opt.Price(reply)}}
	switch {
	case err != nil && ctx.Err() != nil:
		return a, tool.AsError(ctx.Err())
	case err != nil && limited.Err() != nil:
		a.why, a.none = fmt.Sprintf("LLM call failed: the model did not answer within %s", m.opt.Timeout), true
		return a, nil
	case err != nil:
		a.why, a.none = "LLM call failed: "+failure(err), true
		return a, nil
	}
	a.model = strings.Trim(line(reply.Provider+"/"+reply.Model, 200), "/")
	a.text = reply.Text
	a.reply, err = read(reply, p.canary)
	if err != nil {
		a.why = unreadable + err.Error()
	}
	return a, nil
}

// failure is an error in words, with how to mend it.
func failure(err error) string {
	e := tool.AsError(err)
	text := line(e.Message, 500)
	if e.Hint != "" {
		text += " (" + line(e.Hint, 500) + ")"
	}
	return text
}

// read reads a reply that is whole.
func read(reply model.Reply, canary string) (object, error) {
	switch reply.StopReason { //nolint:exhaustive // the others say nothing against it
	case model.StopRefusal:
		return nil, fmt.Errorf("the model refused to answer: %s", quoted(line(reply.Text, 200)))
	case model.StopLength:
		return nil, fmt.Errorf("it was cut off at its limit of length")
	}
	return readReply(reply.Text, canary)
}
