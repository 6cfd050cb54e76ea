package wasmjs

// Log is one line that the tool wrote to its console. Its text is the guest's: escape it before it meets a terminal.
type Log struct {
	Level string `json:"level"` // log, info, warn, error or debug
	Text  string `json:"text"`
}

var logLevels = [...]string{"log", "info", "warn", "error", "debug"}

// logBook keeps the first bytes of what a call logs.
type logBook struct {
	lines     []Log
	bytes     int
	truncated bool
}

// lineCost is what a line counts for besides its text, so that empty lines are bounded too.
const lineCost = 16

// add keeps a line as far as the cap allows.
func (b *logBook) add(level uint32, text []byte, most int) {
	room := most - b.bytes - lineCost
	if room < 0 || b.truncated {
		b.truncated = true
		return
	}
	if len(text) > room {
		text, b.truncated = text[:room], true
	}
	b.bytes += len(text) + lineCost
	b.lines = append(b.lines, Log{Level: logLevels[min(int(level), len(logLevels)-1)], Text: string(text)})
}
