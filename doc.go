// Package toolsmith is the door for programs that embed a host: Open one in a directory, Register tools of your own, Forge
// tools that agents ask for, Call them, and Close it. It wires the rooms and adds no rules of its own: what may be forged is
// the forge's to say, who may call what the runtime's, what is kept, promoted and audited the shelf's.
//
// A Host is safe for concurrent use. Its errors are *tool.Error.
package toolsmith
