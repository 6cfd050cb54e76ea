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

// face is how a code shows itself outside of Go, and what mends an error of it that says nothing better.
type face struct {
	exit, http int
	hint       string
}

// faces is the one table of exit and HTTP status (RFC 9110) per code. The numbers stand for themselves: net/http would weigh
// down everything that imports the nouns.
var faces = map[Code]face{
	Rejected:       {4, 422, "mend what the message names, and ask again"},
	InvalidRequest: {7, 422, "mend what the message names, at the place that comes with it"},
	InvalidInput:   {7, 422, "give what the input schema of the tool asks for: describing the tool shows it"},
	InvalidOutput:  {7, 422, "the tool breaks what it promises; its author can forge a next version"},
	InvalidSource:  {7, 422, "mend the source at the place that comes with the message"},
	Denied:         {3, 403, "do without it, or ask the operator of the host to allow it"},
	Timeout:        {124, 504, "give it less to do at once; its author can make it faster"},
	OutOfFuel:      {123, 422, "give it less to do at once; its author can make it do less"},
	OutOfMemory:    {137, 422, "give it less to do at once; its author can make it hold less"},
	StackOverflow:  {125, 422, "give it what nests less deep; its author can write a loop where it calls itself"},
	GuestError:     {5, 422, "the code threw this: mend the input if that is what it complains of, else the code"},
	OutputTooLarge: {7, 422, "ask for less at once"},
	Unsettled:      {5, 422, "the code waits for what never comes: its author can mend that"},
	NotFound:       {1, 404, "list what there is, and name one of it"},
	NotOwner:       {1, 404, "list what there is, and name one of your own"},
	Inactive:       {1, 409, "list the tools, and call one that is active"},
	Suspended:      {1, 409, "an operator can resume it"},
	Collision:      {1, 409, "look at what there is by now, and choose another name or ask again"},
	OverQuota:      {6, 429, "wait, or ask the operator of the host for more"},
	Limit:          {6, 429, "ask for less at once"},
	Canceled:       {130, 499, "ask again if it is still wanted"}, // 499: the client closed the request, as nginx has it
	Unavailable:    {1, 503, "try again later"},
	Internal:       {1, 500, "the log of the host says more"},
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
