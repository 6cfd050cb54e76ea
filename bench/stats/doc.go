// Package stats turns samples into the figures of a benchmark: percentiles, ratios of paired samples and
// geometric means. All functions are pure and leave their arguments as they were.
package stats
