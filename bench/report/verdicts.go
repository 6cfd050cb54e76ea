package report

import "fmt"

// Verdicts count what became of tools of one class, of which it is known whether they are good.
type Verdicts struct {
	Class        string `json:"class"`
	Judge        string `json:"judge"` // who reviewed what the gates let through
	Accepted     int    `json:"accepted"`
	Rejected     int    `json:"rejected"`
	FalseAccepts int    `json:"falseAccepts"`
	FalseRejects int    `json:"falseRejects"`
}

// Count enters one tool.
func (v *Verdicts) Count(good, accepted bool) {
	switch {
	case accepted:
		v.Accepted++
		if !good {
			v.FalseAccepts++
		}
	default:
		v.Rejected++
		if good {
			v.FalseRejects++
		}
	}
}

// verdicts shows a table for each judge, a line per class and one for all.
func verdicts(out *printer, list []Verdicts) {
	for len(list) > 0 {
		sum := Verdicts{Class: "all"}
		rows := [][]string{{list[0].Judge, "tools", "accepted", "rejected", "false accepts", "false rejects"}}
		for judge := list[0].Judge; len(list) > 0 && list[0].Judge == judge; list = list[1:] {
			v := list[0]
			rows = append(rows, v.row())
			sum.Accepted += v.Accepted
			sum.Rejected += v.Rejected
			sum.FalseAccepts += v.FalseAccepts
			sum.FalseRejects += v.FalseRejects
		}
		out.table(append(rows, sum.row()))
	}
}

func (v *Verdicts) row() []string {
	row := []string{v.Class}
	for _, n := range []int{v.Accepted + v.Rejected, v.Accepted, v.Rejected, v.FalseAccepts, v.FalseRejects} {
		row = append(row, fmt.Sprint(n))
	}
	return row
}
