// Package wording describes one thing in a few words: who has the role, what a
// candidate watches and how that is known, when a session expires, which fault a
// member has, which messages the server holds. The panels, the footer and the header
// use the same words for the same thing.
//
// What is inferred is never shown as known. A watch has a sign and, if it is wrong,
// words ([EdgeFact]); a countdown is an upper bound and rounded up ([Expiry]).
// All text from outside passes through znode.Safe.
package wording
