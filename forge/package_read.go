package forge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// ReadPackage reads a package, which is JSON when it begins with a bracket and YAML otherwise. Everything is checked that
// can be without running anything: bounds, every member, names, schemas, and the digest if there is one. Who signed it is
// for Verify to say. The text is not kept. The error is a *tool.Error: InvalidRequest for what is no package, Rejected when
// the digest is not that of the tool.
func ReadPackage(text []byte) (*Package, error) {
	plain, err := packageJSON(text)
	if err != nil {
		return nil, err
	}
	if err := knownVersion(plain); err != nil {
		return nil, err
	}
	rules, err := compiledPackageSchema()
	if err != nil {
		return nil, tool.Errorf(tool.Internal, "the schema of packages: %w", err)
	}
	if err := rules.Validate(plain); err != nil {
		return nil, noPackage(err)
	}
	p, err := decodePackage(plain)
	if err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	return p, p.checkDigest()
}

// packageJSON is a package as compact JSON.
func packageJSON(text []byte) (json.RawMessage, error) {
	if len(text) > MaxPackageBytes {
		return nil, &tool.Error{
			Code: tool.InvalidRequest, Message: fmt.Sprintf("the package has %d bytes: at most %d are read", len(text), MaxPackageBytes),
			Hint: "a package holds one tool: leave out data, and give fewer or smaller test cases",
		}
	}
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		converted, err := wire.YAMLToJSON(text)
		if err != nil {
			return nil, err
		}
		text = converted
	}
	plain, err := compact(text)
	if err == nil && plain[0] != '{' {
		err = &tool.Error{Code: tool.InvalidRequest, Message: "this is " + describe(plain) + " where a package belongs", Hint: wantPackage}
	}
	return plain, err
}

const wantPackage = "give the YAML or JSON that a host has exported, whose schemaVersion is " + PackageVersion + " and packageType is " + PackageType

// knownVersion looks first whether a text means to be a package of this version at all.
func knownVersion(plain json.RawMessage) error {
	want := map[string]string{"schemaVersion": PackageVersion, "packageType": PackageType}
	for _, m := range membersOf(plain) {
		if isText(m.value) && textOf(m.value) == want[m.key] {
			delete(want, m.key)
		}
	}
	for _, key := range []string{"schemaVersion", "packageType"} {
		if value := want[key]; value != "" {
			return &tool.Error{Code: tool.InvalidRequest, Path: "/" + key, Message: fmt.Sprintf("this is no package that is read here: %s is not %s", key, value), Hint: wantPackage}
		}
	}
	return nil
}

// noPackage words what the schema of packages found.
func noPackage(err error) error {
	e := *tool.AsError(err)
	if e.Code != tool.InvalidInput {
		return err
	}
	e.Code, e.Hint = tool.InvalidRequest, "a package has the members that an export writes, and no others"
	return &e
}

// decodePackage puts a text that fits the schema into its structs.
func decodePackage(plain json.RawMessage) (*Package, error) {
	p := &Package{}
	if err := json.Unmarshal(plain, p); err != nil {
		e := &tool.Error{Code: tool.InvalidRequest, Message: "the package cannot be read: " + err.Error(), Hint: wantPackage, Cause: err}
		if typed, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			e.Path, e.Message = "/"+strings.ReplaceAll(typed.Field, ".", "/"), "this is a "+typed.Value+" where "+typed.Type.String()+" belongs"
		}
		return nil, e
	}
	for _, m := range membersOf(plain) {
		if m.key == "tool" {
			p.text = m.value
		}
	}
	digest, err := digestOf(p.text)
	p.digest = digest
	return p, err
}

// check looks at what the schema of packages says nothing about.
func (p *Package) check() error {
	t := &p.Tool
	if err := tool.NameError(t.Name, tool.CheckName(t.Name)); err != nil {
		return below("/tool", err)
	}
	if err := t.Implementation.check(); err != nil {
		return below("/tool/implementation", err)
	}
	for at, text := range map[string]json.RawMessage{"/tool/inputSchema": t.InputSchema, "/tool/outputSchema": t.OutputSchema} {
		if _, err := schema.Compile(text); err != nil {
			return below(at, err)
		}
	}
	for i, c := range t.TestCases {
		if len(c.Input) > MaxCaseBytes || len(c.ExpectedOutput) > MaxCaseBytes {
			return &tool.Error{
				Code: tool.InvalidRequest, Path: fmt.Sprintf("/tool/testCases/%d", i), Hint: "make the example smaller",
				Message: fmt.Sprintf("a test case takes at most %d bytes for its input, and as many for its expectation", MaxCaseBytes),
			}
		}
	}
	return nil
}

// check refuses members that belong to the other mode.
func (p PortableImplementation) check() error {
	sandbox := p.Language != "" || p.Allowlist != nil || p.TimeoutMs != 0 || p.MemoryMB != 0 || p.Code != "" || p.SourcePersisted != nil || p.RedactedAtRest != nil
	switch {
	case p.Mode == tool.ComposeMode && sandbox:
		return &tool.Error{Code: tool.InvalidRequest, Message: "a composed tool has steps, and nothing that belongs to code", Hint: "leave out all but mode and steps"}
	case p.Mode == tool.ComposeMode && p.Steps == nil:
		return &tool.Error{Code: tool.InvalidRequest, Path: "/steps", Message: "a composed tool has at least one step", Hint: "give the steps"}
	case p.Mode == tool.SandboxMode && p.Steps != nil:
		return &tool.Error{Code: tool.InvalidRequest, Path: "/steps", Message: "steps do not belong to the mode sandbox", Hint: "leave out the steps"}
	}
	return nil
}

// below is an error about a part, with its place in the whole.
func below(at string, err error) error {
	e := *tool.AsError(err)
	e.Path = at + e.Path
	return &e
}
