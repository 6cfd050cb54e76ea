package telemetry

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// doc is a file of the documentation.
func doc(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// all makes a Telemetry that has been told of everything that there is to tell of.
func all(t *testing.T) (tel *Telemetry, spans map[string][]string) {
	t.Helper()
	tel, recorder := recorded(t)
	if err := tel.Engine(func() wasmjs.EngineStats { return wasmjs.EngineStats{} }); err != nil {
		t.Fatal(err)
	}
	if err := tel.Disk(func() (uint64, error) { return 0, nil }); err != nil {
		t.Fatal(err)
	}
	told(t, tel)
	_, called := tel.call(t.Context(), tool.Caller{}, "nothing")
	called(&runtime.CallResult{}, &tool.Error{Code: tool.OverQuota, Limit: "concurrentCalls"})
	tel.metrics.hostCalls.Add(t.Context(), 1, with(label("api", "fetch"), label("outcome", ok)))
	_, forged := tel.forge(t.Context(), tool.Caller{})
	forged(&forge.Result{}, tool.Rejected)
	_, answered := tel.model(t.Context(), "judge")
	answered(model.Reply{}, tool.Timeout)
	asked(t, tel, []string{"/mcp"}, [][2]string{{"POST", "/mcp"}, {"MINE", "/nowhere"}})

	spans = map[string][]string{}
	for _, span := range recorder.Ended() {
		kind, _, _ := strings.Cut(span.Name(), " ")
		if span.SpanKind() == trace.SpanKindServer {
			kind = "METHOD"
		}
		for _, a := range span.Attributes() {
			spans[kind] = append(spans[kind], string(a.Key))
		}
	}
	return tel, sets(spans)
}

// sets orders the names of each, and has each once.
func sets(of map[string][]string) map[string][]string {
	for key, names := range of {
		slices.Sort(names)
		of[key] = slices.Compact(names)
	}
	return of
}

// The guide lists the spans that there are, each with the attributes that it may have, and no others.
func TestDocumentedSpans(t *testing.T) {
	t.Parallel()
	_, there := all(t)
	guide := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-zA-Z]\\w+)( [A-Z]+)?` \\| (`.*) \\|$").FindAllStringSubmatch(doc(t, "observability.md"), -1) {
		guide[row[1]] = strings.Split(strings.ReplaceAll(row[3], "`", ""), ", ")
	}
	if guide = sets(guide); !reflect.DeepEqual(guide, there) {
		t.Errorf("the guide has\n%v\nand there are\n%v", guide, there)
	}
}

// families returns the metrics of toolsmith's own that are served, with their labels.
func families(t *testing.T, tel *Telemetry) map[string][]string {
	t.Helper()
	list, err := tel.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	there := map[string][]string{}
	for _, family := range list {
		if strings.HasPrefix(family.GetName(), "go_") || strings.HasPrefix(family.GetName(), "process_") {
			continue
		}
		there[family.GetName()] = nil
		for _, m := range family.GetMetric() {
			for _, l := range m.GetLabel() {
				there[family.GetName()] = append(there[family.GetName()], l.GetName())
			}
		}
	}
	return sets(there)
}

// The guide lists the metrics that there are, each with its labels, and no others; the dashboard shows all of them.
func TestDocumentedMetrics(t *testing.T) {
	t.Parallel()
	tel, _ := all(t)
	there := families(t, tel)
	guide := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(toolsmith_\\w+)(?:\\{(.+)\\})?` \\|").FindAllStringSubmatch(doc(t, "observability.md"), -1) {
		guide[row[1]] = nil
		if row[2] != "" {
			guide[row[1]] = strings.Split(row[2], ",")
		}
	}
	if guide = sets(guide); !reflect.DeepEqual(guide, there) {
		t.Errorf("the guide has\n%v\nand there are\n%v", guide, there)
	}
	shown := panels(t)
	if want := slices.Sorted(maps.Keys(there)); !slices.Equal(shown, want) {
		t.Errorf("the dashboard shows\n%v\nand there are\n%v", shown, want)
	}
}

// panels returns the metrics that stand in the queries of the dashboard. No panel lies on another, and no two have one id.
func panels(t *testing.T) (names []string) {
	t.Helper()
	var board struct {
		Panels []struct {
			ID      int
			GridPos struct{ X, Y int }
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(doc(t, "grafana.json")), &board); err != nil {
		t.Fatal(err)
	}
	ids, places := map[int]bool{}, map[struct{ X, Y int }]bool{}
	for _, p := range board.Panels {
		if ids[p.ID] || places[p.GridPos] {
			t.Errorf("panel %d stands where another does, or is called as it is", p.ID)
		}
		ids[p.ID], places[p.GridPos] = true, true
		for _, target := range p.Targets {
			for _, name := range regexp.MustCompile(`toolsmith_\w+`).FindAllString(target.Expr, -1) {
				names = append(names, regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(name, ""))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// The guide says what the tiers of calls are that are no tier of a forged tool.
func TestDocumentedTiers(t *testing.T) {
	t.Parallel()
	_, row, _ := strings.Cut(doc(t, "observability.md"), "`toolsmith_tool_calls_total{")
	row, _, _ = strings.Cut(row, "\n")
	for _, tier := range []string{tierOf(runtime.Face{}), tierOf(runtime.Face{Name: "x"})} {
		if !strings.Contains(row, "`"+tier+"`") {
			t.Errorf("the guide does not say what the tier %s is: %s", tier, row)
		}
	}
}
