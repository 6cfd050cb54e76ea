package tiers_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

func TestT199And200TiersSeeTheirOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	one := w.put(ann1, "one", "1")
	two := w.promote(w.put(ann1, "two", "2").ID, tool.AgentTier, "eve")
	for _, c := range []struct {
		by       tool.Actor
		one, two string
	}{
		{ann1, "v1 session", "v1 agent"},
		{ann10, "none", "v1 agent"},
		{bob1, "none", "none"},
		{tool.Actor{Caller: tool.Caller{Tenant: "other", Persona: "ann", Session: "1"}}, "none", "none"},
	} {
		if got := [2]string{w.found(c.by, "one"), w.found(c.by, "two")}; got != [2]string{c.one, c.two} {
			t.Errorf("%v sees %v", c.by, got)
		}
	}
	for tier, want := range map[tool.Tier]string{tool.SessionTier: one.ID, tool.AgentTier: two.ID} {
		list, err := w.List(t.Context(), "acme", tiers.Filter{Tier: tier})
		if err != nil || len(list) != 1 || list[0].ID != want {
			t.Errorf("%s: %v, %v", tier, list, err)
		}
	}
}

func TestT201To204UsesAreCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	id := w.put(ann1, "one", "1").ID
	if c := w.get(id).UsageStats.ConfidenceScore; c != 0.9 {
		t.Errorf("before the first use the confidence is %v", c)
	}
	for success, want := range map[bool][3]int{true: {1, 1, 0}, false: {1, 0, 1}} {
		other := w.put(ann1, fmt.Sprint("once_", success), "1").ID
		w.use(other, success)
		if u := w.get(other).UsageStats; [3]int{u.TotalUses, u.SuccessCount, u.FailureCount} != want {
			t.Errorf("success %v: %+v", success, u)
		}
	}
	for i, took := range []time.Duration{40 * time.Millisecond, 60 * time.Millisecond, 200 * time.Millisecond, 100 * time.Millisecond} {
		w.must(w.RecordUse(t.Context(), "acme", id, tool.Use{Success: i != 1, Duration: took, At: w.clock()}))
	}
	w.must(w.Settle(t.Context()))
	u := w.get(id).UsageStats
	if u.TotalUses != 4 || u.SuccessCount != 3 || u.FailureCount != 1 || u.AvgExecutionTimeMs != 100 || u.ConfidenceScore != 0.75 || u.LastUsedAt == nil {
		t.Errorf("got %+v", u)
	}
	if c := w.get(id).JudgeConfidence; c != 0.9 {
		t.Errorf("the judge's confidence became %v", c)
	}
}

func TestT206SessionEndsExactly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	w.put(ann1, "a", "1")
	w.put(ann1, "a", "2") // a second version goes with the first
	w.put(ann1, "b", "1")
	w.promote(w.put(ann1, "up", "1").ID, tool.AgentTier, "eve")
	w.put(ann10, "a", "1")
	w.put(bob1, "a", "1")
	gone, err := w.EndSession(t.Context(), ann1, ann1.Caller)
	if err != nil || len(gone) != 2 {
		t.Fatalf("%d gone, %v", len(gone), err)
	}
	list, err := w.List(t.Context(), "acme", tiers.Filter{History: true})
	if err != nil || len(list) != 3 {
		t.Errorf("%d are left, %v", len(list), err)
	}
	if k := w.kinds(gone[0].ID); !slices.Contains(k, tool.CleanedUp) {
		t.Errorf("the audit log says %v", k)
	}
	if again, err := w.EndSession(t.Context(), ann1, ann1.Caller); err != nil || len(again) != 0 {
		t.Errorf("ended twice: %v, %v", again, err)
	}
}

func TestIdleSessionsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	w.put(ann1, "a", "1")
	w.put(bob1, "a", "1")
	w.pass(23 * time.Hour)
	w.must(w.Touch(t.Context(), bob1.Caller))
	w.pass(2 * time.Hour)
	w.must(w.Tend(t.Context()))
	if a, b := w.found(ann1, "a"), w.found(bob1, "a"); a != "none" || b != "v1 session" {
		t.Errorf("idle: %s, in use: %s", a, b)
	}
	if list, err := w.Sessions(t.Context(), "acme"); err != nil || len(list) != 1 || list[0].Persona != "bob" {
		t.Errorf("sessions: %v, %v", list, err)
	}
}

