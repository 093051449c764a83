// Package dialect describes how systems run their elections.
//
// A [Recipe] is the rule: which children contend, in which order, how many hold
// the role, and which znode each contender should watch. A [Dialect] describes how one
// system represents an election by znodes: the names of the children, who a candidate is, and
// which znode a leader creates to acknowledge. [Recognise] finds the dialect by the path,
// the children, and the znodes beside the path.
//
//	recipe.go     elections and locks, semaphores, single znodes, groups
//	candidate.go  a child of the election
//	dialect.go    a system, and how it names its children
//	table.go      the dialects: one entry is one system
//	curator.go    Curator's recipes, and systems that are built on them
//	singles.go    systems whose leader has the only znode
//	kinds.go      the kinds of children; groups, queues and others in which nobody leads
//	recognise.go  which system the content of a directory shows
//	doubt.go      why the children do not show a leader
//	beside.go     znodes beside an election: who could lead, and acknowledgements
//	queue.go      the contenders, in order
//	library.go    client libraries, which do not all wait for each other
//	who.go        who a candidate is
//	namepattern.go  patterns of names
//
// To support another system, add an entry to table.go, curator.go or singles.go (to
// kinds.go, if nobody leads there) and an example to dialect_test.go. A new kind of
// election is a new [Recipe] in recipe.go.
package dialect
