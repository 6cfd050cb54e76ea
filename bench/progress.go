package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// newProgress returns what shows the progress of a run on w: a bar on a terminal; elsewhere a line at the beginning of
// each measure and every ten seconds.
func newProgress(w io.Writer) func(measure string, share float64) {
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return bar(file)
	}
	return lines(w, 10*time.Second)
}

// barSteps is how finely the bar is divided.
const barSteps = 1000

func bar(file *os.File) func(string, float64) {
	b := progressbar.NewOptions(barSteps,
		progressbar.OptionSetWriter(file), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetWidth(30), progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(false))
	return func(measure string, share float64) {
		b.Describe(fmt.Sprintf("%-14s", measure))
		_ = b.Set(int(share * barSteps)) // a bar that cannot be drawn is no reason to stop measuring
	}
}

func lines(w io.Writer, pause time.Duration) func(string, float64) {
	last, when := "", time.Time{}
	return func(measure string, share float64) {
		if measure == last && time.Since(when) < pause {
			return
		}
		last, when = measure, time.Now()
		_, _ = fmt.Fprintf(w, "%3.0f %% %s\n", 100*share, measure)
	}
}
