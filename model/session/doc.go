// Package session knows what the servers report about sessions: where each is
// connected, when a server last heard from it, and when it expires.
//
// A [Table] has the answers of the ensemble's members in one round. The [Tracker]
// takes in one table after the other and keeps a [Liveness] for each session that
// owns a contender: bounds of when the servers last heard from it. Two results
// depend on these bounds: why a leader's znode was deleted (package model), and
// whether a leader's session is about to expire (package doctor).
//
//	Table -> Tracker.Hear -> Liveness, Danger, View
//
// Anchors relate the clocks of other machines to ours: they are sessions of this
// process, whose deadlines are in the same reply as those of the others (liveness.go). A
// bound is published only if it follows from observations.
package session
