// Package judge decides whether a tried candidate may be kept, whether a tool that has proved itself may rise, and whether a
// specialist may join a team of agents. A judge is a chat model, three of them (Models), or a person at a terminal (Human).
//
// Facts come first: what the gates and the tests measured is told before anything the author wrote, and wins over what the
// model says of it. All that an author, a tool or an earlier model wrote is data. It stands in blocks whose marker is drawn
// anew for each call, on lines that each begin with a sign of the host's, with every character that does not print escaped;
// the rules are repeated after it. A reply counts only when it is one JSON object, bounded and unambiguous, that repeats a
// word which stands behind the data.
//
// Whatever goes wrong is a rejection: no model, a call that fails, a refusal, a reply that is cut or cannot be read. The only
// error is the end of the caller's context. The package imports runtime/tool and model; it keeps no verdict, and
// everything in it is safe for concurrent use.
package judge
