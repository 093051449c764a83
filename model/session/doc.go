// Package session knows what the servers say of sessions: where each is
// connected, when it was last heard of, and when it expires.
//
// A [Table] is one round of asking the members of the ensemble. The [Tracker]
// takes in one table after the other, and keeps a [Liveness] for each session
// that owns a contender: bounds of when the servers last heard of it. Two things
// rest on these bounds: why a leader's znode went (package model), and whether a
// leader's session is about to expire (package doctor).
//
//	Table -> Tracker.Hear -> Liveness, Danger, View
//
// Times of other machines are compared with ours by anchors: sessions of this
// process, of which both sides say when they were heard of (leaderclock.go).
// A bound is said only if it follows from what was seen.
package session
