package forge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/toolsmith/forge"
)

func TestReadsRequestsInEnvelopes(t *testing.T) {
	t.Parallel()
	want := mustRead(t, arguments())
	for text, at := range map[string]string{
		`{"tool":` + arguments() + `}`:                                                        "/tool",
		`{"request":` + arguments() + `,"type":"x"}`:                                          "/request",
		`{"arguments":` + quoted(arguments()) + `}`:                                           "/arguments",
		`{"function":{"arguments":` + arguments() + `}}`:                                      "/function/arguments",
		`{"id":"1","function":{"name":"forge_tool","arguments":` + quoted(arguments()) + `}}`: "/function/arguments",
		`{"type":"tool_use","name":"forge_tool","input":` + arguments() + `}`:                 "/input",
	} {
		r := mustRead(t, text)
		if diff := cmp.Diff(want, r, cmpopts.IgnoreFields(forge.Request{}, "Notes")); diff != "" {
			t.Errorf("%.80s: (-want +got)\n%s", text, diff)
		}
		if note := at + " is read as the request"; !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, note) }) {
			t.Errorf("%.80s: %q", text, r.Notes)
		}
	}
}

func TestEnvelopesThatCouldMeanMore(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"tool":` + arguments() + `,"request":` + arguments() + `}`, `{"name":"other","arguments":` + arguments() + `}`,
		`{"tool":` + arguments() + `,"approved":true}`, `{"tool":{"x":1}}`, `{"tool":"text"}`, `{"tool":null}`, `{"tool":[` + arguments() + `]}`,
		strings.Repeat(`{"tool":`, 5) + arguments() + strings.Repeat("}", 5),
	} {
		_, _ = refusal(t, text)
	}
}

func TestNotesStandBesideTheError(t *testing.T) {
	t.Parallel()
	r, err := forge.Read([]byte(`{"descripton":"x","tool":1}`), forge.ReadRules{})
	if diff := cmp.Diff([]string{"ignored member /descripton", "ignored member /tool"}, r.Notes); err == nil || diff != "" {
		t.Errorf("%v, (-want +got)\n%s", err, diff)
	}
}
