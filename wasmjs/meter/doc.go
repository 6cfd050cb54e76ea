// Package meter rewrites core WebAssembly modules so that they pay for what they do and can be stopped.
//
// # The unit
//
// One unit of fuel stands for about 10 ns of ordinary work: 100 million of them for a second. A module pays
//
//   - 1 for every iteration of a loop, at its head,
//   - 1 for every entry of a function that calls or loops,
//   - 1 for every long stretch of code without either, at the longest some 2000 additions or 64 loads that miss
//     all caches; a small function without calls and loops counts where it is called,
//   - 1 per 128 bytes that memory.copy, memory.fill and memory.init name, 1 per 8 elements for their like on
//     tables, and 1000 per page that memory.grow adds.
//
// After each charge the module looks whether its fuel has become negative, and then calls the imported function
// meter.refill, (i64) -> i64, with it. What refill returns is the fuel from there on. To stop the module, refill
// has to trap (panic, in Go); to let it go on it should return what is not negative. No other unit is lost or
// won, so the fuel used is what was granted less what the global says, exactly, whatever the size of the grants.
// Copies and fills are cut into pieces of 256 KiB with a check each.
//
// Code written to be slow gets more time out of a unit than 10 ns: some 20 µs for loads that each miss. A host that
// has to stop such code within a given time grants little at once.
//
// # The memory
//
// A module's memory is declared with ReservePages as its minimum and its maximum, so it never moves. memory.size
// is the global meter_pages, and memory.grow adds to that and gives -1 above the global meter_pages_limit, above
// the reservation, or above the maximum that the module declares. Bytes between meter_pages and the end of the
// reservation are zero and can be read and written; only past the reservation accesses trap. The host resets the
// memory by putting back its contents and meter_pages together. Programs that do not count on a trap between the
// two see no difference. The reservation that counts is what the engine really holds: a host that gives the module
// more memory than ReservePages may raise meter_pages_limit to that. (wazero accepts 65536 pages but fails every access to such a memory: reserve one less.)
//
// The tables of a module share 1048576 elements evenly, and table.grow gives -1 above its share. An imported
// table grows as far as its owner lets it.
//
// # What is taken and what is refused
//
// Taken: WebAssembly 1.0 with sign extension, saturating conversions, multiple values, mutable globals, bulk memory,
// reference types, 128-bit vectors, tail calls and extended constants. Refused, with an [Error]: threads, several
// or 64-bit or imported memories, exceptions, garbage collection, relaxed vectors, modules that import from the
// module "meter" or export the meter's names, and anything malformed that could hide code from the meter. What is
// malformed otherwise (types of operands, say) is left for the engine to refuse, which it does: nothing becomes
// valid through what is added. Custom sections, names among them, are dropped.
//
// # Cost
//
// Measured on QuickJS-ng 0.16.2, clang -O2, 1,027,327 bytes: the output has 1,068,860 bytes (+4 %), made in 20
// to 30 ms. 1,120 of its 1,220 functions charge at their entry. The longest way from one charge to the next, in
// the weights of weight.go:
//
//	up to        64  128  256  512 1024 2048 4096 8192 16384 32768
//	functions   171  128  240  243  187  117   30    4     0     0
//	loops        75  123  213  349  388  309  138   22     5     5
//	uncharged    44   26   21    9    0    0    0    0     0     0
//
// The ways above 2048 get 387 charges in between. They are the rare ones: 14 programs of all kinds use 0.8 % more
// fuel through them on average, and the commonest instructions of the interpreter none.
package meter