func TestT207And217Caps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{Rules: tiers.Rules{MaxSessionTools: 2, MaxAgentTools: 1}})
	a := w.put(ann1, "a", "1")
	b := w.put(ann1, "b", "1")
	_, err := w.Put(t.Context(), ann1, draft("c", "1"))
	w.wants(tool.Limit, err)
	if !strings.Contains(err.Error(), "Session tool limit reached") {
		t.Error(err)
	}
	w.put(ann1, "a", "2") // a new version needs no room
	w.put(ann10, "c", "1")
	w.promote(b.ID, tool.AgentTier, "eve")
	c := w.put(ann1, "c", "1")
	_, err = w.Promote(t.Context(), boss, c.ID, tool.Promotion{To: tool.AgentTier, ApprovedBy: "eve"})
	w.wants(tool.Limit, err)
	if !strings.Contains(err.Error(), "Agent tool limit reached") {
		t.Error(err)
	}
	_, err = w.Promote(t.Context(), boss, a.ID, tool.Promotion{To: tool.AgentTier, ApprovedBy: "eve"})
	w.wants(tool.Inactive, err) // version 2 has taken its place
}

func TestT208DemotedToolsAreNotCallable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{})
	id := w.put(ann1, "a", "1").ID
	w.use(id, true)
	r, err := w.Demote(t.Context(), boss, id, "slow")
	w.must(err)
	w.wants(tool.Inactive, r.Callable())
	w.use(id, true)
	w.restart(nil)
	if r := w.get(id); r.IsActive || r.UsageStats.ConfidenceScore != 0 || r.Tier != tool.SessionTier {
		t.Errorf("got %+v", r)
	}
}

func TestT209PromotionTimeStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{})
	id := w.promote(w.put(ann1, "a", "1").ID, tool.AgentTier, "eve").ID
	at := *w.get(id).PromotedAt
	w.pass(time.Hour)
	w.use(id, true)
	w.restart(nil)
	if got := w.get(id); *got.PromotedAt != at || got.PromotedBy != "eve" {
		t.Errorf("promoted at %v by %s", got.PromotedAt, got.PromotedBy)
	}
}

func TestT210And211SourceAtRest(t *testing.T) {
	t.Parallel()
	const secret = "function execute() { return 'unmistakable' }"
	for way, want := range map[tiers.SourceAtRest]struct{ inRecord, onDisk, afterRestart bool }{
		tiers.Sealed:    {false, false, true},
		tiers.Plain:     {true, true, true},
		tiers.NotStored: {false, false, false},
	} {
		t.Run(string(way), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, t.TempDir(), tiers.Options{Source: way})
			r := w.put(ann1, "a", secret)
			if got := r.Implementation.Code == secret; got != want.inRecord || r.Implementation.Redacted == got {
				t.Errorf("the record holds %+v", r.Implementation)
			}
			whole, err := w.Implementation(t.Context(), "acme", r.ID)
			if hash, hashErr := whole.Hash(); err != nil || hashErr != nil || hash != r.SourceHash || whole.Code != secret {
				t.Errorf("the implementation is %+v, %v", whole, err)
			}
			w.restart(nil)
			w.must(w.Load(t.Context(), nil))
			if got := onDisk(t, w.dir, "unmistakable"); got != want.onDisk {
				t.Errorf("on disk: %v", got)
			}
			_, err = w.Implementation(t.Context(), "acme", r.ID)
			if s := w.get(r.ID).Suspended; (err == nil) != want.afterRestart || (s == nil) != want.afterRestart || (s != nil && s.Reason != tool.SourceMissing) {
				t.Errorf("after a restart: %v, %v", err, s)
			}
			if !want.afterRestart {
				_, err := w.Resume(t.Context(), boss, r.ID, tiers.Resumption{Code: "other"})
				w.wants(tool.Rejected, err)
				_, err = w.Resume(t.Context(), boss, r.ID, tiers.Resumption{})
				w.wants(tool.Unavailable, err)
				_, err = w.Resume(t.Context(), boss, r.ID, tiers.Resumption{Code: secret})
				w.must(err)
			}
		})
	}
}

