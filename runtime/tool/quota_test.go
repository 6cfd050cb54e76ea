package tool

import (
	"errors"
	"math"
	"reflect"
	"testing"
)

func TestQuotaIsWithinItsRange(t *testing.T) {
	t.Parallel()
	for path, q := range map[string]Quota{
		"":                   {ConcurrentCalls: 1, FuelPerMinute: maxQuota, JudgeCostPerDay: 0.5},
		"/concurrentCalls":   {ConcurrentCalls: -1},
		"/fuelPerMinute":     {FuelPerMinute: maxQuota + 1},
		"/toolBytes":         {ToolBytes: math.MinInt64},
		"/sessions":          {Sessions: -1},
		"/judgeTokensPerDay": {JudgeTokensPerDay: math.MaxInt64},
		"/judgeCostPerDay":   {JudgeCostPerDay: math.NaN()},
	} {
		err := q.Validate()
		if got := AsError(err); path != "" && (!errors.Is(err, InvalidRequest) || got.Path != path) || path == "" && err != nil {
			t.Errorf("%+v: got %v, want one at %q", q, err, path)
		}
	}
}

func TestQuotaTakesEveryDefault(t *testing.T) {
	t.Parallel()
	d := Quota{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	if got := (Quota{}).WithDefaults(d); got != d {
		t.Errorf("got %+v", got)
	}
	own := Quota{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}
	if got := own.WithDefaults(d); got != own {
		t.Errorf("got %+v", got)
	}
	if n := reflect.TypeFor[Quota]().NumField(); n != 10 {
		t.Errorf("there are %d fields: the tests above and Validate know 10", n)
	}
}
