// Package dialect describes how systems run their elections.
//
// A [Recipe] is the rule: which children contend, in which order, how many hold
// the role, and which znode each contender should watch. A [Dialect] describes how one
// system represents an election by znodes: the names of the children, who a candidate is, and
// which znode a leader creates to acknowledge. [Recognise] finds the dialect by the path,
// the children, and the znodes beside the path.
//
// To support another system, add its entry to table.go, and an example to dialect_test.go. The entry
// belongs in curator.go if the system is built on Curator, in singles.go if its leader has the only
// znode, in kinds.go if nobody leads. A new kind of election is a new [Recipe] in recipe.go.
package dialect