func onDisk(t *testing.T, dir, text string) (found bool) {
	t.Helper()
	paths, _ := filepath.Glob(filepath.Join(dir, "store", "*"))
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found = found || bytes.Contains(content, []byte(text))
	}
	return found
}

func TestSourceKeyIsGuarded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{})
	path := filepath.Join(w.dir, "source.key")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	id := w.put(ann1, "a", "1").ID
	w.must(w.Close())
	w.must(os.Chmod(path, 0o644)) //nolint:gosec // G302: what must be refused
	_, err = tiers.Open(t.Context(), w.dir, tiers.StoreOptions{}, w.opt)
	w.wants(tool.Unavailable, err)
	key, err := os.ReadFile(path)
	w.must(err)
	w.must(os.Chmod(path, 0o600))
	w.must(os.WriteFile(path, key[:10], 0o600))
	_, err = tiers.Open(t.Context(), w.dir, tiers.StoreOptions{}, w.opt)
	w.wants(tool.Unavailable, err)
	if e := tool.AsError(err); !strings.Contains(e.Message, path) || strings.Contains(e.Hint, "openssl") {
		t.Errorf("a damaged key: %v, hint %q", e, e.Hint)
	}
	w.must(os.Remove(path))
	w.open()
	_, err = w.Implementation(t.Context(), "acme", id)
	w.wants(tool.Unavailable, err)

	w.put(ann1, "b", "1")
	for name, want := range map[string]int{string(key): 1, strings.Repeat("00", 32): 0} {
		k, err := tiers.ParseSourceKey(name)
		w.must(err)
		if sealed, opened, err := w.Sealed(t.Context(), k); sealed != 2 || opened != want || err != nil {
			t.Errorf("%d of %d are opened, %v", opened, sealed, err)
		}
	}
}

func TestT212AuditTellsTheStory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	id := w.put(ann1, "a", "1").ID
	other := w.put(ann1, "b", "1").ID
	w.use(id, true, true, false)
	w.pass(time.Minute)
	w.use(id, true)
	w.pass(time.Minute)
	w.must(w.Tend(t.Context()))
	_, err := w.Demote(t.Context(), boss, id, "slow")
	w.must(err)
	want := []tool.EventType{tool.Registered, tool.Used, tool.Used, tool.Demoted}
	if got := w.kinds(id); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := w.kinds(other); len(got) != 1 {
		t.Errorf("the other tool's: %v", got)
	}
	events, err := w.Audit(t.Context(), "acme", tiers.AuditQuery{ToolID: id})
	w.must(err)
	if got := string(events[1].Data); got != `{"executionTimeMs":30,"failureCount":1,"minute":29804160,"successCount":2,"uses":3}` {
		t.Errorf("the uses of a minute: %s", got)
	}
	if last := events[3]; last.Actor != "boss" || last.PersonaID != "ops" || string(last.Data) != `{"reason":"slow"}` {
		t.Errorf("the demotion: %+v", last)
	}
	if len(w.events) != 5 {
		t.Errorf("%d entries were watched", len(w.events))
	}
}

