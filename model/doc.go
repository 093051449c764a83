// Package model is a leader election as plain values: what was observed goes
// in, what it means comes out. It does no I/O, reads no clock and starts no
// goroutine, so the same observations always give the same events.
//
// # The story
//
// An election is a parent znode and its children. Every contender has created
// one child, ephemeral and sequential; the child with the lowest sequence
// holds the role, and every other contender watches the child just below its
// own (a [dialect.Recipe] says so; the herd variant differs only there).
//
// Every system spells this in its own way. A [dialect.Dialect] is such a spelling, and
// there is a table of them; whose election it is, is recognised from the names
// of the children ([dialect.Recognise]), so the same observations tell it again.
//
// Whoever looks on learns of this in pieces: a list of children with the
// parent's [znode.Parent] stat, a changed acknowledgement, a lost connection, a step
// that one of our own candidates took. Each piece is an [Observation], a
// closed sum, and the only way into this package. The [Journal] applies them
// one by one, in order. It yields [Event] values (joined, left, handoff,
// missed, connection, state, risk, finding), none of which is ever dropped or
// merged, and on request an immutable [State] for a screen to draw.
//
//	Observation -> Journal.Apply -> []Event
//	                    |
//	                    +-> Journal.State -> *State
//
// # What cannot be seen
//
// Watches fire once, so between two reads of the children anything may have
// happened. ZooKeeper counts it: a parent's cversion and number of children
// give the number of creates and deletes so far (see [Parent.Creates]). The
// journal subtracts what it saw and says the rest as a [Missed] event. What
// cannot be known is said to be unknown.
//
// # What the servers say
//
// Who really watches whom, who is connected and when sessions expire is known
// to the members of the ensemble alone. A [session.ServerTable] is one round of asking
// them. By it [State.Edge] tells watches that are verified from those that only
// follow from the recipe, [State.Risk] warns of sessions that are about to
// expire, [Handoff.Evidence] says what a cause is known by, and the doctor finds
// what is wrong ([State.Findings]). What looks wrong for a moment in every
// healthy handoff has to last before it is said; see diagnose.go.
//
// # What the demo tells
//
// The demo's server, its candidates and their workers tell more than anybody
// who looks on can see. A [Cast] has the line of the recipe at which a member is
// ([State.Steps]) and what it believes; a [Wake] whom a deletion woke, and what
// these asked for then ([State.Wakes]); a [Write] what was done in a leader's
// name, and with the wakes it is known whether that was still the leader's to do
// ([State.Work]). From beliefs and queue together come the two [Properties] that
// an election is to have, one leader at most and one mostly, and by
// [State.Broken] what must never be. [Pace] and [Rules] say how the demo was set
// meanwhile. None of these is an event: they change no election.
//
// # Recordings
//
// A recording is a [Header] and the observations, one JSON object a line
// ([Encoder], [Decoder]). Applying them again yields the same events, which
// is all that a replay is.
//
// # Hostile input
//
// Names and data come from anybody who can write to the cluster. [znode.Safe] makes
// them fit for a terminal, a log or a message; nothing else may.
package model
