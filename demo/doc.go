// Package demo runs local candidates: a [Cast] of candidates to spawn, kill, freeze
// and resign, on any ZooKeeper. Package zkserver below it is an embedded ZooKeeper.
//
// Each member of the cast is a candidate.Candidate with its own session, and takes
// part in the election like any other process. The cast names it, applies faults to
// it, and publishes what it does and believes as model.Cast observations.
//
// A [Stage] adds what a demo needs on an embedded server: slow motion, single
// steps, scenes, and workers. Each leader has a worker, a client with its own
// session that follows its leader's order and writes to a counter and to [Tokens].
// Only such writes show the harm of two leaders, and how fencing prevents it.
//
// [Chaos] injects faults at random, the same for the same seed.
package demo
