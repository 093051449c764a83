// Package discover finds the elections of a cluster.
//
// [Walk] visits the znodes below a root level by level, slowly, and sets no watch.
// If children have numbers, or the names of a known election system, Walk reads a
// few of them. If one is ephemeral and the model recognises an election
// (election.go), Walk reports it as [Found].
// A later walk gets the known elections, and also reports those without candidates.
package discover