func TestT205And213And218PromotionRules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from tool.Tier
		p    tool.Promotion
		want tool.Code // "" is success
	}{
		"T-205 to agent by a person":           {tool.SessionTier, tool.Promotion{To: tool.AgentTier, ApprovedBy: "eve"}, ""},
		"to agent by the panel":                {tool.SessionTier, tool.Promotion{To: tool.AgentTier, Verdict: panel(true)}, ""},
		"to agent by nobody":                   {tool.SessionTier, tool.Promotion{To: tool.AgentTier}, tool.Rejected},
		"to agent by a refusal":                {tool.SessionTier, tool.Promotion{To: tool.AgentTier, Verdict: panel(false)}, tool.Rejected},
		"two tiers at once":                    {tool.SessionTier, tool.Promotion{To: tool.SharedTier, ApprovedBy: "eve", Verdict: panel(true)}, tool.InvalidRequest},
		"T-213 downwards":                      {tool.AgentTier, tool.Promotion{To: tool.SessionTier, ApprovedBy: "eve"}, tool.InvalidRequest},
		"to where it is":                       {tool.AgentTier, tool.Promotion{To: tool.AgentTier, ApprovedBy: "eve"}, tool.InvalidRequest},
		"to no tier":                           {tool.AgentTier, tool.Promotion{To: "world", ApprovedBy: "eve"}, tool.InvalidRequest},
		"T-218 to shared by both":              {tool.AgentTier, tool.Promotion{To: tool.SharedTier, ApprovedBy: "eve", Verdict: panel(true)}, ""},
		"to shared without a panel":            {tool.AgentTier, tool.Promotion{To: tool.SharedTier, ApprovedBy: "eve"}, tool.Rejected},
		"to shared without a person":           {tool.AgentTier, tool.Promotion{To: tool.SharedTier, Verdict: panel(true)}, tool.Rejected},
		"to shared by its own maker":           {tool.AgentTier, tool.Promotion{To: tool.SharedTier, ApprovedBy: "ann", Verdict: panel(true)}, tool.Rejected},
		"to shared by its own maker, shouting": {tool.AgentTier, tool.Promotion{To: tool.SharedTier, ApprovedBy: "ANN", Verdict: panel(true)}, tool.Rejected},
		"to shared by a space":                 {tool.AgentTier, tool.Promotion{To: tool.SharedTier, ApprovedBy: " ann", Verdict: panel(true)}, tool.InvalidRequest},
		"to agent by what does not print":      {tool.SessionTier, tool.Promotion{To: tool.AgentTier, ApprovedBy: "\x1b[31m evil\nname"}, tool.InvalidRequest},
		"the panel is the maker":               {tool.AgentTier, tool.Promotion{To: tool.SharedTier, ApprovedBy: "eve", Verdict: person("Ann")}, tool.Rejected},
		"the panel is the approver":            {tool.AgentTier, tool.Promotion{To: tool.SharedTier, ApprovedBy: "eve", Verdict: person("Eve")}, tool.Rejected},
		"the panel is a third":                 {tool.AgentTier, tool.Promotion{To: tool.SharedTier, ApprovedBy: "eve", Verdict: person("joe")}, ""},
		"approved was something else":          {tool.SessionTier, tool.Promotion{To: tool.AgentTier, ApprovedBy: "eve", SourceHash: "00"}, tool.Rejected},
		"judged was something else": {
			tool.SessionTier,
			tool.Promotion{To: tool.AgentTier, Verdict: &tool.PromotionVerdict{Approved: true, Confidence: 1, SourceHash: "00"}},
			tool.Rejected,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "", tiers.Options{})
			r := w.put(ann1, "a", "1")
			if c.from == tool.AgentTier {
				w.promote(r.ID, tool.AgentTier, "eve")
			}
			risen, err := w.Promote(t.Context(), boss, r.ID, c.p)
			if c.want != "" {
				w.wants(c.want, err)
				if strings.HasPrefix(name, "T-213") && !strings.Contains(err.Error(), "target tier must be strictly higher") {
					t.Error(err)
				}
				if got := w.get(r.ID).Tier; got != c.from {
					t.Errorf("it is of the %s tier now", got)
				}
				return
			}
			w.must(err)
			last := risen.Approvals[len(risen.Approvals)-1]
			if risen.Tier != c.p.To || last.SourceHash != r.SourceHash || last.By != c.p.ApprovedBy {
				t.Errorf("got %+v", risen)
			}
		})
	}
}

// person is the verdict of one who was the panel.
func person(name string) *tool.PromotionVerdict {
	v := panel(true)
	v.JudgeModel = tool.JudgedByPerson + name
	return v
}

func TestT214To216Ids(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	d := draft("a", "1")
	d.ID = "mine"
	_, err := w.Put(t.Context(), ann1, d)
	w.must(err)
	d.Name = "b"
	_, err = w.Put(t.Context(), ann1, d)
	w.wants(tool.Collision, err)
	if !strings.Contains(err.Error(), "already registered") {
		t.Error(err)
	}
	w.wants(tool.NotFound, w.RecordUse(t.Context(), "acme", "nothing", tool.Use{}))
	_, err = w.Get(t.Context(), "acme", "nothing")
	w.wants(tool.NotFound, err)
}

