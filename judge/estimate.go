package judge

import (
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// What a call takes before it is made can only be guessed.
const (
	bytesPerToken = 4
	fenceBytes    = 100 // around each block
	frameBytes    = 400 // of a prompt beside rules and dossier
	answerTokens  = 500 // of a usual answer; there is room for many more
)

// ReviewTakes is about what Review will take, so that so much can be held back meanwhile: nothing when no model will be asked.
func (m *Models) ReviewTakes(c tool.Candidate) tool.Spent {
	d, err := aboutCandidate(c)
	if err != nil {
		return tool.Spent{}
	}
	return m.takes(m.opt.Creation, creationRole, d)
}

// PanelTakes is about what Panel will take, as ReviewTakes has it.
func (m *Models) PanelTakes(r *tool.Record, whole tool.Implementation) tool.Spent {
	d, err := aboutRecord(r, whole)
	if err != nil {
		return tool.Spent{}
	}
	return m.takes(m.opt.Safety, safetyRole, d).Add(m.takes(m.opt.Correctness, correctnessRole, d))
}

// takes is about what a call to a model takes. Which model will answer is not known: it costs as much as the dearest.
func (m *Models) takes(of model.Model, r role, d *dossier) tool.Spent {
	if of == nil {
		return tool.Spent{}
	}
	size := len(r.system) + len(r.rules) + len(r.schema) + frameBytes + d.size()
	use := model.Usage{InputTokens: int64(size / bytesPerToken), OutputTokens: answerTokens}
	return tool.Spent{Calls: 1, InputTokens: use.InputTokens, OutputTokens: use.OutputTokens, CostUSD: m.opt.Price(model.Reply{Usage: use})}
}

// size is about how long all of it is in a prompt, in bytes.
func (d *dossier) size() (n int) {
	for _, fact := range d.facts {
		n += len(fact)
	}
	for _, b := range d.blocks {
		n += fenceBytes
		for _, text := range b.lines {
			n += len(text) + 1
		}
	}
	return n
}
