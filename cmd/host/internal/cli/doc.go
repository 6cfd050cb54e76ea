// Package cli is the command line of toolsmith: one file per verb, over package runtime. Results go to standard output and
// everything else to standard error; text that guests or files bring along is escaped before a terminal sees it.
package cli
