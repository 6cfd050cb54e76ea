package forge

import (
	"maps"
	"strings"
)

// vocabulary is what an object of a request may hold. Its keys are folded: case, underscores, hyphens and spaces do not
// count.
type vocabulary struct {
	names   map[string]string // to the one right name
	refused map[string]string // to how to mend it: names that look as if they gave powers, or lifted limits
}

func fold(key string) string { return strings.ToLower(unseparated.Replace(key)) }

var unseparated = strings.NewReplacer("_", "", "-", "", " ", "")

const (
	hostSets   = "the host sets this: leave it out"
	writeList  = "name the APIs in implementation.allowlist; the hosts and folders it may reach stand in the operator's policy"
	writeTime  = "write implementation.timeoutMs, in milliseconds"
	writeSpace = "write implementation.memoryMB"
	writeLimit = "a request may set implementation.timeoutMs and implementation.memoryMB, no other limits"
	writeCode  = "give the code itself, whole, in implementation.code"
)

var requestWords = vocabulary{
	names: merge(implementationWords.names, map[string]string{
		"name": "name", "toolname": "name", "description": "description", "implementation": "implementation",
		"inputschema": "inputSchema", "parameters": "inputSchema", "outputschema": "outputSchema",
		"testcases": "testCases", "tests": "testCases",
	}),
	refused: merge(implementationWords.refused, map[string]string{
		"tier": hostSets, "createdby": hostSets, "owner": hostSets, "tenant": hostSets, "personaid": hostSets, "sessionid": hostSets,
		"judgeverdict": hostSets, "judgeverdicts": hostSets, "verdict": hostSets, "approved": hostSets, "approvedby": hostSets,
		"usagestats": hostSets, "confidence": hostSets, "confidencescore": hostSets, "judgeconfidence": hostSets,
		"isactive": hostSets, "suspended": hostSets, "sourcehash": hostSets,
	}),
}

var implementationWords = vocabulary{
	names: map[string]string{
		"mode": "mode", "steps": "steps", "pipeline": "steps", "language": "language", "lang": "language", "code": "code",
		"allowlist": "allowlist", "allowedapis": "allowlist", "allow": "allowlist", "timeoutms": "timeoutMs", "memorymb": "memoryMB",
	},
	refused: map[string]string{
		"apis": writeList, "permissions": writeList, "capabilities": writeList, "grants": writeList, "whitelist": writeList,
		"network": writeList, "hosts": writeList, "allowhosts": writeList, "allowedhosts": writeList, "domains": writeList,
		"alloweddomains": writeList, "fetchdomainallowlist": writeList, "readroots": writeList, "fsreadroots": writeList, "policy": writeList,
		"timeout": writeTime, "timeoutseconds": writeTime, "sandboxtimeoutms": writeTime, "maxtime": writeTime,
		"memory": writeSpace, "memorylimit": writeSpace, "memorybytes": writeSpace, "sandboxmemorymb": writeSpace, "maxmemory": writeSpace,
		"limits": writeLimit, "fuel": writeLimit, "redacted": writeCode, "codebytes": writeCode,
	},
}

var stepWords = vocabulary{names: map[string]string{
	"name": "name", "tool": "tool", "toolname": "tool", "condition": "condition", "if": "condition", "when": "condition",
	"inputmapping": "inputMapping", "mapping": "inputMapping", "args": "inputMapping", "arguments": "inputMapping",
	"input": "inputMapping", "inputs": "inputMapping", "params": "inputMapping", "parameters": "inputMapping",
}}

var caseWords = vocabulary{names: map[string]string{
	"input": "input", "inputs": "input", "args": "input", "arguments": "input", "params": "input",
	"expectedoutput": "expectedOutput", "expected": "expectedOutput", "output": "expectedOutput", "expectedresult": "expectedOutput",
	"partial": "partial",
}}

func merge(a, b map[string]string) map[string]string {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return both
}
