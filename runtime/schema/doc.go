// Package schema admits JSON Schemas that agents write, checks values against them, infers them from examples, and
// writes them out for clients that know no references.
//
// The dialect is 2020-12. A schema is bounded before anything is made of it: its bytes, its depth, the number of its
// subschemas, its numbers, the size of its patterns. References lead to the schema itself and its $defs, never out of
// it, and never around in a circle without going deeper into the value. What names or loads other schemas ($id, anchors,
// dynamic references) is refused. A format is an annotation, as 2020-12 has it by default, and asserts nothing.
//
// A value is checked by an evaluator of our own, because every library that was tried can be made to stall or to end
// the process by a few hundred bytes: the work is counted, and what would take too much of it ends in an error of code
// Limit. Numbers are compared exactly, as decimals. Schemas and values do not change once they are made; everything here
// is safe for concurrent use. The package imports runtime/tool and runtime/decimal.
package schema
