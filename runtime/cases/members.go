package cases

import (
	"slices"
	"strconv"
	"time"

	"example.com/toolsmith/runtime/match"
)

// setter puts the value of one member into a case.
type setter func(f file, c *Case, m member) error

// All the members there are.
var (
	caseMembers = map[string]setter{
		"id":        func(f file, c *Case, m member) error { return f.str(m, &c.ID) },
		"class":     func(f file, c *Case, m member) error { return f.str(m, &c.Class) },
		"why":       func(f file, c *Case, m member) error { return f.str(m, &c.Why) },
		"source":    func(f file, c *Case, m member) error { return f.str(m, &c.Source) },
		"input":     func(_ file, c *Case, m member) error { c.Input = m.value; return nil },
		"allowlist": file.allowlist,
		"limits":    func(f file, c *Case, m member) error { return f.object(c, m, limitMembers) },
		"policy":    func(f file, c *Case, m member) error { return f.object(c, m, policyMembers) },
		"expect":    file.expect,
		"expectAny": func(f file, c *Case, m member) error { return f.each(c, m, file.alsoExpect) },
		"output":    func(_ file, c *Case, m member) error { c.Outputs = append(c.Outputs, m.value); return nil },
		"outputAny": func(f file, c *Case, m member) error { return f.each(c, m, file.alsoOutput) },
	}
	limitMembers = map[string]setter{
		"timeoutMs": func(f file, c *Case, m member) error { return count(f, m, time.Millisecond, &c.Limits.Timeout) },
		"fuel":      func(f file, c *Case, m member) error { return count(f, m, 1, &c.Limits.Fuel) },
		"memoryMB":  func(f file, c *Case, m member) error { return count(f, m, 1<<20, &c.Limits.MemoryBytes) },
	}
	policyMembers = map[string]setter{
		"allowHosts": func(f file, c *Case, m member) error { return f.strs(m, &c.Policy.AllowHosts) },
		"readRoots":  func(f file, c *Case, m member) error { return f.strs(m, &c.Policy.ReadRoots) },
	}
)

// apis are what an allowlist can name.
var apis = []string{"fetch", "fs.readFile", "crypto"}

func (f file) allowlist(c *Case, m member) error {
	if err := f.strs(m, &c.Allow); err != nil {
		return err
	}
	for _, name := range c.Allow {
		if !slices.Contains(apis, name) {
			return f.hint(m.valueAt, "the APIs are fetch, fs.readFile and crypto", "there is no API %q", name)
		}
	}
	return nil
}

// expect puts the best outcome first, whatever the order of the members.
func (f file) expect(c *Case, m member) error {
	outcome, err := f.outcome(m)
	c.Expect = append([]Outcome{outcome}, c.Expect...)
	return err
}

func (f file) alsoExpect(c *Case, m member) error {
	outcome, err := f.outcome(m)
	c.Expect = append(c.Expect, outcome)
	return err
}

func (f file) alsoOutput(c *Case, m member) error {
	if string(m.value) == `"*"` {
		c.AnyOK = true
		return nil
	}
	c.Outputs = append(c.Outputs, m.value)
	return nil
}

func (f file) outcome(m member) (Outcome, error) {
	var text string
	if err := f.str(m, &text); err != nil {
		return "", err
	}
	outcome := Outcome(text)
	if !outcome.known() {
		return "", f.hint(m.valueAt, `say "ok", or "error:" and one of the codes `+codeList(), "%q is no outcome", text)
	}
	return outcome, nil
}

// object fills c from an object within it.
func (f file) object(c *Case, m member, known map[string]setter) error {
	if m.value[0] != '{' {
		return f.errorf(m.valueAt, "%q must be an object", m.name)
	}
	return f.fill(c, known, f.members(m))
}

// each calls set for each element of a list.
func (f file) each(c *Case, m member, set setter) error {
	if m.value[0] != '[' {
		return f.errorf(m.valueAt, "%q must be a list", m.name)
	}
	for _, element := range f.members(m) {
		element.name = m.name
		if err := set(f, c, element); err != nil {
			return err
		}
	}
	return nil
}

func (f file) str(m member, to *string) error {
	if m.value[0] != '"' {
		return f.errorf(m.valueAt, "%q must be text", m.name)
	}
	*to = match.Text(m.value)
	return nil
}

func (f file) strs(m member, to *[]string) error {
	return f.each(nil, m, func(f file, _ *Case, m member) error {
		*to = append(*to, "")
		return f.str(m, &(*to)[len(*to)-1])
	})
}

// count reads a whole number of 1 or more, in the given unit.
func count[T ~int64 | ~uint64](f file, m member, unit T, to *T) error {
	n, err := strconv.ParseUint(string(m.value), 10, 40)
	if err != nil || n == 0 {
		return f.hint(m.valueAt, "leave it out for the default; nothing is unlimited", "%q must be a whole number of 1 or more", m.name)
	}
	*to = T(n) * unit
	return nil
}
