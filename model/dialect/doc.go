// Package dialect describes how systems run their elections.
//
// A [Recipe] is the rule: which children contend, in which order, how many of them lead or hold the
// lock, and which znode each contender should watch. A [Dialect] describes how one system uses
// znodes for an election: the names of the children, the name of a candidate's owner, and the znode
// by which a leader acknowledges its takeover. [Recognise] finds the dialect that fits a path, its children,
// and the znodes beside it.
//
// To support another system, add its dialect, and an example in dialect_test.go. Take the first file
// that fits: kinds.go if nobody leads or holds a lock, singles.go if the leader has the only znode,
// curator.go if the system is built on Curator, otherwise table.go. A new rule is a [Recipe] in recipe.go.
package dialect
