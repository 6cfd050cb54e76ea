package runtime

import (
	"cmp"

	"example.com/toolsmith/runtime/tool"
)

// within holds the limits that a request asks for to those that a policy sets; where the request asks for none it gets the
// policy's. Zero fields on either side say nothing.
func within(asked, set tool.Limits) tool.Limits {
	return tool.Limits{
		Timeout:     lesser(asked.Timeout, set.Timeout),
		Fuel:        lesser(asked.Fuel, set.Fuel),
		MemoryBytes: lesser(asked.MemoryBytes, set.MemoryBytes),
		SourceBytes: lesser(asked.SourceBytes, set.SourceBytes),
		InputBytes:  lesser(asked.InputBytes, set.InputBytes),
		OutputBytes: lesser(asked.OutputBytes, set.OutputBytes),
		LogBytes:    lesser(asked.LogBytes, set.LogBytes),
		HostCalls:   lesser(asked.HostCalls, set.HostCalls),
	}
}

// lesser returns the lesser of two numbers, of which zero is none.
func lesser[T cmp.Ordered](a, b T) T {
	var none T
	switch none {
	case a:
		return b
	case b:
		return a
	}
	return min(a, b)
}
