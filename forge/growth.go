package forge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

// Bounds of what is measured.
const (
	exploreFuel  = 100_000_000 // of one run: about a second
	maxParts     = 4           // parts of an input that are made to grow, one at a time
	growFactor   = 4           // from one size to the next
	growSteps    = 5           // sizes after the first
	maxGrown     = 256 << 10   // bytes of an input
	moderateSize = 64 << 10    // bytes of an input that no honest tool may fail on for cost, unless its growth explains it
)

// growth measures what inputs of growing size cost: each part of the largest test input that can grow is made longer by
// factors of four, and the exponent is read off the last two steps, after taking off what the smallest input cost.
func (j *job) growth(ctx context.Context, input *schema.Schema) *tool.Growth {
	g := &tool.Growth{Fuel: tool.GrowthUnknown, Memory: tool.GrowthUnknown, Bounded: true}
	largest := slices.MaxFunc(j.request.TestCases, func(a, b tool.TestCase) int { return cmp.Compare(len(a.Input), len(b.Input)) }).Input
	value, ok := decoded(largest)
	if !ok {
		return g
	}
	parts := growable(value, "", nil)
	if len(parts) > maxParts {
		parts = parts[:maxParts]
	}
	for _, part := range parts {
		j.grow(ctx, g, largest, part, input)
	}
	return g
}

// grow measures one part. Where a size meets a limit, half of it is tried as well: a step of four hides how steep it was.
func (j *job) grow(ctx context.Context, g *tool.Growth, from json.RawMessage, part string, input *schema.Schema) {
	var measured []sized
	for size := 1; len(measured) <= growSteps; size *= growFactor {
		at, ok := j.measure(ctx, from, part, size, input)
		if !ok {
			break
		}
		if size > 1 && dear(at.Outcome) {
			if half, ok := j.measure(ctx, from, part, size/2, input); ok {
				measured = append(measured, half)
			}
		}
		if len(measured) == 0 || !dear(measured[len(measured)-1].Outcome) {
			measured = append(measured, at)
		}
		if at.Outcome != "ok" {
			break
		}
	}
	assess(g, measured)
}

// sized is what an input of so many times the size cost.
type sized struct {
	tool.GrowthPoint
	size int
}

// measure runs an input of which a part is so many times as large, if the schema admits that.
func (j *job) measure(ctx context.Context, from json.RawMessage, part string, size int, input *schema.Schema) (at sized, ok bool) {
	text, ok := enlarged(from, part, size)
	if !ok || input.Validate(text) != nil || ctx.Err() != nil {
		return at, false
	}
	t := j.trial(text, 0)
	t.Fuel = exploreFuel
	result := j.try(ctx, t)
	p := tool.GrowthPoint{Grown: part, InputBytes: len(text), Fuel: result.Fuel, MemoryBytes: result.MemoryBytes, Outcome: "ok"}
	if result.Err != nil {
		p.Outcome = string(result.Err.Code)
	}
	return sized{p, size}, true
}

// assess reads the classes off what was measured of one part, and keeps the worst of all parts.
func assess(g *tool.Growth, measured []sized) {
	if len(measured) == 0 {
		return
	}
	var fuel, memory []sample
	for _, at := range measured {
		g.Points = append(g.Points, at.GrowthPoint)
		if g.Worst == nil || at.Fuel > g.Worst.Fuel {
			g.Worst = &at.GrowthPoint
		}
		fuel = append(fuel, sample{float64(at.size), float64(at.Fuel), dear(at.Outcome)})
		memory = append(memory, sample{float64(at.size), float64(at.MemoryBytes), dear(at.Outcome)})
	}
	last := measured[len(measured)-1]
	const fuelNoise, memoryNoise, perByte = 20_000, 256 << 10, 2 // reading an input costs about a unit a byte
	byFuel := classOf(fuel, float64(fuelNoise+perByte*last.InputBytes))
	byMemory := classOf(memory, memoryNoise)
	g.Fuel, g.Memory = dearer(g.Fuel, byFuel), dearer(g.Memory, byMemory)
	steep := byFuel == tool.GrowthExponential || byMemory == tool.GrowthExponential
	if dear(last.Outcome) && (len(measured) == 1 || steep && last.InputBytes <= moderateSize) {
		g.Bounded = false
	}
}

// dear reports whether a run was ended because of what it cost.
func dear(outcome string) bool {
	switch tool.Code(outcome) {
	case tool.OutOfFuel, tool.OutOfMemory, tool.Timeout, tool.StackOverflow, tool.OutputTooLarge:
		return true
	default:
		return false
	}
}

