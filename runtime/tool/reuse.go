package tool

// ReuseVerdict is what was found when an output of a registered tool was looked at. It costs no model call.
type ReuseVerdict struct {
	Valid         bool     `json:"valid"`
	SchemaErrors  []string `json:"schemaErrors,omitempty"`
	Anomaly       bool     `json:"anomaly"` // the output, or the time it took, is not what the tool's earlier calls led to expect
	AnomalyReason string   `json:"anomalyReason,omitempty"`
}
