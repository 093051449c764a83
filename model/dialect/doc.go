// Package dialect describes how systems run their elections.
//
// A [Recipe] is the rule: which children contend, in which order, how many of them lead or hold the
// lock, and which znode each contender should watch. A [Dialect] describes how one system uses
// znodes for an election: the names of the children, the name of a candidate's owner, and the znode
// that a leader creates to acknowledge. [Recognise] finds the dialect that fits a path, its children,
// and the znodes beside it.
//
// To support another system, add its dialect, and an example in dialect_test.go. The dialect belongs
// in curator.go if the system is built on Curator, in singles.go if its leader has the only znode, in
// kinds.go if nobody leads or holds a lock, otherwise in table.go. A new rule is a [Recipe] in recipe.go.
package dialect
