// Package programs holds the JavaScript that the benchmarks run. Every program is a script that defines
// execute(input) with syntax that all contenders know; the values are constants and need no locking.
package programs
