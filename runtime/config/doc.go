// Package config is the configuration of a host: its keys, their defaults and ranges, and the layers that a value may come
// from. Of flag, environment, file and default the first that gives a key wins; Values says which one it was.
//
// A Config is a plain value. Start from Default, Parse or Load; one that was changed by hand is held to its ranges by Validate.
// Its lists and maps are shared by copies and are not to be changed once it is in use; then it may be read from many
// goroutines. Secrets never stand in a file: keys are named by the environment variables that hold them.
//
// The package imports runtime/tool, runtime/wire, runtime/policy and runtime/model, and touches nothing but the file that Load
// reads.
package config