func TestNamesCollide(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{Reserved: func(name string) bool { return name == "http_request" }})
	_, err := w.Put(t.Context(), ann1, draft("http_request", "1"))
	w.wants(tool.Collision, err)
	shared := w.put(ann1, "a", "1").ID
	w.promote(shared, tool.AgentTier, "eve")
	bobs := w.put(bob1, "a", "1").ID // he does not see hers
	w.promote(shared, tool.SharedTier, "eve")
	_, err = w.Put(t.Context(), as("cy", "1"), draft("a", "1"))
	w.wants(tool.Collision, err)
	_, err = w.Promote(t.Context(), boss, bobs, tool.Promotion{To: tool.AgentTier, ApprovedBy: "eve"})
	w.wants(tool.Collision, err)
	for _, name := range []string{"", "1a", "a b", "ä", "a/b", strings.Repeat("a", 201)} {
		_, err := w.Put(t.Context(), ann1, draft(name, "1"))
		w.wants(tool.InvalidRequest, err)
	}
}

// Names that differ in case or hyphens only do not stand side by side.
func TestNamesTooMuchAlike(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	w.put(ann1, "csv_parse", "1")
	for name, free := range map[string]bool{"csv_parse": true, "Csv_Parse": false, "csv-parse": false, "csvparse": true} {
		_, err := w.NameIsFree(t.Context(), ann1.Caller, name)
		if free != (err == nil) || err != nil && !errors.Is(err, tool.Collision) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := w.Put(t.Context(), ann1, draft("CSV-Parse", "1"))
	w.wants(tool.Collision, err)
	_, err = w.Find(t.Context(), ann1.Caller, "CSV-Parse")
	w.wants(tool.NotFound, err)
	_, err = w.NameIsFree(t.Context(), bob1.Caller, "Csv_Parse")
	w.must(err)
}

// What Check says holds of the session as it is when the tool is registered.
func TestChecksAreAskedAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by    tool.Actor // of what comes between
		name  string     // of that
		times int        // that the draft is checked
		want  string     // who is found by the draft's name
	}{
		"another tool":             {ann1, "other", 2, "v2 session"},
		"the next version":         {ann1, "a", 2, "v3 session"},
		"a tool of another's":      {bob1, "a", 1, "v2 session"},
		"of another of ones own":   {ann10, "a", 1, "v2 session"},
		"nothing comes in between": {times: 1, want: "v2 session"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "", tiers.Options{})
			w.put(ann1, "a", "1")
			asked := 0
			d := draft("a", "2")
			d.Check = func(ctx context.Context) (err error) {
				if asked++; asked == 1 && c.name != "" {
					_, err = w.Put(ctx, c.by, draft(c.name, "between"))
				}
				return err
			}
			_, err := w.Put(t.Context(), ann1, d)
			w.must(err)
			if got := w.found(ann1, "a"); asked != c.times || got != c.want {
				t.Errorf("checked %d times, found %s", asked, got)
			}
		})
	}
}

