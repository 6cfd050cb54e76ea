package judge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// The bounds of what a verdict repeats of a model's words, in characters.
const (
	maxReasoning = 2000
	maxConcern   = 300
	maxConcerns  = 20
)

// Review implements Judge with one call to the model of Options.Creation.
func (m *Models) Review(ctx context.Context, _ tool.Actor, c tool.Candidate) (tool.CreationVerdict, error) {
	v := tool.CreationVerdict{At: tool.At(m.opt.Now())}
	hash, d, err := open(c)
	if err != nil {
		v.Reasoning = notJudged(err)
		return v, nil
	}
	v.SourceHash = hash
	p, err := m.prompt(creationRole, d)
	if err != nil {
		v.Reasoning = notJudged(err)
		return v, nil
	}
	a, err := m.ask(ctx, m.opt.Creation, p)
	if err != nil {
		return tool.CreationVerdict{}, err
	}
	v.JudgeModel, v.Spent, v.Reasoning = a.model, a.spent, a.why
	if a.reply != nil {
		m.settle(&v, a.reply, c)
	}
	return v, nil
}

// open is a candidate as it is shown, and the hash of what is. The error says why it cannot be judged.
func open(c tool.Candidate) (hash string, d *dossier, err error) {
	if d, err = aboutCandidate(c); err != nil {
		return "", nil, err
	}
	hash, err = sameSource(c.Implementation, c.SourceHash)
	return hash, d, err
}

// sameSource is the hash of an implementation, which has to be the one that is told, if any.
func sameSource(i tool.Implementation, told string) (string, error) {
	hash, err := i.Hash()
	if err == nil && told != "" && told != hash {
		err = fmt.Errorf("the source to be judged is not the one that its hash names")
	}
	return hash, err
}

// notJudged is the reasoning when there is nothing to be judged.
func notJudged(why error) string { return "Not judged: " + clip(why.Error(), maxReasoning) }

// settle fills in the verdict by the reply, and by what was measured, which wins.
func (m *Models) settle(v *tool.CreationVerdict, reply object, c tool.Candidate) {
	if err := unclear(reply); err != nil {
		v.Reasoning = unreadable + err.Error()
		return
	}
	scores(v, reply)
	v.Concerns, v.FailedTests = concerns(reply, c.TestResults)
	measured := capScores(v, c)
	refused := slices.Concat(m.refusals(v, reply), measured)
	v.Approved = len(refused) == 0
	v.Reasoning = words(reply.text("reasoning"), maxReasoning)
	passed := reply.part("safety").is("passed") && reply.part("correctness").is("passed")
	if !v.Approved && (passed || len(measured) > 0 || v.Reasoning == "") { // the model's words do not tell why
		v.Reasoning = clip(strings.TrimSpace("Rejected: "+strings.Join(refused, "; ")+". "+v.Reasoning), maxReasoning)
	}
}

// unclear says what in a reply would decide, and is not of its type.
func unclear(reply object) error {
	if bounded, there := reply["bounded"]; there {
		if _, ok := bounded.(object); !ok {
			return errors.New(`"bounded" is not an object`)
		}
	}
	return cmp.Or(
		reply.answer("approved"), reply.part("bounded").answer("likely"),
		reply.fraction("confidence"), reply.part("safety").fraction("score"), reply.part("correctness").fraction("score"),
	)
}

// scores are the model's own.
func scores(v *tool.CreationVerdict, reply object) {
	v.Safety, v.Correctness = score(reply.part("safety")), score(reply.part("correctness"))
	v.Determinism, v.Bounded = likely(reply, "determinism"), likely(reply, "bounded")
	v.Confidence = reply.number("confidence")
}

// score is the number that a part gives itself, else 1 when it passed.
func score(part object) float64 {
	if _, given := part["score"].(json.Number); given {
		return part.number("score")
	}
	if part.is("passed") {
		return 1
	}
	return 0
}

// likely is 1 for a part that the model thinks likely, else 0.5; a reply without any part of it has said nothing at all.
func likely(reply object, name string) float64 {
	switch {
	case reply.part(name) == nil:
		return 0
	case reply.part(name).is("likely"):
		return 1
	}
	return 0.5
}

// refusals are the rules by which the reply does not approve.
func (m *Models) refusals(v *tool.CreationVerdict, reply object) []string {
	var list []string
	for _, rule := range []struct {
		broken bool
		why    string
	}{
		{!reply.part("safety").is("passed"), "safety did not pass"},
		{!reply.part("correctness").is("passed"), "correctness did not pass"},
		{reply["approved"] == false, "the judge does not approve"},
		{reply.part("bounded")["likely"] == false, "the judge does not think that it is bounded"},
		{v.Confidence < m.opt.MinConfidence, fmt.Sprintf("the confidence %.2f is below the least, %.2f", v.Confidence, m.opt.MinConfidence)},
	} {
		if rule.broken {
			list = append(list, rule.why)
		}
	}
	return list
}

// capScores holds the scores to what was measured, and returns what of it rejects the candidate.
func capScores(v *tool.CreationVerdict, c tool.Candidate) []string {
	var list []string
	if !c.Report.Deterministic {
		v.Determinism = min(v.Determinism, 0.5)
	}
	if g := c.Report.Growth; g != nil && !g.Bounded {
		v.Bounded = min(v.Bounded, 0.5)
		list = append(list, fmt.Sprintf("measured, it is not bounded: work grows %s with the input, memory %s", class(g.Fuel), class(g.Memory)))
	}
	for i, r := range c.TestResults {
		if !r.Success {
			v.Correctness = 0
			list = append(list, fmt.Sprintf("test %d failed when it was run", i))
			break
		}
	}
	return list
}

// concerns are what the reply holds against a candidate: in words, and as indexes of tests.
func concerns(reply object, results []tool.TestResult) (list []string, failed []int) {
	add := func(text string) {
		if text = line(text, maxConcern); text != "" && len(list) < maxConcerns {
			list = append(list, text)
		}
	}
	claims, _ := reply.part("correctness")["failedTests"].([]any)
	for _, claim := range claims {
		number, _ := claim.(json.Number)
		i, err := number.Int64()
		if err != nil || i < 0 || i >= int64(len(results)) || slices.Contains(failed, int(i)) {
			continue
		}
		failed = append(failed, int(i))
		if results[i].Success {
			add(fmt.Sprintf("the judge names test %d as failed; it was run, and passed", i))
		}
	}
	for _, name := range []string{"determinism", "bounded"} {
		if part := reply.part(name); part["likely"] == false && part.text("reasoning") != "" {
			add(name + ": " + part.text("reasoning"))
		}
	}
	said, _ := reply.part("safety")["concerns"].([]any)
	for _, concern := range said {
		text, _ := concern.(string)
		add(text)
	}
	slices.Sort(failed)
	return list, failed
}
