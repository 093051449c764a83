// Package demo brings the actors: a [Cast] of local candidates to spawn, kill,
// freeze and resign, on whichever ZooKeeper is in use. Package zkserver below
// it is a ZooKeeper for when there is none.
//
// Each member of the cast is a candidate.Candidate with a session of its own,
// and stands as any other process would. The cast gives it a name, does to it
// what it is told to, and passes on what it does and believes as model.Cast
// observations.
//
// A [Stage] is the world around a cast on a server of this process: slow motion,
// single steps, scenes to begin with, and what leaders are for. Each leader has
// a worker, a client of its own that goes on with its leader's order, as
// something outside of the election would, and writes to a counter and to
// [Tokens]. Only there two leaders do harm, and there fencing helps.
//
// [Chaos] makes trouble at random, the same for the same seed.
package demo
