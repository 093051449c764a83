// Package model is a leader election as plain values: observations go in, events
// and state come out. It does no I/O, reads no clock and starts no
// goroutine, so the same observations always give the same events.
//
// # Observations, events, state
//
// An election is a parent znode and its children. Every contender creates one
// ephemeral sequential child. The child with the lowest sequence number holds the
// role, and every other contender watches the child just below its own. That is a
// [dialect.Recipe]. A [dialect.Dialect] describes how one system writes the recipe into
// znodes. The names of the children show the dialect.
//
// An observer sees an election in pieces: a list of children with the parent's stat,
// a changed acknowledgement, a lost connection, a report of one of our own candidates.
// Each piece is an [Observation], and observations are the only input of this package.
// The [Journal] applies them one by one, in order. It returns [Event] values (such as
// [Joined], [Left], [Handoff] and [Snapshot]), which it never drops or merges, and on
// request an immutable [State] for the screen.
//
//	Observation -> Journal.Apply -> []Event
//	                    |
//	                    +-> Journal.State -> *State
//
// # The packages
//
//	znode     names, sequences, data, safe text      units    amounts as text
//	dialect   recipes, and the system of an election
//	session   what the servers report about sessions
//	model     observations in, events and state out: this package
//	doctor    verified watches, risks, findings; adds its events to those of the journal
//	phrase    words for why nobody leads and why a leader left
//	history   recordings and time travel
//	lesson    the lesson engine
//
// A package imports only packages above it. cause.go decides the cause of a handoff for
// third-party candidates, and handoff.go for our own. A new observation is a type in
// observation.go with a case in [Journal.Apply], and an entry in the codec of package history.
//
// # Missed changes
//
// A normal watch fires once, so anything may happen between two reads of the children.
// ZooKeeper counts the changes: a parent's cversion and number of children give the number
// of creates and deletes so far (see [znode.Parent.Creates]). The journal subtracts the
// changes that it saw and reports the others as a [Missed] event.
//
// # The past
//
// A state has the last handoffs, reigns, steps, wakes and writes. [State.Lanes] shows what
// each candidate did over time. It computes that on request, mostly from a bounded log of
// changes (lanelog.go). A lane at a time equals the state at that time.
//
// # The demo
//
// The demo's server, its candidates and their workers report more than an observer can see. A
// [Cast] has a member's belief and its current line of the recipe ([State.Steps]). A [Wake] has
// the sessions that were notified of a deletion, and counts their later requests
// ([State.Wakes]). The wakes show what a handoff costs with each rule ([State.Costs]) and, with
// the members' steps, how each notified session reacted ([State.Waves]). A [Write] is a write
// of a leader's worker; the wakes show whether that leader still led ([State.Work]). Beliefs
// and queue together give the two [Properties] of an election: at most one leader, and a leader
// most of the time. [State.Broken] describes the broken invariants. [Pace] has the messages
// that the server holds, [Rules] the settings of the demo. Cast, Wake, Write, Pace and Rules
// make no event of their own, because they change no election.
package model
