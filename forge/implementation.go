package forge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/source"
	"example.com/toolsmith/runtime/tool"
)

// implementation reads what the tool does. Where there is no member of that name, its parts may stand in the request itself.
func (r *requestReader) implementation(request map[string]json.RawMessage) {
	parts := map[string]json.RawMessage{}
	for _, name := range implementationWords.names {
		if value := request[name]; value != nil {
			parts[name] = value
		}
	}
	if value := request["implementation"]; value != nil {
		for _, name := range sorted(parts) {
			r.problems.add("/"+name, "move it into implementation", "%s belongs into the implementation", name)
		}
		object, ok := r.want('{', value, "/implementation")
		if !ok {
			return
		}
		parts = r.members(object, "/implementation", implementationWords)
	} else if len(parts) > 0 {
		r.note("%s are taken for the implementation", strings.Join(sorted(parts), ", "))
	}
	r.mode(parts)
	if r.request.Implementation.Mode == tool.ComposeMode {
		r.compose(parts)
	} else {
		r.sandbox(parts)
	}
}

func sorted(parts map[string]json.RawMessage) []string { return slices.Sorted(maps.Keys(parts)) }

// modes are what models call them.
var modes = map[string]tool.Mode{
	"sandbox": tool.SandboxMode, "code": tool.SandboxMode, "javascript": tool.SandboxMode, "js": tool.SandboxMode,
	"typescript": tool.SandboxMode, "ts": tool.SandboxMode,
	"compose": tool.ComposeMode, "composed": tool.ComposeMode, "composition": tool.ComposeMode, "composable": tool.ComposeMode,
	"chain": tool.ComposeMode, "pipeline": tool.ComposeMode,
}

// mode settles how the tool works: by the word that is given, else by what there is.
func (r *requestReader) mode(parts map[string]json.RawMessage) {
	const at, hint = "/implementation/mode", `write "sandbox" with code, or "compose" with steps`
	i := &r.request.Implementation
	given := r.text(parts["mode"], at)
	word := strings.ToLower(strings.TrimSpace(given))
	hasSteps, hasCode := parts["steps"] != nil, parts["code"] != nil
	switch i.Mode = modes[word]; {
	case i.Mode != "":
		if given != string(i.Mode) {
			r.note("the mode %q is read as %s", shorten(given, shown), i.Mode)
		}
		if word == "ts" || word == "typescript" {
			i.Language = source.TypeScript
		}
	case word != "":
		r.problems.add(at, hint, "the mode %q is not known", shorten(given, shown))
	case hasSteps && hasCode:
		r.problems.add(at, hint, "there are both steps and code, and no mode says which of them counts")
	case hasSteps:
		i.Mode = tool.ComposeMode
		r.note("without a mode, steps make it compose")
	case hasCode:
		i.Mode = tool.SandboxMode
		r.note("without a mode, code makes it sandbox")
	}
}

// sandbox reads what belongs to code.
func (r *requestReader) sandbox(parts map[string]json.RawMessage) {
	const at = "/implementation"
	i := &r.request.Implementation
	if steps := parts["steps"]; i.Mode == tool.SandboxMode && steps != nil && string(steps) != "[]" {
		r.problems.add(at+"/steps", `leave out the steps, or write the mode "compose" and leave out the code`, "steps do not belong to the mode sandbox")
	}
	i.Allowlist = r.allowlist(parts["allowlist"], at+"/allowlist")
	i.TimeoutMs = r.limit(parts["timeoutMs"], at+"/timeoutMs", 1, tool.MaxLimits.Timeout.Milliseconds())
	i.MemoryMB = r.limit(parts["memoryMB"], at+"/memoryMB", tool.MinMemoryBytes>>20, int64(tool.MaxLimits.MemoryBytes>>20))
	r.language(r.text(parts["language"], at+"/language"))
	i.Code = r.code(r.text(parts["code"], at+"/code"))
}

