// Package rows is what can be selected in an election: a [Row] for each
// contender, in the order of the queue, and one for each member of our own cast
// that has no znode.
//
// A row's identity is a [Ref]: a candidate's znode or a member of ours, and
// never the row's number, because rows come and go. A [List] is made once for
// each state, not once for each frame.
package rows
