// Package wasmjs is the sandbox engine: JavaScript and JSON in, JSON out, limits enforced. It moves bytes and knows
// no policy; it is the only room that imports wazero. It imports runtime/tool and assets.
//
// An Engine holds one compiled QuickJS module and a pool of instances shared by all tools. Engine.Load turns a source
// into a Program: the source is evaluated once, under limits, and the memory it leaves is kept as an image.
// Program.Call runs its entry function in an instance whose memory equals that image byte for byte, under fuel, wall
// clock, memory and stack limits that hold inside native built-ins too, and puts the image back before anyone else
// gets the instance. Engines and programs are safe for concurrent use.
package wasmjs
