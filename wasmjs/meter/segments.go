package meter

// Segment is an active data segment: what the module writes to memory when it is instantiated.
type Segment struct{ Offset, Size uint32 }

// Segments lists the active data segments whose offset is a plain i32.const, in the order of the file. Passive
// ones and ones with a computed offset are left out. The module may be instrumented or not. The error is an *Error.
func Segments(module []byte) ([]Segment, error) {
	m, err := parse(module)
	if err != nil {
		return nil, err
	}
	return m.segments, nil
}
