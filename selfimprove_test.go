package toolsmith_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/toolsmith"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/model/modeltest"
	"example.com/toolsmith/runtime/tool"
)

// improving is a world whose agents may adjust themselves, with a model that answers with the steps.
func improving(t *testing.T, change func(*toolsmith.Options), steps ...modeltest.Step) (*world, *modeltest.Server) {
	t.Helper()
	server := modeltest.Start(steps...)
	t.Cleanup(server.Close)
	w := open(t, "", approveAll, func(o *toolsmith.Options) {
		own := config.Model{Provider: "openai", BaseURL: server.URL + "/v1"}
		o.Config.Models.Manager, o.Config.Models.SelfEval = own, own
		o.Config.EmergentConfig.SelfImprovement.Enabled = true
		o.Getenv = server.Getenv
		o.Getenv = func(name string) string {
			if strings.HasPrefix(name, "TOOLSMITH_") {
				return ""
			}
			return server.Getenv(name)
		}
		if change != nil {
			change(o)
		}
	})
	return w, server
}

var selfTools = []string{"adapt_personality", "create_workflow", "manage_skills", "self_evaluate"}

func TestT121And243SelfImprovementTools(t *testing.T) {
	t.Parallel()
	listed := func(w *world) (names []string) {
		tools, err := w.Tools(t.Context(), ann)
		w.must(err)
		for _, f := range tools {
			if slices.Contains(selfTools, f.Name) {
				names = append(names, f.Name)
			}
		}
		return names
	}
	w, _ := improving(t, nil)
	if got := listed(w); !slices.Equal(got, selfTools) {
		t.Errorf("enabled: %v", got)
	}
	off := open(t, "", approveAll, nil)
	if got := listed(off); got != nil {
		t.Errorf("not enabled: %v", got)
	}
	_, err := off.call(ann, "adapt_personality", `{"trait":"openness","delta":0.1,"reasoning":"so"}`)
	off.wants("called all the same", err, tool.NotFound, "")
	_, err = off.Forge(t.Context(), ann, request(t, map[string]string{"name": `"adapt_personality"`}))
	off.wants("forged", err, tool.Collision, "")
}

func TestT122PersonalityThroughEvaluation(t *testing.T) {
	t.Parallel()
	w, _ := improving(t, func(o *toolsmith.Options) {
		o.Config.EmergentConfig.SelfImprovement.Personality.PersistWithDecay = false
	})
	_, err := w.call(ann, "self_evaluate", `{"action":"adjust","param":"personality","value":{"trait":"openness","delta":0.1},"reasoning":"so"}`)
	w.must(err)
	traits, err := w.Personality().Traits(t.Context(), ann)
	if err != nil || fmt.Sprintf("%.2f", traits["openness"]) != "0.60" {
		t.Errorf("%v %v", traits, err)
	}
}

func TestT244And245Workflows(t *testing.T) {
	t.Parallel()
	w, _ := improving(t, nil)
	made, err := w.call(ann, "create_workflow", `{"action":"create","name":"greet","description":"Greets.","steps":[
		{"tool":"text_template","args":{"template":"Hello {{name}}","values":{"name":"$input.name"}}},
		{"tool":"text_template","args":{"template":"{{text}}!","values":{"text":"$prev.text"}}}]}`)
	w.must(err)
	var workflow struct{ WorkflowID string }
	w.must(json.Unmarshal([]byte(made), &workflow))
	got, err := w.call(ann, "create_workflow", fmt.Sprintf(`{"action":"run","workflowId":%q,"input":{"name":"Ada"}}`, workflow.WorkflowID))
	if err != nil || !strings.Contains(got, `"finalOutput":{"text":"Hello Ada!"}`) {
		t.Errorf("%s %v", got, err)
	}
	bob := tool.Caller{Tenant: "acme", Persona: "bob", Session: "1"}
	if got, err := w.call(bob, "create_workflow", `{"action":"list"}`); err != nil || strings.Contains(got, "greet") {
		t.Errorf("another persona: %s %v", got, err)
	}
}

// What a persona has become reaches its own model calls, and nobody else's.
func TestSelfReachesModelCalls(t *testing.T) {
	t.Parallel()
	w, server := improving(t, func(o *toolsmith.Options) {
		o.Config.EmergentConfig.SelfImprovement.Personality.MaxDeltaPerSession = 0.3
		o.Config.EmergentConfig.SelfImprovement.SelfEval.ApplyToSession = true
		o.Config.Personas = map[string]config.Persona{"ann": {Instructions: "You are Ann.", Traits: map[string]float64{"openness": 0.5}}}
	}, modeltest.Text("one"), modeltest.Text("two"))
	_, err := w.call(ann, "adapt_personality", `{"trait":"openness","delta":0.3,"reasoning":"it was asked for"}`)
	w.must(err)
	_, err = w.call(ann, "self_evaluate", `{"action":"adjust","param":"temperature","value":0.2,"reasoning":"so"}`)
	w.must(err)
	_, err = w.call(ann, "generate_text", `{"prompt":"say something"}`)
	w.must(err)
	bob := tool.Caller{Tenant: "acme", Persona: "bob", Session: "1"}
	_, err = w.call(bob, "generate_text", `{"prompt":"say something"}`)
	w.must(err)
	directives, err := w.Personality().Directives(t.Context(), ann)
	if err != nil || len(directives) != 1 {
		t.Fatalf("%v %v", directives, err)
	}
	seen := server.Seen()
	anns, bobs := string(seen[0].Body), string(seen[1].Body)
	for _, part := range []string{"You are Ann.", directives[0], `"temperature":0.2`} {
		if !strings.Contains(anns, part) || strings.Contains(bobs, part) {
			t.Errorf("%q is not in ann's call alone:\n%s\n%s", part, anns, bobs)
		}
	}
}

// Two tenants and three personas adjust themselves at once: nobody changes or sees what is another's.
func TestManyAdjustThemselves(t *testing.T) {
	t.Parallel()
	w, _ := improving(t, nil)
	callers := []tool.Caller{{Tenant: "acme", Persona: "a", Session: "1"}, {Tenant: "acme", Persona: "b", Session: "1"}, {Tenant: "other", Persona: "a", Session: "1"}}
	var all sync.WaitGroup
	for i, c := range callers {
		all.Go(func() {
			for range 4 {
				_, err := w.call(c, "adapt_personality", fmt.Sprintf(`{"trait":"openness","delta":%g,"reasoning":"so"}`, 0.01*float64(i+1)))
				if err != nil {
					t.Error(err)
				}
				if _, err := w.call(c, "create_workflow", fmt.Sprintf(`{"action":"create","name":"mine_%d","description":"d","steps":[{"tool":"text_template","args":{"template":"x","values":{}}}]}`, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for i, c := range callers {
		traits, err := w.Personality().Traits(context.Background(), c)
		if want := 0.5 + 0.04*float64(i+1); err != nil || traits["openness"] < want-1e-9 || traits["openness"] > want+1e-9 {
			t.Errorf("%v: %v, want %g; %v", c, traits["openness"], want, err)
		}
		got, err := w.call(c, "create_workflow", `{"action":"list"}`)
		if err != nil || strings.Count(got, fmt.Sprintf(`"mine_%d"`, i)) != 4 || strings.Count(got, `"mine_`) != 4 {
			t.Errorf("%v: %s %v", c, got, err)
		}
	}
}
