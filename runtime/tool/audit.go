package tool

import "encoding/json"

// EventType says what an audit entry is about.
type EventType string

// The types of audit entries.
const (
	Registered        EventType = "register"           // {tier, version, sourceHash}
	Synced            EventType = "sync"               // {tier}: a record came from outside, such as a backup
	Used              EventType = "use"                // {minute, uses, successCount, failureCount, executionTimeMs}
	Promoted          EventType = "promote"            // {from, to, approvedBy, verdict, sourceHash}
	Demoted           EventType = "demote"             // {reason}
	Removed           EventType = "remove"             // nothing
	CleanedUp         EventType = "cleanup"            // {sessionId}
	ForgeRequested    EventType = "forge_requested"    // the forge's own
	ForgeRejected     EventType = "forge_rejected"     // {stage, reason, verdict}
	ForgeApproved     EventType = "forge_approved"     // {verdict}
	PromotionRejected EventType = "promotion_rejected" // {verdict}
	PromotionFailed   EventType = "promotion_failed"   // {code, reason}: the panel could not be asked, or what it decided not be done
	SuspendedTool     EventType = "suspend"            // {reason, by}
	ResumedTool       EventType = "resume"             // {reason, by}
	Reverted          EventType = "revert"             // {from, to}: the ids of the version left and the version taken up again
	PowerDenied       EventType = "power_denied"       // {tool, api, op, asked, count}: of a caller's tool and an API, once a minute
	QuotaWarning      EventType = "quota_warning"      // {limit, used, most}: four fifths of a limit are used; of its persona, or of all when that is ""
	Imported          EventType = "import"             // {digest, keyId, originalToolId, originalTier}
	Exported          EventType = "export"             // {digest, keyId, source} of a package, {skill} of a skill
	SpawnRequested    EventType = "spawn_requested"    // {run, agentName}: a person or a judge is asked next
	SpawnRejected     EventType = "spawn_rejected"     // {run, agentName, instructions, justification, approved, approvedBy, judgedBy, reasoning, reason, timestamp}
	Spawned           EventType = "spawned"            // the same
	Delegated         EventType = "delegated"          // {run, agent, by, emergent, approvedBy, ok, code, tokens, durationMs}: a task that was given has ended
	DelegateRejected  EventType = "delegate_rejected"  // {run, agent, by, decidedBy, reason}: a person did not approve a task
	SpecialistKept    EventType = "specialist_kept"    // {agency, role, version, approvedBy}
	SpecialistRemoved EventType = "specialist_removed" // {agency, role}
	AgencyBegun       EventType = "agency_begun"       // {run, agency, prompt}: the number of its bytes
	AgencyEnded       EventType = "agency_ended"       // {run, agency, reason, code, agentCalls, spawned, tokens, costUSD, durationMs}
	TraitChanged      EventType = "trait_changed"
	SkillEnabled      EventType = "skill_enabled"
	SkillDisabled     EventType = "skill_disabled"
	SkillRequested    EventType = "skill_requested" // {draft, kind, skillId, reason}: a person is to decide
	SkillDecided      EventType = "skill_decided"   // {draft, persona, kind, skillId, approved, reason}
	SkillRetired      EventType = "skill_retired"   // {persona, skillId, reason}
	SkillRestored     EventType = "skill_restored"  // {persona, skillId}
	WorkflowCreated   EventType = "workflow_created"
	WorkflowRun       EventType = "workflow_run"
	ParamChanged      EventType = "param_changed"
	TenantCreated     EventType = "tenant_created"   // {tenant}; this one and those below stand in the tenant's log and in that of the operator, LocalTenant
	TenantSuspended   EventType = "tenant_suspended" // {tenant, reason}: its keys are refused
	TenantResumed     EventType = "tenant_resumed"   // {tenant, reason}: that of the suspension that ended
	TenantDeleting    EventType = "tenant_deleting"  // {tenant}: from here on its keys do not work
	TenantDeleted     EventType = "tenant_deleted"   // {tenant}, in the log of the operator alone: that of the tenant is gone
	QuotaChanged      EventType = "quota_changed"    // {tenant, from, to}
	KeyCreated        EventType = "key_created"      // {tenant, keyId, name, persona, scopes, expiresAt}
	KeyRotated        EventType = "key_rotated"      // {tenant, keyId, oldUntil}
	KeyRevoked        EventType = "key_revoked"      // {tenant, keyId}
)

// AuditEvent is one entry of a tenant's audit log. Entries form a chain: each carries the hash of the one before, so that
// none can be changed, removed or put between without breaking it.
type AuditEvent struct {
	ID        string          `json:"id"`
	Sequence  uint64          `json:"sequence"` // from 1, without gaps, within the tenant
	Tenant    string          `json:"tenant"`
	ToolID    string          `json:"toolId"` // "" when no tool is meant
	EventType EventType       `json:"eventType"`
	Data      json.RawMessage `json:"data,omitempty"`
	Timestamp int64           `json:"timestamp"` // Unix epoch, milliseconds
	PersonaID string          `json:"personaId"`
	SessionID string          `json:"sessionId"`
	Actor     string          `json:"actor"`
	Previous  string          `json:"previous"` // the hash of the entry before; "" in the first
	Hash      string          `json:"hash"`     // SHA-256, hexadecimal, of Previous and then the canonical JSON of the entry with both empty
}
