package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// WriteText writes the report as tables: one per measure with a line per contender, then one per measure that has
// parts (NAME/PART), with a line per part.
func (r *Report) WriteText(w io.Writer) error {
	out := &printer{w: w}
	r.machine(out)
	for _, result := range r.Results {
		if !strings.Contains(result.Measure, "/") {
			r.whole(out, result)
		}
	}
	for _, measure := range r.divided() {
		r.parts(out, measure)
	}
	r.absences(out)
	return out.err
}

// printer remembers the first error of many writes.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// table writes rows of cells in columns, the first to the left and the others to the right.
func (p *printer) table(rows [][]string) {
	if p.err != nil {
		return
	}
	width := 0
	for _, row := range rows {
		width = max(width, len([]rune(row[0])))
	}
	t := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range rows {
		_, _ = fmt.Fprintf(t, "  %-*s\t%s\t\n", width, row[0], strings.Join(row[1:], "\t"))
	}
	p.err = t.Flush() // tells of every failed write
}

func (r *Report) machine(out *printer) {
	m := r.Machine
	out.printf("%s, %d cores, %s/%s, %s, load %s, commit %s, %s\n", m.CPU, m.Cores, m.GOOS, m.GOARCH, m.Go, m.Load, m.Commit, m.Date)
}

// whole shows one measure, a line per contender.
func (r *Report) whole(out *printer, result Result) {
	out.printf("\n%s\n", result.Measure)
	if len(result.Verdicts) > 0 {
		verdicts(out, result.Verdicts)
		return
	}
	if len(result.Load) > 0 {
		loads(out, result.Load)
		note(out, result.Note)
		return
	}
	rows := [][]string{
		{"", "p10", "p50", "p99", "max", "n", "ours/peer"},
		append(append([]string{"ours"}, figures(result.Unit, result.Ours)...), ""),
	}
	for _, peer := range r.order(result) {
		row := append([]string{peer}, figures(result.Unit, result.Peers[peer])...)
		rows = append(rows, append(row, ratio(result.Ratio[peer])))
	}
	out.table(rows)
	allocations(out, "ours", result.Ours)
	for _, peer := range r.order(result) {
		allocations(out, peer, result.Peers[peer])
	}
	note(out, result.Note)
}

// allocations says what a contender's calls allocate, if that was counted.
func allocations(out *printer, contender string, f Figures) {
	if f.Allocs == 0 {
		return
	}
	out.printf("  %s: %s bytes in %s allocations a call\n", contender, group(int(f.Bytes)), group(int(f.Allocs)))
}

// parts shows the parts of a measure, a line per part.
func (r *Report) parts(out *printer, measure string) {
	var results []Result
	for _, result := range r.Results {
		if strings.HasPrefix(result.Measure, measure+"/") {
			results = append(results, result)
		}
	}
	peers := r.order(results...)
	header := []string{"ours", "p50", "p99"}
	for _, peer := range peers {
		header = append(header, "/"+peer)
	}
	rows := [][]string{header}
	for _, result := range results {
		row := []string{strings.TrimPrefix(result.Measure, measure+"/"), result.Unit.Show(result.Ours.P50), result.Unit.Show(result.Ours.P99)}
		for _, peer := range peers {
			row = append(row, ratio(result.Ratio[peer]))
		}
		rows = append(rows, row)
	}
	out.printf("\n%s, by part\n", measure)
	out.table(rows)
	for _, result := range results {
		if result.Note != "" {
			note(out, strings.TrimPrefix(result.Measure, measure+"/")+": "+result.Note)
		}
	}
}

// absences says who is missing from the tables, and why.
func (r *Report) absences(out *printer) {
	out.printf("\n")
	for _, c := range r.Contenders {
		if c.Absent != "" {
			out.printf("%s did not take part: %s\n", c.Name, c.Absent)
			continue
		}
		out.printf("%s %s: %s\n", c.Name, c.Version, c.What)
	}
	for _, measure := range slices.Sorted(maps.Keys(r.Failed)) {
		out.printf("%s failed: %s\n", measure, r.Failed[measure])
	}
}

// divided returns the measures that have parts, in the order of the results.
func (r *Report) divided() []string {
	var names []string
	for _, result := range r.Results {
		name, _, ok := strings.Cut(result.Measure, "/")
		if ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// order returns the peers that the results name, in the order of the contenders; those that are none come last.
func (r *Report) order(results ...Result) []string {
	named := map[string]bool{}
	for _, result := range results {
		for peer := range result.Peers {
			named[peer] = true
		}
	}
	var names []string
	for _, c := range r.Contenders {
		if named[c.Name] {
			names = append(names, c.Name)
			delete(named, c.Name)
		}
	}
	return append(names, slices.Sorted(maps.Keys(named))...)
}

// figures shows p10, p50, p99, max and n; what is zero stays empty.
func figures(unit Unit, f Figures) []string {
	row := make([]string, 0, 5)
	for _, v := range []float64{f.P10, f.P50, f.P99, f.Max} {
		row = append(row, unit.Show(v))
	}
	if f.N == 0 {
		return append(row, "")
	}
	return append(row, group(f.N))
}

func ratio(r float64) string {
	if r == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g", r)
}

func note(out *printer, text string) {
	if text != "" {
		out.printf("  %s\n", text)
	}
}

// Show writes a value of the unit for people; zero is empty.
func (u Unit) Show(v float64) string {
	switch {
	case v == 0:
		return ""
	case u != Nanoseconds:
		return group(int(v))
	case v < 1e3:
		return fmt.Sprintf("%.0f ns", v)
	case v < 1e6:
		return fmt.Sprintf("%.1f µs", v/1e3)
	case v < 1e9:
		return fmt.Sprintf("%.2f ms", v/1e6)
	}
	return fmt.Sprintf("%.2f s", v/1e9)
}

// group writes a number with a comma before every third digit from the right.
func group(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
