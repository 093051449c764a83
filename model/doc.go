// Package model represents a leader election as plain values: observations go in, events
// and state come out. It does no I/O, reads no clock and starts no
// goroutine, so the same observations always give the same events.
//
// # Observations, events, state
//
// An election is a parent znode and its children. In the plain recipe, every candidate creates one
// ephemeral sequential child. The child with the lowest sequence number has the role: its client
// leads, or holds a lock. Every other candidate watches the child just below its own. A
// [dialect.Recipe] is a set of such rules. A [dialect.Dialect] describes the znodes of one system that
// follows a recipe. Usually the children's names or other znodes show the dialect.
//
// A contender is a child that takes part in the election. The queue has the contenders in the
// recipe's order, and the head is the first of them. A single znode is an election without
// children: its path is the leader's own znode. An acknowledgement is another znode, which a leader
// creates or writes after its leader procedure. A gap is a time in which changes are not watched. A
// table has the servers' answers about sessions, connections and watches in one round of requests.
// A member is a candidate of this process, and every other client is a third party.
//
// An observer sees an election in pieces, such as a list of children, a changed acknowledgement or
// a lost connection. Each piece is an [Observation]. The [Journal] applies the observations in
// order, and returns [Event] values, such as [Joined], [Left] and [Handoff]. For the screen, it has an
// immutable [State].
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
//	doctor    verified watches, risks, findings; adds its own events to the journal
//	phrase    words for why nobody leads and why a leader left
//	history   recordings and time travel
//	lesson    the lesson engine
//
// A package imports only packages above it. A new observation is a type in observation.go, with a
// case in [Journal.Apply] and an entry in the codec of package history.
//
// # Missed changes
//
// A normal watch fires once, so anything may happen between two reads of the children. A parent's
// cversion and number of children give the number of creates and deletes so far: see
// [znode.Parent.Creates]. The journal subtracts the changes that it saw, and reports the others as
// a [Missed] event.
//
// # The demo
//
// The demo's server and workers, and all members, report more than an observer can see: [Cast],
// [DeletionReport], [Write], [Pace] and [Rules].
// [Properties] measures the safety and the liveness of the election.
package model
