// Package model is a leader election as plain values: observations go in, events
// and state come out. It does no I/O, reads no clock and starts no
// goroutine, so the same observations always give the same events.
//
// # The story
//
// An election is a parent znode and its children. Every contender has created
// one child, ephemeral and sequential; the child with the lowest sequence
// holds the role, and every other contender watches the child just below its
// own. That is a [dialect.Recipe]; how a system writes it into znodes is a
// [dialect.Dialect], and the names of the children show which one it is.
//
// An observer learns of an election in pieces: a list of children with the
// parent's stat, a changed acknowledgement, a lost connection, a step that one of
// our own candidates took. Each piece is an [Observation], a closed sum, and the
// only way into this package. The [Journal] applies them one by one, in order. It
// yields [Event] values (joined, left, handoff, missed, connection, snapshot),
// none of which is ever dropped or merged, and on request an immutable [State]
// for a screen to draw.
//
//	Observation -> Journal.Apply -> []Event
//	                    |
//	                    +-> Journal.State -> *State
//
// # The packages
//
//	znode     names, sequences, data, safe text      units    amounts in words
//	dialect   recipes, and the system of an election
//	session   what the servers report about sessions
//	model     observations in, events and state out: this package
//	doctor    verified watches, risks, findings; merges events with the journal's
//	history   recordings and time travel
//	lesson    the lesson engine
//
// Each knows only those above it (history knows doctor). A handoff's cause is
// decided in cause.go for third-party candidates, and in handoff.go for ours.
// A new observation is a type in observation.go with a case in [Journal.Apply],
// and an entry in the codec of package history.
//
// # What cannot be seen
//
// Watches fire once, so between two reads of the children anything may have
// happened. ZooKeeper counts it: a parent's cversion and number of children
// give the number of creates and deletes so far (see [znode.Parent.Creates]). The
// journal subtracts what it saw and reports the rest as a [Missed] event. What
// cannot be known is reported as unknown.
//
// # What was when
//
// A state has the last handoffs, reigns, steps, wakes and writes. [State.Lanes] makes
// of them, and of a log of changes (lanelog.go), what each candidate did over time: the
// lane at a time is what the state was then. It is made when it is wanted, so a change
// costs an entry in a bounded log.
//
// # What the demo adds
//
// The demo's server, its candidates and their workers report more than an observer
// can see. A [Cast] has a member's current line of the recipe ([State.Steps]) and
// its belief. A [Wake] has the sessions that a deletion notified, and their requests
// after that ([State.Wakes]); with the members' steps that shows how each of the
// notified reacted ([State.Waves]), and what a handoff costs by either rule
// ([State.Costs]). A [Write] is a write in a leader's name; the wakes show
// whether that leader still led ([State.Work]). Beliefs and queue together give the
// two [Properties] of an election, at most one leader and mostly one; [State.Broken]
// reports what must never happen. [Pace] and [Rules] are the settings of the
// demo. None of these is an event: they change no election.
package model
