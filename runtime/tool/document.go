package tool

// DocumentKind says what a document of a persona or a session is about. The text is stable: it names where documents are kept.
type DocumentKind string

// The kinds.
const (
	Mutations   DocumentKind = "personality_mutations" // of a persona: what its traits went through
	Skills      DocumentKind = "skills"                // of a session: those it enabled and disabled
	SkillDrafts DocumentKind = "skill_drafts"          // of a persona: requests and proposals that wait for a person
	Workflows   DocumentKind = "workflows"             // of a persona
	Evaluations DocumentKind = "evaluations"           // of a session: scores and adjustments
	Parameters  DocumentKind = "parameters"            // of a session: what its model calls are made with
	AgencyRuns  DocumentKind = "agency_runs"           // of a persona: what agencies did whose manager it was
	Specialists DocumentKind = "specialists"           // of an agency, in the place of a persona: those of the shared tier, by role
)

// DocumentRef names a document: JSON that a persona or a session has besides its tools.
type DocumentRef struct {
	Kind    DocumentKind
	Tenant  string
	Persona string
	Session string // "" is the persona's own, which outlives its sessions
	ID      string // within kind and owner; "" is the only one
}

// DocumentChange is what becomes of a document, with the audit entries that tell of it.
type DocumentChange struct {
	Value  []byte // JSON; nil deletes the document
	Events []DocumentEvent
}

// DocumentEvent is an audit entry on its way.
type DocumentEvent struct {
	Type EventType
	Data any // becomes JSON
}
