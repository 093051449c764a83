// Package wording says in a few words what is known of one thing: who has the
// role, whom a candidate watches and how that is known, when a session expires,
// what was done to a member, what the server holds back. The panels, the
// footer and the header use the same words for the same thing.
//
// Nothing inferred is said as if it were known. A watch has a sign and, where
// it is wrong, words ([EdgeFact]); a countdown is an upper bound and rounded up
// ([Expiry]). Everything that came from outside passes through znode.Safe.
package wording
