package tool

import (
	"bytes"
	"encoding/json"
)

// CreationVerdict is what the judge said of a candidate. Scores are between 0 and 1.
type CreationVerdict struct {
	Approved    bool     `json:"approved"`
	Confidence  float64  `json:"confidence"`
	Safety      float64  `json:"safety"`
	Correctness float64  `json:"correctness"`
	Determinism float64  `json:"determinism"`
	Bounded     float64  `json:"bounded"`
	Reasoning   string   `json:"reasoning"`
	FailedTests []int    `json:"failedTests,omitempty"` // indexes of test cases
	Concerns    []string `json:"concerns,omitempty"`
	JudgeModel  string   `json:"judgeModel,omitempty"` // "human:NAME" when a person judged
	At          Time     `json:"at"`
	// SourceHash is the Implementation.Hash of what was judged: the verdict is worth nothing for anything else.
	SourceHash string `json:"sourceHash,omitempty"`
	Spent      Spent  `json:"spent,omitzero"` // what the review cost
}

// Review is what one member of the promotion panel said.
type Review struct {
	Approved   bool    `json:"approved"`
	Confidence float64 `json:"confidence"` // 0 to 1
	Reasoning  string  `json:"reasoning"`
}

// PromotionVerdict is what the promotion panel said of a tool.
type PromotionVerdict struct {
	Approved            bool    `json:"approved"`
	SafetyAuditor       Review  `json:"safetyAuditor"`
	CorrectnessReviewer Review  `json:"correctnessReviewer"`
	Confidence          float64 `json:"confidence"` // the smaller of the two
	JudgeModel          string  `json:"judgeModel,omitempty"`
	At                  Time    `json:"at"`
	SourceHash          string  `json:"sourceHash,omitempty"` // see CreationVerdict.SourceHash
	Spent               Spent   `json:"spent,omitzero"`
}

// Verdict is an entry of a record's history of verdicts: exactly one of its fields is set. In JSON it is that field.
type Verdict struct {
	Creation  *CreationVerdict
	Promotion *PromotionVerdict
}

// MarshalJSON writes the verdict that is set.
func (v Verdict) MarshalJSON() ([]byte, error) {
	if v.Promotion != nil {
		return marshal(v.Promotion)
	}
	return marshal(v.Creation)
}

// UnmarshalJSON tells the two kinds apart by the panel's members.
func (v *Verdict) UnmarshalJSON(text []byte) error {
	var kind struct {
		SafetyAuditor json.RawMessage `json:"safetyAuditor"`
	}
	if err := json.Unmarshal(text, &kind); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	*v = Verdict{}
	if kind.SafetyAuditor != nil {
		v.Promotion = &PromotionVerdict{}
		return dec.Decode(v.Promotion)
	}
	v.Creation = &CreationVerdict{}
	return dec.Decode(v.Creation)
}
