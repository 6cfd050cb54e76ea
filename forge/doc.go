// Package forge makes tools out of requests. A request is read, checked by gates that need nobody's opinion, tried on its
// author's test cases and on inputs beside them, reviewed by a judge who gets the facts first, and registered. Promoter
// later lets tools rise that have proved themselves.
//
// What the forge needs of sandbox, judge and shelf it names as interfaces and is handed; it imports none of these rooms. A
// Forge and a Promoter are safe for concurrent use. Errors are *tool.Error, written for the agent that asked.
package forge
