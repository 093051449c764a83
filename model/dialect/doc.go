// Package dialect describes how systems run their elections.
//
// A [Recipe] is the rule: which children contend, in which order, how many hold
// the role, and which znode each contender should watch. A [Dialect] describes how one
// system represents an election by znodes: the names of the children, who a candidate is, and
// which znode a leader creates to acknowledge. [Recognise] finds the dialect by the path,
// the children, and the znodes beside the path.
//
// To support another system, add an entry to table.go, to curator.go if it is built on Curator, to
// singles.go if its leader has the only znode, or to kinds.go if nobody leads there, and an example
// to dialect_test.go. A new kind of election is a new [Recipe] in recipe.go.
package dialect
