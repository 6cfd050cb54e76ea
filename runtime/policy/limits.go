package policy

// FetchLimits bound the requests of one call. A zero field is its default.
type FetchLimits struct {
	MaxRedirects          int   // hops after the first request; 5, at most 20, or NoRedirects
	MaxRequests           int   // hops of redirects included; 64, at most 10,000
	MaxConcurrent         int   // requests under way at once, others wait; 16, at most 64
	MaxRequestBytes       int64 // body of one request; 1 MiB, at most 16 MiB
	MaxResponseBytes      int64 // body of one response, after decompression; 1 MiB, at most 64 MiB
	MaxTotalRequestBytes  int64 // bodies of all requests; 16 MiB, at most 256 MiB
	MaxTotalResponseBytes int64 // bodies of all responses; 16 MiB, at most 256 MiB
}

// NoRedirects is the MaxRedirects that follows none.
const NoRedirects = -1

// FSLimits bound the files that one call reads. A zero field is its default.
type FSLimits struct {
	MaxFileBytes  int64 // of one file, where its rule says nothing; 1 MiB, at most 64 MiB
	MaxTotalBytes int64 // of all files; 16 MiB, at most 256 MiB
}

const mib = 1 << 20

// DefaultFetchLimits are what a zero field of FetchLimits stands for.
var DefaultFetchLimits = FetchLimits{
	MaxRedirects: 5, MaxRequests: 64, MaxConcurrent: 16, MaxRequestBytes: mib, MaxResponseBytes: mib,
	MaxTotalRequestBytes: 16 * mib, MaxTotalResponseBytes: 16 * mib,
}

// DefaultFSLimits are what a zero field of FSLimits stands for.
var DefaultFSLimits = FSLimits{MaxFileBytes: mib, MaxTotalBytes: 16 * mib}

// MaxFetchLimits are the largest that a policy can set.
var MaxFetchLimits = FetchLimits{
	MaxRedirects: 20, MaxRequests: 10_000, MaxConcurrent: 64, MaxRequestBytes: 16 * mib, MaxResponseBytes: 64 * mib,
	MaxTotalRequestBytes: 256 * mib, MaxTotalResponseBytes: 256 * mib,
}

// MaxFSLimits are the largest that a policy can set.
var MaxFSLimits = FSLimits{MaxFileBytes: 64 * mib, MaxTotalBytes: 256 * mib}

// WithDefaults returns l with every zero field replaced by its default.
func (l FetchLimits) WithDefaults() FetchLimits {
	d := DefaultFetchLimits
	return FetchLimits{
		MaxRedirects: orDefault(l.MaxRedirects, d.MaxRedirects), MaxRequests: orDefault(l.MaxRequests, d.MaxRequests),
		MaxConcurrent:         orDefault(l.MaxConcurrent, d.MaxConcurrent),
		MaxRequestBytes:       orDefault(l.MaxRequestBytes, d.MaxRequestBytes),
		MaxResponseBytes:      orDefault(l.MaxResponseBytes, d.MaxResponseBytes),
		MaxTotalRequestBytes:  orDefault(l.MaxTotalRequestBytes, d.MaxTotalRequestBytes),
		MaxTotalResponseBytes: orDefault(l.MaxTotalResponseBytes, d.MaxTotalResponseBytes),
	}
}

// WithDefaults returns l with every zero field replaced by its default.
func (l FSLimits) WithDefaults() FSLimits {
	return FSLimits{orDefault(l.MaxFileBytes, DefaultFSLimits.MaxFileBytes), orDefault(l.MaxTotalBytes, DefaultFSLimits.MaxTotalBytes)}
}

func orDefault[T int | int64](value, fallback T) T {
	if value == 0 {
		return fallback
	}
	return value
}

// SetLimits are the limits that the policy sets, each with its name and value as the format writes them: "fuel 50M".
func (p *Policy) SetLimits() []string {
	var set []string
	if p.Limits.Timeout != 0 {
		set = append(set, "wall "+p.Limits.Timeout.String())
	}
	call, fetch, fs := p.Limits, p.FetchLimits, p.FSLimits
	for _, l := range []struct {
		name  string
		value int64
	}{
		{"fuel", int64(call.Fuel)},          //nolint:gosec // at most tool.MaxLimits
		{"memory", int64(call.MemoryBytes)}, //nolint:gosec // at most tool.MaxLimits
		{"source", int64(call.SourceBytes)},
		{"input", int64(call.InputBytes)},
		{"output", int64(call.OutputBytes)},
		{"logs", int64(call.LogBytes)},
		{"hostCalls", int64(call.HostCalls)},
		{"fetchMaxRedirects", int64(fetch.MaxRedirects)},
		{"fetchMaxRequests", int64(fetch.MaxRequests)},
		{"fetchMaxConcurrent", int64(fetch.MaxConcurrent)},
		{"fetchMaxRequestBytes", fetch.MaxRequestBytes},
		{"fetchMaxResponseBytes", fetch.MaxResponseBytes},
		{"fetchMaxTotalRequestBytes", fetch.MaxTotalRequestBytes},
		{"fetchMaxTotalResponseBytes", fetch.MaxTotalResponseBytes},
		{"fsMaxFileBytes", fs.MaxFileBytes},
		{"fsMaxTotalBytes", fs.MaxTotalBytes},
	} {
		if l.value != 0 {
			set = append(set, l.name+" "+quantity(max(0, l.value)).String()) // NoRedirects is below
		}
	}
	return set
}
