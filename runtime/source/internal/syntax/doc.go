// Package syntax reads JavaScript (the script goal, with Annex B) into a tree that a check can walk completely, and
// finds out which name belongs to which declaration. It is no validator: the engine has the last word on syntax, so
// the parser lets through what cannot change how the rest is read, such as a duplicate declaration.
//
// The tokens are those of tdewolff/parse, a linear lexer. Its parser is not used: its scopes are quadratic (60 KB of
// nested blocks hold it for seconds and nothing can stop it), its tree has no positions, and it refuses legal scripts.
// Here time and memory are linear in the source, and recursion ends at a fixed depth.
//
// A Parse shares nothing with another; the tree is read-only afterwards. The package imports no other room.
package syntax
