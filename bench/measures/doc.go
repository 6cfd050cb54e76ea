// Package measures takes the measures: what is run on which contenders, in which order, and what of it is reported.
//
// All of them interleave: ours and one peer at a time run a small batch each, over and over, so that whatever slows
// the machine slows both sides of a pair. Every measure starts the contenders' processes anew, so that none finds what
// another left behind.
package measures