// compose reads what belongs to steps.
func (r *requestReader) compose(parts map[string]json.RawMessage) {
	const at = "/implementation"
	if code := parts["code"]; code != nil && string(code) != `""` {
		r.problems.add(at+"/code", `leave out the code, or write the mode "sandbox" and leave out the steps`, "code does not belong to the mode compose")
	}
	if len(r.allowlist(parts["allowlist"], at+"/allowlist")) > 0 {
		r.problems.add(at+"/allowlist", "leave it out", "a composed tool has no allowlist: each of its tools has its own")
	}
	for _, name := range []string{"language", "timeoutMs", "memoryMB"} {
		if parts[name] != nil {
			r.note("ignored member %s: it belongs to the mode sandbox", pointer(at, name))
		}
	}
	if parts["steps"] != nil {
		r.steps(parts["steps"])
	}
}

// language takes what the author calls it over what the mode said.
func (r *requestReader) language(word string) {
	if word == "" {
		return
	}
	language, err := source.LanguageOf("", word)
	if err != nil {
		e := tool.AsError(err)
		r.problems.add("/implementation/language", e.Hint, "the language %q is not known", shorten(word, shown))
		return
	}
	if language != word {
		r.note("the language %q is read as %s", word, language)
	}
	r.request.Implementation.Language = language
}

var apis = []string{source.Fetch, source.ReadFile, source.Crypto}

// allowlist reads a list of the host's APIs, or text that names them with commas between; nil when it is empty.
func (r *requestReader) allowlist(value json.RawMessage, at string) []string {
	if value == nil {
		return nil
	}
	entries := r.entries(value, at)
	if len(entries) > maxEntries {
		r.problems.add(at, "the APIs are "+strings.Join(apis, ", "), "the allowlist has %d entries: at most %d are read", len(entries), maxEntries)
		entries = nil
	}
	var names []string
	for _, item := range entries {
		switch name := item.text; {
		case !slices.Contains(apis, name):
			r.problems.add(item.at, apiHint(name), "the allowlist names %q, which is no API", shorten(name, shown))
		case slices.Contains(names, name):
			r.note("%s names %s again", item.at, name)
		default:
			names = append(names, name)
		}
	}
	return names
}

// maxEntries is many times what there is to name.
const maxEntries = 20

// entry is one name of an allowlist, with its place.
type entry struct{ text, at string }

func (r *requestReader) entries(value json.RawMessage, at string) (list []entry) {
	if isText(value) && !strings.HasPrefix(strings.TrimSpace(textOf(value)), "[") {
		r.note("%s was text: the names in it are taken", at)
		for name := range strings.SplitSeq(textOf(value), ",") {
			if name = strings.TrimSpace(name); name != "" {
				list = append(list, entry{name, at})
			}
		}
		return list
	}
	items, ok := r.want('[', value, at)
	if !ok {
		return nil
	}
	for i, item := range itemsOf(items) {
		place := pointer(at, strconv.Itoa(i))
		if isText(item) {
			list = append(list, entry{textOf(item), place})
		} else {
			r.problems.add(place, "the APIs are "+strings.Join(apis, ", "), "this is %s where the name of an API belongs", describe(item))
		}
	}
	return list
}

// apiHint says what was meant, as far as one can tell.
func apiHint(name string) string {
	switch fold(strings.TrimSpace(name)) {
	case "fs", "readfile", "fs.readfile", "fsreadfile":
		return "write " + source.ReadFile
	case "fetch", "http", "https", "network":
		return "write " + source.Fetch
	case "crypto":
		return "write " + source.Crypto
	}
	return "the APIs are " + strings.Join(apis, ", ")
}

// limit reads a whole number; 0 when it is not there.
func (r *requestReader) limit(value json.RawMessage, at string, least, most int64) int64 {
	if value == nil {
		return 0
	}
	number, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || number < least || number > most {
		hint := fmt.Sprintf("give a whole number from %d to %d, or leave it out for what is configured", least, most)
		r.problems.add(at, hint, "%s is no such limit", shorten(string(value), shown))
		return 0
	}
	return number
}
