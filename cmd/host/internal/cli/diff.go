package cli

import (
	"slices"
	"strings"
)

const (
	diffContext  = 3       // lines that are shown around what changed
	maxDiffCells = 4 << 20 // of the table of common lines; texts beyond it are shown as replaced
)

// diffLines compares texts line by line. Lines of the result begin with a space, - or +; "…" stands for lines left out.
func diffLines(from, to string) []string { return shorten(compareLines(from, to)) }

// compareLines is diffLines with nothing left out.
func compareLines(from, to string) []string {
	a, b := strings.Split(from, "\n"), strings.Split(to, "\n")
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	all := mark(" ", a[:head])
	all = append(all, changes(a[head:len(a)-tail], b[head:len(b)-tail])...)
	return append(all, mark(" ", a[len(a)-tail:])...)
}

func mark(sign string, lines []string) []string {
	marked := make([]string, 0, len(lines))
	for _, line := range lines {
		marked = append(marked, sign+line)
	}
	return marked
}

// changes is the shortest way from some lines to others, by a table of the longest common rest.
func changes(a, b []string) (all []string) {
	width := len(b) + 1
	if (len(a)+1)*width > maxDiffCells {
		return append(mark("-", a), mark("+", b)...)
	}
	common := make([]int32, (len(a)+1)*width)
	for i, before := range slices.Backward(a) {
		for j, after := range slices.Backward(b) {
			if before == after {
				common[i*width+j] = common[(i+1)*width+j+1] + 1
			} else {
				common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			all = append(all, " "+a[i])
			i, j = i+1, j+1
		case common[(i+1)*width+j] >= common[i*width+j+1]:
			all = append(all, "-"+a[i])
			i++
		default:
			all = append(all, "+"+b[j])
			j++
		}
	}
	return append(append(all, mark("-", a[i:])...), mark("+", b[j:])...)
}

// shorten leaves out lines that are far from every change.
func shorten(lines []string) (short []string) {
	near := make([]bool, len(lines))
	for i, line := range lines {
		if line[0] != ' ' {
			for k := max(0, i-diffContext); k <= min(len(lines)-1, i+diffContext); k++ {
				near[k] = true
			}
		}
	}
	for i, line := range lines {
		switch {
		case near[i]:
			short = append(short, line)
		case i == 0 || near[i-1]:
			short = append(short, "…")
		}
	}
	return short
}
