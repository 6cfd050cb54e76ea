package cli

import (
	"github.com/spf13/pflag"

	"example.com/toolsmith/runtime/tool"
)

// callerFlags say on whose behalf a verb acts.
type callerFlags struct{ tenant, persona, session string }

const (
	localTenant  = "local"
	localPersona = "local"
	cliSession   = "cli"
)

func (c *callerFlags) register(set *pflag.FlagSet) {
	set.StringVar(&c.session, "session", cliSession, "`NAME` of the session that acts; with --server it is http unless given")
	set.StringVar(&c.persona, "persona", localPersona, "`NAME` of the persona that acts")
	registerTenant(set, &c.tenant)
}

// registerTenant registers the flag of verbs that look at what a tenant has.
func registerTenant(set *pflag.FlagSet, tenant *string) {
	set.StringVar(tenant, "tenant", localTenant, "`NAME` of the tenant, which in the stores of other programs may be another")
}

// registerOwner registers the flags of verbs that are given the session of a persona.
func (c *callerFlags) registerOwner(set *pflag.FlagSet) {
	set.StringVar(&c.persona, "persona", localPersona, "`NAME` of the persona whose session it is")
	registerTenant(set, &c.tenant)
}

func (c callerFlags) caller() tool.Caller {
	return tool.Caller{Tenant: c.tenant, Persona: c.persona, Session: c.session}
}

// operatorOf is who looks at the tools of everybody in a tenant.
func operatorOf(tenant string) callerFlags { return callerFlags{tenant, localPersona, cliSession} }
