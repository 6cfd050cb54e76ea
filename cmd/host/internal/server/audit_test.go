package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
)

// Parts of the log lead on within what was asked for, from one end to the other, and the last leads nowhere.
func TestPartsOfTheLog(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	const path = "/v1/tools/add_numbers/"
	id := w.forge(annKey, "add_numbers")
	for i := range 5 {
		w.ok(nil, annKey, "POST", path+"suspend", fmt.Sprintf(`{"reason":"%d"}`, i))
	}
	var log struct {
		Items []tool.AuditEvent
		Last  uint64
	}
	w.ok(&log, graceKey, "GET", "/v1/audit", "")
	end := log.Last
	if end < 6 {
		t.Fatalf("there are %d entries", end)
	}
	for query, want := range map[string][]uint64{
		"newest=true&after=1&before=5&limit=2":      {3, 4, 2},
		"after=1&before=5&limit=2":                  {2, 3, 4},
		"after=1&before=6&limit=2":                  {2, 3, 4, 5},
		"limit=1&before=3":                          {1, 2},
		"newest=true&limit=1&before=3":              {2, 1},
		fmt.Sprintf("after=%d&limit=1", end-2):      {end - 1, end},
		fmt.Sprintf("after=%d", end):                nil,
		fmt.Sprintf("tool=%s&limit=1&before=4", id): {3},
	} {
		var got []uint64
		parts := 0
		for next := "/v1/audit?" + query; next != ""; parts++ {
			answer := w.ok(&log, graceKey, "GET", next, "")
			if parts > 0 && len(log.Items) == 0 || parts > len(want) {
				t.Fatalf("%s: %s leads to nothing: %s", query, next, answer.body)
			}
			for _, e := range log.Items {
				got = append(got, e.Sequence)
			}
			next = strings.TrimPrefix(strings.TrimSuffix(answer.header.Get("Link"), `>; rel="next"`), "<")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", query, got, want)
		}
	}
}
