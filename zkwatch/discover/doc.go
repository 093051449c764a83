// Package discover finds the elections of a cluster.
//
// [Walk] visits the znodes below a root level by level, slowly, and sets no watch.
// Where children have numbers, or names that an election system is known by, it
// reads a few of them. If one is ephemeral and the model recognises an election
// (election.go), Walk reports it as [Found].
// A later walk gets the known elections, and reports each one that still exists, even
// without candidates.
package discover