// costly is dear, of an error.
func costly(err *tool.Error) bool { return err != nil && dear(string(err.Code)) }

// sample is the cost at one size. A limited one cost more than is known.
type sample struct {
	size, cost float64
	limited    bool
}

// classOf reads the class of growth off samples of growing size. Differences below noise are none. A limited sample, which is
// the last, can only show that growth is worse than the others say.
func classOf(s []sample, noise float64) tool.GrowthClass {
	last := s[len(s)-1]
	if !last.limited {
		return rising(s, noise)
	}
	before := tool.GrowthUnknown
	if len(s) > 3 {
		before = rising(s[:len(s)-1], noise)
	}
	if len(s) == 1 {
		return before
	}
	return dearer(before, rising(s, noise))
}

func rising(s []sample, noise float64) tool.GrowthClass {
	const least = 3
	if len(s) < least && !s[len(s)-1].limited {
		return tool.GrowthUnknown
	}
	first, before, last := s[0], s[len(s)-2], s[len(s)-1]
	if last.cost-first.cost < noise && !last.limited {
		return tool.GrowthConstant
	}
	rise := math.Max(before.cost-first.cost, noise/growFactor)
	return ofExponent(math.Log((last.cost-first.cost)/rise) / math.Log(last.size/before.size))
}

// ofExponent is the class whose cost grows with about this power of the size; n log n counts as linear.
func ofExponent(power float64) tool.GrowthClass {
	switch {
	case power < 0.3:
		return tool.GrowthConstant
	case power < 1.4:
		return tool.GrowthLinear
	case power < 2.4:
		return tool.GrowthQuadratic
	case power < 4.5:
		return tool.GrowthPolynomial
	}
	return tool.GrowthExponential
}

// classes are in the order of what they cost.
var classes = []tool.GrowthClass{
	tool.GrowthUnknown, tool.GrowthConstant, tool.GrowthLinear, tool.GrowthQuadratic, tool.GrowthPolynomial, tool.GrowthExponential,
}

func dearer(a, b tool.GrowthClass) tool.GrowthClass {
	if slices.Index(classes, a) >= slices.Index(classes, b) {
		return a
	}
	return b
}

// growable returns the JSON pointers of what can grow within a value, the outermost first: texts, lists and whole numbers.
func growable(v any, at string, found []string) []string {
	switch v := v.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			found = growable(v[name], at+"/"+escapePointer(name), found)
		}
	case []any:
		if len(v) == 0 {
			return found
		}
		found = append(found, at)
		found = growable(v[0], at+"/0", found)
	case string:
		found = append(found, at)
	case json.Number:
		if n, err := v.Int64(); err == nil && n > 0 {
			found = append(found, at)
		}
	}
	return found
}

func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// enlarged is an input in which the part at a pointer is so many times as large.
func enlarged(input json.RawMessage, part string, times int) (json.RawMessage, bool) {
	value, ok := decoded(input)
	if !ok {
		return nil, false
	}
	value, ok = replaced(value, strings.Split(part, "/")[1:], func(v any) (any, bool) { return larger(v, times) })
	if !ok {
		return nil, false
	}
	text, err := json.Marshal(value)
	return text, err == nil && len(text) <= maxGrown
}

// replaced is a value in which the one behind a path was changed.
func replaced(v any, path []string, change func(any) (any, bool)) (any, bool) {
	if len(path) == 0 {
		return change(v)
	}
	var ok bool
	switch v := v.(type) {
	case map[string]any:
		name := strings.NewReplacer("~1", "/", "~0", "~").Replace(path[0])
		v[name], ok = replaced(v[name], path[1:], change)
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil || i >= len(v) {
			return v, false
		}
		v[i], ok = replaced(v[i], path[1:], change)
	}
	return v, ok
}

// larger is a text, a list or a number, so many times as large.
func larger(v any, times int) (any, bool) {
	switch v := v.(type) {
	case string:
		if v == "" {
			v = "a"
		}
		return strings.Repeat(v, times), len(v)*times <= maxGrown
	case []any:
		if len(v)*times > maxGrown {
			return nil, false
		}
		all := make([]any, 0, len(v)*times)
		for range times {
			all = append(all, v...)
		}
		return all, true
	case json.Number:
		n, err := v.Int64()
		return n * int64(times), err == nil && n < math.MaxInt32
	}
	return nil, false
}

// decoded reads a value with its numbers as they were written.
func decoded(text json.RawMessage) (value any, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	err := dec.Decode(&value)
	return value, err == nil
}
