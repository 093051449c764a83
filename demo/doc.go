// Package demo brings the actors: a [Cast] of local candidates to spawn, kill,
// freeze and resign, on whichever ZooKeeper is in use. Package zkserver below
// it is a ZooKeeper for when there is none.
//
// Each member of the cast is a zkwatch.Candidate with a session of its own,
// and stands as any other process would. The cast gives it a name, does to it
// what it is told to, and passes on what it does and believes as model.Cast
// observations.
package demo
