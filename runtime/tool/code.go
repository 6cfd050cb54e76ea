package tool

// Code names an outcome that is not success. The text is stable: it stands in JSON, in metrics labels and in
// logs. A Code is an error, so that errors.Is(err, tool.Timeout) works on every error of toolsmith.
type Code string

// The codes, with what each one means.
const (
	Rejected       Code = "rejected"         // a gate, a test or the judge refused the candidate
	InvalidRequest Code = "invalid_request"  // the request itself is malformed
	InvalidInput   Code = "invalid_input"    // the input is not what the tool takes
	InvalidOutput  Code = "invalid_output"   // the result cannot be carried as JSON or breaks the output schema
	InvalidSource  Code = "invalid_source"   // the source does not parse, or means something that is banned
	Denied         Code = "denied"           // a power that was not granted
	Timeout        Code = "timeout"          // the wall clock ran out
	OutOfFuel      Code = "out_of_fuel"      // the metered work ran out
	OutOfMemory    Code = "out_of_memory"    // the guest's memory cap
	StackOverflow  Code = "stack_overflow"   // recursion too deep
	GuestError     Code = "guest_error"      // the tool threw
	OutputTooLarge Code = "output_too_large" // the result is larger than allowed
	Unsettled      Code = "unsettled"        // a promise that can never settle
	NotFound       Code = "not_found"        // no such thing within the caller's sight
	NotOwner       Code = "not_owner"        // exists, but belongs to someone else; shown to others as not_found
	Inactive       Code = "inactive"         // registered, not callable now
	Suspended      Code = "suspended"        // switched off
	Collision      Code = "collision"        // the name is taken
	OverQuota      Code = "over_quota"       // a tenant's or persona's quota
	Limit          Code = "limit"            // a cap on counts, such as host calls
	Canceled       Code = "canceled"         // the caller went away
	Unavailable    Code = "unavailable"      // something the host needs is not there now
	Internal       Code = "internal"         // a fault of the host
)

// face is how a code shows itself outside of Go.
type face struct{ exit, http int }

// faces is the one table of exit and HTTP status (RFC 9110) per code. The numbers stand for themselves: net/http would weigh
// down everything that imports the nouns.
var faces = map[Code]face{
	Rejected:       {4, 422},
	InvalidRequest: {7, 422},
	InvalidInput:   {7, 422},
	InvalidOutput:  {7, 422},
	InvalidSource:  {7, 422},
	Denied:         {3, 403},
	Timeout:        {124, 504},
	OutOfFuel:      {123, 422},
	OutOfMemory:    {137, 422},
	StackOverflow:  {125, 422},
	GuestError:     {5, 422},
	OutputTooLarge: {7, 422},
	Unsettled:      {5, 422},
	NotFound:       {1, 404},
	NotOwner:       {1, 404},
	Inactive:       {1, 409},
	Suspended:      {1, 409},
	Collision:      {1, 409},
	OverQuota:      {6, 429},
	Limit:          {6, 429},
	Canceled:       {130, 499}, // 499: the client closed the request, as nginx has it
	Unavailable:    {1, 503},
	Internal:       {1, 500},
}

// Codes returns every code there is, in no particular order.
func Codes() []Code {
	codes := make([]Code, 0, len(faces))
	for c := range faces {
		codes = append(codes, c)
	}
	return codes
}

// Known reports whether c is one of the codes above.
func (c Code) Known() bool { _, ok := faces[c]; return ok }

// Error makes a Code an error of its own.
func (c Code) Error() string { return string(c) }

// ExitStatus is the process exit status that stands for c; 1 for a code that is not known.
func (c Code) ExitStatus() int {
	if f, ok := faces[c]; ok {
		return f.exit
	}
	return 1
}

// HTTPStatus is the HTTP status that stands for c; 500 for a code that is not known.
func (c Code) HTTPStatus() int {
	if f, ok := faces[c]; ok {
		return f.http
	}
	return 500
}
