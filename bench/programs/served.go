package programs

import "strings"

// Worker is the small tool, which computes for as many turns as its n before it answers: at that of its input, as long as some
// three dozen calls of the small tool take.
var Worker = busy(`let x = 1;
  for (let i = 0; i < input.n; i++) x = (x * 1664525 + 1013904223) % 4294967296;`, `{"text":"w","n":10000}`, `{"slug":"w","n":10001}`)

// Noise is the small tool, which never ends when its text is loop, and takes all memory that there is when it is bomb.
var Noise = busy(`const kept = [];
  while (input.text === 'loop');
  while (input.text === 'bomb') kept.push(new Uint8Array(1048576).fill(kept.length));`, `{"text":"loop","n":0}`, "")

// busy is the small tool with something to do before.
func busy(what, input, want string) Program {
	source := strings.Replace(Slug.Source, "{\n", "{\n  "+what+"\n", 1)
	return Program{Name: Slug.Name, Source: source, Input: input, Want: want}
}
