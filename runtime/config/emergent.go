package config

// Emergent are the settings of tools that agents forge.
type Emergent struct {
	Enabled               bool `json:"enabled"`                           // Config.Emergent makes it so
	MaxSessionTools       int  `json:"maxSessionTools" range:"1..1000"`   // of one session
	MaxAgentTools         int  `json:"maxAgentTools" range:"1..10000"`    // of one owner, however they got there
	AllowSandboxTools     bool `json:"allowSandboxTools"`                 // code, not compositions alone
	PersistSandboxSource  bool `json:"persistSandboxSource"`              // the same as SourceAtRest Plain
	SandboxMemoryMB       int  `json:"sandboxMemoryMB" range:"4..1024"`   // MiB; the same as Limits.Memory
	SandboxTimeoutMs      int  `json:"sandboxTimeoutMs" range:"1..60000"` // the same as Limits.Wall
	SandboxMaxOutputBytes int  `json:"sandboxMaxOutputBytes" range:"1..16777216"`

	AllowedSandboxAPIs        []string `json:"allowedSandboxAPIs" oneof:"fetch fs.readFile crypto"` // that the keys below can grant; crypto needs no more
	FSReadRoots               []string `json:"fsReadRoots"`                                         // absolute folders
	FSMaxFileBytes            int64    `json:"fsMaxFileBytes" range:"1..67108864"`
	FetchDomainAllowlist      []string `json:"fetchDomainAllowlist"` // as policy.Network.Host
	FetchMethods              []string `json:"fetchMethods" oneof:"GET HEAD POST PUT PATCH DELETE OPTIONS"`
	FetchMaxResponseBytes     int64    `json:"fetchMaxResponseBytes" range:"1..67108864"`
	FetchMaxRedirects         int      `json:"fetchMaxRedirects" range:"0..20"` // 0 follows none
	FetchAllowPrivateNetworks bool     `json:"fetchAllowPrivateNetworks"`       // only false is taken: a policy opens one range for one host

	MaxForgeAttemptsPerSession int       `json:"maxForgeAttemptsPerSession" range:"1..10000"`
	MaxStepsPerTool            int       `json:"maxStepsPerTool" range:"1..100"`
	MinTestCases               int       `json:"minTestCases" range:"1..100"`
	RequirePassingTests        bool      `json:"requirePassingTests"`
	AllowDuplicates            bool      `json:"allowDuplicates"`                   // of tools that the author could call
	DuplicateThreshold         float64   `json:"duplicateThreshold" range:"0.5..1"` // 1 is the same implementation
	JudgeModel                 string    `json:"judgeModel"`
	PromotionJudgeModel        string    `json:"promotionJudgeModel"`
	MinJudgeConfidence         float64   `json:"minJudgeConfidence" range:"0..1"`
	PromotionThreshold         Threshold `json:"promotionThreshold"`
	MinPromotionConfidence     float64   `json:"minPromotionConfidence" range:"0..1"`
	RequireHumanForShared      bool      `json:"requireHumanForShared"`

	MaxJudgeTokensPerSession int64 `json:"maxJudgeTokensPerSession" range:"1..1000000000"`
	MaxJudgeTokensPerPersona int64 `json:"maxJudgeTokensPerPersona" range:"1..10000000000"` // in 24 hours
	MaxConcurrentCalls       int   `json:"maxConcurrentCalls" range:"1..10000"`             // of one tenant
	MaxCallsPerMinute        int   `json:"maxCallsPerMinute" range:"1..1000000"`            // of one session
	MaxFailuresInARow        int   `json:"maxFailuresInARow" range:"1..1000"`               // before a tool is suspended
	SessionIdleHours         int   `json:"sessionIdleHours" range:"1..8760"`                // before a session ends

	StaleAfterDays         int     `json:"staleAfterDays" range:"1..36500"`     // without a use, in the agent tier
	DemoteStale            bool    `json:"demoteStale"`                         // not only list them
	DemoteBelowSuccessRate float64 `json:"demoteBelowSuccessRate" range:"0..1"` // 0 demotes none
	DemoteAfterUses        int     `json:"demoteAfterUses" range:"1..1000000"`  // from which the success rate counts

	SelfImprovement SelfImprovement `json:"selfImprovement"`
}

// Threshold brings a tool before the promotion panel. All of it must be reached.
type Threshold struct {
	Uses        int     `json:"uses" range:"1..1000000"` // succeeded or not
	Confidence  float64 `json:"confidence" range:"0..1"` // of the judge who let it in
	SuccessRate float64 `json:"successRate" range:"0..1"`
}

// The models that reviews ask unless the configuration names others. They are OpenAI's.
const (
	DefaultJudgeModel          = "gpt-4o-mini"
	DefaultPromotionJudgeModel = "gpt-4o"
)

func defaultEmergent() Emergent {
	return Emergent{
		MaxSessionTools: 10, MaxAgentTools: 50, SandboxMemoryMB: 128, SandboxTimeoutMs: 5000, SandboxMaxOutputBytes: 1 << 20,
		AllowedSandboxAPIs: []string{"fetch", "fs.readFile"}, FetchMethods: []string{"GET", "HEAD"},
		FSMaxFileBytes: 1 << 20, FetchMaxResponseBytes: 1 << 20, FetchMaxRedirects: 5,
		MaxForgeAttemptsPerSession: 20, MaxStepsPerTool: 20, MinTestCases: 2, RequirePassingTests: true, DuplicateThreshold: 0.92,
		JudgeModel: DefaultJudgeModel, PromotionJudgeModel: DefaultPromotionJudgeModel,
		MinJudgeConfidence: 0.5, PromotionThreshold: Threshold{Uses: 5, Confidence: 0.8}, MinPromotionConfidence: 0.7, RequireHumanForShared: true,
		MaxJudgeTokensPerSession: 500_000, MaxJudgeTokensPerPersona: 5_000_000,
		MaxConcurrentCalls: 64, MaxCallsPerMinute: 6000, MaxFailuresInARow: 5, SessionIdleHours: 24, StaleAfterDays: 90, DemoteAfterUses: 20,
		SelfImprovement: defaultSelfImprovement(),
	}
}
