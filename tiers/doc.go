// Package tiers keeps what outlives a call: the records of forged tools with their versions, tiers and approvals, the rules
// of promotion, the hash-chained audit log, sessions, and the ledger of what models cost. A change and its audit entry are one
// transaction, and are on disk before the answer. Shelf holds the rules; Store is the little it needs of a database, with an adapter for Badger.
//
// A Shelf is safe for concurrent use. The package imports runtime/tool; it knows no engine, no model and no schema.
package tiers
