package forge

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/toolsmith/runtime/tool"
)

// Import takes the tool of a package through all gates, as if the caller had asked for it: it is checked, tried and judged
// here, and registered for the caller's session. Nothing that the package says of tiers, owners, uses or verdicts counts;
// the verdicts are kept, for people to read. The result is that of Forge.
func (f *Forge) Import(ctx context.Context, by tool.Actor, text []byte, trust Trust) (*Result, error) {
	job := &job{forge: f, by: by, result: &Result{}}
	return job.done(ctx, job.run(ctx, func() error { return job.unpack(text, trust) }))
}

// unpack reads a package, and the request in it.
func (j *job) unpack(text []byte, trust Trust) error {
	j.result.Stage = StagePackage
	p, err := ReadPackage(text)
	if err != nil {
		return err
	}
	keyID, err := p.Verify(trust)
	if err != nil {
		return err
	}
	request, notes, err := p.Request()
	if err != nil {
		return err
	}
	j.origin = &tool.Import{
		Digest: p.digest, KeyID: keyID, OriginalToolID: p.Tool.OriginalToolID, OriginalTier: p.Tool.OriginalTier, Verdicts: p.Tool.JudgeVerdicts,
	}
	j.result.Stage = StageShape
	if err := j.read(request); err != nil {
		return err
	}
	j.result.Notes = append(append(j.result.Notes, p.provenance(keyID)), notes...)
	return nil
}

// provenance says what is known of where a package comes from.
func (p *Package) provenance(keyID string) string {
	switch {
	case keyID != "":
		return "the package is signed by the trusted key " + keyID
	case p.Integrity == nil:
		return "the package has no digest: nothing shows whether it was changed on its way"
	case p.Integrity.Signature != nil:
		return "the package is signed by the key " + p.Integrity.Signature.KeyID + ", which was not checked: no key is trusted"
	}
	return "the package is as it was packed, but not signed: nothing shows by whom"
}

// Request is the request for the package's tool, in JSON as Read takes it, with notes on what was added to it. The error,
// when there is no code, is of code InvalidRequest.
func (p *Package) Request() (request []byte, notes []string, err error) {
	t := p.Tool
	r := Request{
		Name: t.Name, Description: t.Description, InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
		Implementation: t.Implementation.implementation(), TestCases: t.TestCases,
	}
	if r.Implementation.Mode == tool.SandboxMode && r.Implementation.Code == "" {
		return nil, nil, &tool.Error{
			Code: tool.InvalidRequest, Path: "/tool/implementation/code", Message: fmt.Sprintf("the package of %s has no code: it cannot be imported", t.Name),
			Hint: "have it exported with its source (--with-source)",
		}
	}
	if r.TestCases == nil && r.Implementation.Mode == tool.SandboxMode {
		if r.TestCases = samples(t.InputSchema); r.TestCases != nil {
			notes = append(notes, fmt.Sprintf("the package has no test cases: the tool is tried on %d inputs made from its inputSchema, which expect nothing", len(r.TestCases)))
		}
	}
	request, err = json.Marshal(r)
	if err != nil {
		return nil, nil, tool.Errorf(tool.Internal, "writing a request: %w", err)
	}
	return request, notes, nil
}

// source says where an imported tool came from; "" leaves it to the shelf.
func (j *job) source() string {
	if j.origin == nil {
		return ""
	}
	return fmt.Sprintf("imported by agent %s from a package of %s, which was of the %s tier", j.by.Persona, j.origin.OriginalToolID, j.origin.OriginalTier)
}
