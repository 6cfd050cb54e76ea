// Package match tells whether two JSON texts hold the same value, and if not, where they first differ. It serves case files
// and the test cases of tools.
//
// The order of members and spacing do not count; of members with one name the last counts. Numbers are compared by their
// value, so that -0 is 0 and 1e2 is 100; strings by their UTF-16 code units, so that a lone surrogate is only itself. The work
// grows with the length of the texts, and texts nest as deep as encoding/json reads them: 10,000 levels.
//
// The package imports runtime/decimal. It holds no state and is safe for concurrent use.
package match
