package forge_test

import (
	"strings"
	"testing"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

func TestT139ForgeToolSaysWhoItIs(t *testing.T) {
	t.Parallel()
	d := forge.ToolDefinition()
	if d.ID != "com.framers.emergent.forge-tool" || d.Name != "forge_tool" || d.DisplayName != "Forge Tool" || d.Category != "emergent" || !d.HasSideEffects {
		t.Errorf("%+v", d)
	}
	if problem := tool.CheckName(d.Name); problem != "" {
		t.Error(problem)
	}
}

func TestT140ForgeToolTellsOfItsModes(t *testing.T) {
	t.Parallel()
	d := forge.ToolDefinition()
	if !strings.HasPrefix(d.Description, "Create a new tool when no existing capability fits") {
		t.Error(d.Description)
	}
	for _, word := range []string{"compose", "sandbox"} {
		if !strings.Contains(d.Description, word) {
			t.Errorf("nothing about %s", word)
		}
	}
}

func TestT141ForgeToolRequiresTheWhole(t *testing.T) {
	t.Parallel()
	s := forgeSchema(t)
	if err := s.Validate([]byte(arguments("implementation", `{"mode":"sandbox","code":"x","allowlist":[]}`))); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"name", "description", "inputSchema", "implementation", "testCases"} {
		err := s.Validate([]byte(arguments("implementation", `{"mode":"sandbox","code":"x","allowlist":[]}`, name, "")))
		if err == nil || !strings.Contains(err.Error(), `Missing required property "`+name+`"`) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func TestGoodRequestsFitTheSchema(t *testing.T) {
	t.Parallel()
	s := forgeSchema(t)
	sandbox := func(more string) string { return `{"mode":"sandbox","code":"x"` + more + `}` }
	for text, ok := range map[string]bool{
		arguments("implementation", sandbox(`,"allowlist":["fetch","crypto"],"timeoutMs":1,"memoryMB":64,"language":"ts"`)):      true,
		arguments("outputSchema", "", "implementation", sandbox(`,"allowlist":[]`)):                                              true,
		arguments("implementation", `{"mode":"compose","steps":[{"name":"a","tool":"b","inputMapping":{},"condition":"true"}]}`): true,
		arguments("implementation", sandbox("")):                                                       false,
		arguments("implementation", sandbox(`,"allowlist":["fs"]`)):                                    false,
		arguments("implementation", sandbox(`,"allowlist":[],"timeoutMs":0`)):                          false,
		arguments("implementation", sandbox(`,"allowlist":[],"memoryMB":2048`)):                        false,
		arguments("implementation", `{"mode":"compose","steps":[]}`):                                   false,
		arguments("implementation", `{"mode":"compose","steps":[{"name":"a","tool":"b"}]}`):            false,
		arguments("implementation", `{"mode":"native","code":"x","allowlist":[]}`):                     false,
		arguments("testCases", "[]", "implementation", sandbox(`,"allowlist":[]`)):                     false,
		arguments("testCases", `[{"expectedOutput":1}]`, "implementation", sandbox(`,"allowlist":[]`)): false,
		arguments("name", `"1a"`, "implementation", sandbox(`,"allowlist":[]`)):                        false,
		arguments("description", `""`, "implementation", sandbox(`,"allowlist":[]`)):                   false,
	} {
		if err := s.Validate([]byte(text)); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The description of code is what a model writes by.
func TestTheSchemaGuidesTheAuthor(t *testing.T) {
	t.Parallel()
	text := string(forge.ToolDefinition().InputSchema)
	for _, advice := range []string{
		"Plain JavaScript", "top-level function execute(input)", "async", "No TypeScript syntax", "Braces around", "arrow function", "exactly what outputSchema declares",
	} {
		if !strings.Contains(text, advice) {
			t.Errorf("nothing about %q", advice)
		}
	}
}

func forgeSchema(t *testing.T) *schema.Schema {
	t.Helper()
	s, err := schema.Compile(forge.ToolDefinition().InputSchema)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