// Of two that check at once whether there is a tool yet, one finds none: also where each has a shelf of its own.
func TestOneOfTwoIsRegistered(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{"one shelf": "", "two shelves of a directory": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, dir, tiers.Options{})
			shelves := []*tiers.Shelf{w.Shelf, w.Shelf}
			if dir != "" {
				shelves[1] = newWorld(t, dir, tiers.Options{}).Shelf
			}
			var first, both sync.WaitGroup
			first.Add(len(shelves))
			failed := make([]error, len(shelves))
			for i, shelf := range shelves {
				both.Go(func() {
					asked := false
					d := draft(fmt.Sprintf("tool_%d", i), "1")
					d.Check = func(ctx context.Context) error {
						list, err := shelf.Visible(ctx, ann1.Caller)
						if !asked {
							asked = true
							first.Done()
							first.Wait()
						}
						if err == nil && len(list) > 0 {
							err = &tool.Error{Code: tool.Collision, Message: "there is one"}
						}
						return err
					}
					_, failed[i] = shelf.Put(context.Background(), ann1, d)
				})
			}
			both.Wait()
			list, err := w.Visible(t.Context(), ann1.Caller)
			w.must(err)
			if len(list) != 1 || !errors.Is(errors.Join(failed...), tool.Collision) || failed[0] != nil && failed[1] != nil {
				t.Errorf("registered %d, and %v", len(list), failed)
			}
		})
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	v1 := w.promote(w.put(ann1, "a", "one").ID, tool.AgentTier, "eve")
	v2 := w.put(ann1, "a", "two")
	if got := [2]string{w.found(ann1, "a"), w.found(ann10, "a")}; got != [2]string{"v2 session", "v1 agent"} {
		t.Fatalf("before its promotion: %v", got)
	}
	rival := w.put(ann10, "a", "three")
	w.promote(v2.ID, tool.AgentTier, "eve")
	if got := w.found(ann1, "a"); got != "v2 agent" {
		t.Fatalf("after its promotion: %s", got)
	}
	_, err := w.Promote(t.Context(), boss, rival.ID, tool.Promotion{To: tool.AgentTier, ApprovedBy: "eve"})
	w.wants(tool.Collision, err)
	v3, err := w.Revert(t.Context(), boss, v2.ID, v1.ID)
	w.must(err)
	whole, err := w.Implementation(t.Context(), "acme", v3.ID)
	if err != nil || whole.Code != "one" || v3.Version != 3 || v3.SourceHash != v1.SourceHash || w.found(bob1, "a") != "none" || w.found(as("ann", "2"), "a") != "v3 agent" {
		t.Errorf("reverted to %+v, %v", v3, err)
	}
	diff, err := w.Diff(t.Context(), "acme", v2.ID, v3.ID)
	if err != nil || len(diff) != 1 || diff[0] != (tiers.Difference{Part: "implementation/code", From: "two", To: "one"}) {
		t.Errorf("the difference is %v, %v", diff, err)
	}
	history, err := w.History(t.Context(), "acme", v3.ID)
	if err != nil || len(history) != 3 {
		t.Errorf("%d versions, %v", len(history), err)
	}
	_, err = w.Revert(t.Context(), boss, v3.ID, rival.ID)
	w.wants(tool.InvalidRequest, err)
	w.must(w.Remove(t.Context(), boss, v3.ID))
	if got := w.found(as("ann", "2"), "a"); got != "none" {
		t.Errorf("removed, it is %s", got)
	}
}

func TestRevertTakesApproval(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	v1 := w.put(ann1, "a", "one")
	v2 := w.promote(w.put(ann1, "a", "two").ID, tool.AgentTier, "eve")
	_, err := w.Revert(t.Context(), boss, v2.ID, v1.ID)
	w.wants(tool.Rejected, err)
}

func TestPanelIsAskedRarely(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{Rules: tiers.Rules{MaxFailuresInARow: 100}})
	id := w.put(ann1, "a", "1").ID
	due := func() bool {
		is, _, err := w.Due(t.Context(), "acme", id)
		w.must(err)
		return is
	}
	var asked []int
	for uses := range 60 {
		if due() {
			asked = append(asked, uses)
			_, err := w.RejectPromotion(t.Context(), boss, id, *panel(false))
			w.must(err)
		}
		w.use(id, uses%2 == 0)
	}
	if got := fmt.Sprint(asked); got != "[5 10 20]" {
		t.Errorf("the panel was asked after %s uses", got)
	}
}

func TestFailuresSuspend(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{Rules: tiers.Rules{MaxFailuresInARow: 3}})
	id := w.put(ann1, "a", "1").ID
	w.use(id, false, false, true, false, false)
	w.must(w.get(id).Callable())
	w.use(id, false)
	w.wants(tool.Suspended, w.get(id).Callable())
	r, err := w.Resume(t.Context(), boss, id, tiers.Resumption{})
	w.must(err)
	w.must(r.Callable())
	_, err = w.Suspend(t.Context(), boss, id, tool.ByAdmin)
	w.must(err)
	w.wants(tool.Suspended, w.get(id).Callable())
}

