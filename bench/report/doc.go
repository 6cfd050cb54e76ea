// Package report holds what a run of the benchmarks found and shows it as JSON or as tables for people.
package report