func TestLoading(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{})
	old := as("gmi-instance-7f0c2b1e-3f3e-4b57-9a54-0f4d3c1d2a90", "1")
	legacy := w.promote(w.put(old, "legacy", "1").ID, tool.AgentTier, "eve").ID
	d := draft("pipeline", "")
	d.Implementation = tool.Implementation{Mode: tool.ComposeMode, Steps: []tool.Step{{Name: "s", Tool: "json_query"}, {Name: "t", Tool: "a"}}}
	a := w.put(ann1, "a", "1").ID
	w.pass(time.Second)
	made, err := w.Put(t.Context(), ann1, d)
	w.must(err)
	w.promote(a, tool.AgentTier, "eve")
	w.promote(made.ID, tool.AgentTier, "eve")
	session := w.put(ann1, "kept", "1").ID

	reason := func(id string) tool.SuspendReason {
		if s := w.get(id).Suspended; s != nil {
			return s.Reason
		}
		return ""
	}
	for _, c := range []struct {
		has    bool
		cap    int
		legacy tool.SuspendReason
		made   tool.SuspendReason
	}{
		{true, 50, tool.LegacyOwner, ""},
		{false, 50, tool.LegacyOwner, tool.MissingTool},
		{true, 50, tool.LegacyOwner, ""},
		{true, 1, tool.LegacyOwner, tool.OverCap},
		{true, 50, tool.LegacyOwner, ""},
	} {
		w.restart(func(o *tiers.Options) { o.Rules.MaxAgentTools = c.cap })
		w.must(w.Load(t.Context(), func(string) bool { return c.has }))
		if l, m := reason(legacy), reason(made.ID); l != c.legacy || m != c.made || reason(a) != "" || reason(session) != "" {
			t.Errorf("%+v: %q and %q", c, l, m)
		}
	}
	_, err = w.Resume(t.Context(), boss, legacy, tiers.Resumption{})
	w.wants(tool.Suspended, err)
	_, err = w.Resume(t.Context(), boss, legacy, tiers.Resumption{Owner: "bob"})
	w.must(err)
	if got := w.found(bob1, "legacy"); got != "v1 agent" {
		t.Errorf("the new owner sees %s", got)
	}
}

func TestPutRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	rejected := draft("a", "1")
	rejected.Verdict.Approved = false
	foreign := draft("a", "1")
	foreign.Verdict.SourceHash = "00"
	for _, d := range []tool.Draft{rejected, foreign} {
		_, err := w.Put(t.Context(), ann1, d)
		w.wants(tool.Rejected, err)
	}
	_, err := w.Put(t.Context(), as("", "1"), draft("a", "1"))
	w.wants(tool.InvalidRequest, err)
}

func TestBackupCarriesEverything(t *testing.T) {
	t.Parallel()
	key := bytes.Repeat([]byte("k"), 32)
	w := newWorld(t, t.TempDir(), tiers.Options{SourceKey: key})
	id := w.promote(w.put(ann1, "a", "the code").ID, tool.AgentTier, "eve").ID
	var backup bytes.Buffer
	w.must(tiers.Backup(t.Context(), w.Store(), &backup))
	dir := t.TempDir()
	w.must(tiers.RestoreDir(t.Context(), dir, tiers.StoreOptions{}, &backup))
	restored := newWorld(t, dir, tiers.Options{SourceKey: key})
	whole, err := restored.Implementation(t.Context(), "acme", id)
	if err != nil || whole.Code != "the code" || restored.found(ann10, "a") != "v1 agent" {
		t.Errorf("got %+v, %v", whole, err)
	}
	before, err := w.Verify(t.Context(), "acme")
	w.must(err)
	after, err := restored.Verify(t.Context(), "acme")
	if err != nil || before != after {
		t.Errorf("the chain is %+v, was %+v, %v", after, before, err)
	}
}

func TestUsesOfManyTenants(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	ids := map[string]string{}
	for _, tenant := range []string{"a", "b", "c"} {
		by := tool.Actor{Caller: tool.Caller{Tenant: tenant, Persona: "p", Session: "s"}}
		ids[tenant] = w.put(by, "x", tenant).ID
		w.put(by, "y", tenant)
	}
	for tenant, id := range ids {
		w.must(w.RecordUse(t.Context(), tenant, id, tool.Use{Success: true, At: w.clock()}))
	}
	w.must(w.Settle(t.Context()))
	for tenant, id := range ids {
		if r, err := w.Get(t.Context(), tenant, id); err != nil || r.UsageStats.TotalUses != 1 {
			t.Errorf("%s: %+v, %v", tenant, r, err)
		}
	}
}
